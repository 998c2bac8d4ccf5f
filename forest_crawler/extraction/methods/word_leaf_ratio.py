"""Content extraction by the words/leafs ratio (Insa, Silva, Tamarit): `wlr`, `cnr`, `wnr`, `clr`.

A page-level method. Where much text hangs on few leaves of the tree, there is content; relevance
joins such nodes upwards until an ancestor brings in too much that is thin. Definitions, sections
and figures in the comments are the paper's. `detect_blocks` goes on after the best block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from forest_crawler.extraction.methods.registry import register
from forest_crawler.page.outline import Outline
from forest_crawler.page.selection import Selection, select_elements, select_leaves
from forest_crawler.page.tree import PageTree
from forest_crawler.text.terms import tokenize

NOT_VALID_TAGS = frozenset({"select"})
"""Def. 4.1; the tree comes without the others: meta, title, link, style, script, noscript."""

JOINED_TAGS = frozenset("p a u b i em span sub sup strong div".split())
"""Tags that only format a text, figure 5: their leaves in a row count as one."""

_MOVED = re.compile(r"position\s*:\s*(absolute|fixed)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ratio:
    """Text per node, of a subtree. The defaults make WLR, Def. 4.4."""

    text: Literal["words", "chars"] = "words"
    per: Literal["leaves", "nodes"] = "leaves"


WLR = Ratio()


@dataclass(frozen=True, slots=True)
class ContentNodes:
    """The content nodes of Def. 4.1 in pre-order, as parallel lists: the index is id(n)."""

    numbers: list[int]  # as in `Outline.document_order`
    parents: list[int]  # -1 for the root
    texts: list[int]  # words or characters in the subtree
    units: list[int]  # leaves or nodes in the subtree

    @property
    def ratios(self) -> list[float]:
        """Text per unit, Def. 4.4."""
        return [text / units for text, units in zip(self.texts, self.units, strict=True)]


@dataclass(frozen=True, slots=True)
class RatioExtractor:
    """Takes the most relevant node, Def. 4.7."""

    ratio: Ratio = WLR

    def extract(self, tree: PageTree) -> Selection:
        """Select the best node."""
        return next(detect_blocks(tree, self.ratio), Selection(tree))


def detect_blocks(tree: PageTree, ratio: Ratio = WLR) -> Iterator[Selection]:
    """Find block after block in order of relevance, each in what the ones before it left.

    That is section 7 of the paper. Each block costs a pass over the page: take as many as needed.
    All of them together hold every word of the page once, drop-down lists aside.

    >>> from forest_crawler.page.tree import parse_page
    >>> tree = parse_page("<ul><li>Home<li>News</ul><p>The ferry came back late</p>")
    >>> [block.text for block in detect_blocks(tree)]
    ['The ferry came back late', 'Home\\nNews']
    """
    outline = tree.outline
    words = _count_words(outline)
    texts = words if ratio.text == "words" else _count_chars(outline)
    is_taken = [False] * len(words)
    while any(words):
        nodes = _read_nodes(outline, words, texts, ratio)
        best = nodes.numbers[find_best(nodes)]
        leaves = _leaf_range(outline, best)
        if any(is_taken[leaf] for leaf in leaves):
            yield select_leaves(tree, [leaf for leaf in leaves if words[leaf]])
        else:
            yield _select_node(tree, best)
        for leaf in leaves:
            words[leaf], is_taken[leaf] = 0, True


def read_content_nodes(tree: PageTree, ratio: Ratio = WLR) -> ContentNodes:
    """Count text and leaves, or nodes, for all content nodes of a page: the paper's first pass."""
    words = _count_words(tree.outline)
    texts = words if ratio.text == "words" else _count_chars(tree.outline)
    return _read_nodes(tree.outline, words, texts, ratio)


def find_best(nodes: ContentNodes) -> int:
    """The identifier of the most relevant node, Def. 4.7; on a tie the lower one."""
    relevances = measure_relevances(nodes)
    return max(range(len(relevances)), key=lambda i: (relevances[i], -i))


def measure_relevances(nodes: ContentNodes) -> list[float]:
    """R(n) of all content nodes, Def. 4.6: the paper's second pass.

    The paper prints R(n) = WLR(n) · max(W(n), sum of the children's R). But every leaf has a word,
    so WLR is at least 1, R never falls on the way up, and the best node of any page is the root:
    against the paper's own example 4.8, and "it uses WLR(n) to stop going up". What can stop it is
    WLR on the scale 0..1 that W(n) has it on. With that the paper's results come out: a recall of
    some 80 % for WLR and CLR, below 30 % for CNR and WNR.
    """
    scaled = _scale(nodes.ratios)
    weights = _weigh(nodes.ratios, scaled)
    sums = [0.0] * len(weights)  # of the children's relevances
    relevances = sums.copy()
    for i in range(len(weights) - 1, -1, -1):
        relevances[i] = scaled[i] * max(weights[i], sums[i])
        if i:
            sums[nodes.parents[i]] += relevances[i]
    return relevances


def _scale(ratios: list[float]) -> list[float]:
    """Put the ratios on the scale from the least to the greatest; 1 if they are all alike."""
    least, most = min(ratios), max(ratios)
    return [(ratio - least) / (most - least) if most > least else 1.0 for ratio in ratios]


def _weigh(ratios: list[float], scaled: list[float]) -> list[float]:
    """W(n): position, from 1 to 0, times scaled ratio, for the initial nodes of Def. 4.5."""
    bar = max(ratios) * ratios[0]  # compared with squares: no root, no rounding
    initial = [i for i, ratio in enumerate(ratios) if ratio * ratio >= bar]
    first, last = initial[0], initial[-1]
    weights = [0.0] * len(ratios)
    for i in initial:
        # A single initial node is first and last: no other is before it.
        position = (last - i) / (last - first) if last > first else 1.0
        weights[i] = position * scaled[i]
    return weights


def _count_words(outline: Outline) -> list[int]:
    """The words of every text leaf; none where the leaf is not valid."""
    words = [len(tokenize(text)) for text in outline.leaf_texts]
    for i, element in enumerate(outline.elements):
        if element.tag in NOT_VALID_TAGS:
            for leaf in _leaf_range(outline, i):
                words[leaf] = 0
    return words


def _count_chars(outline: Outline) -> list[int]:
    return [len(" ".join(text.split())) for text in outline.leaf_texts]


def _leaf_range(outline: Outline, number: int) -> range:
    """The leaves of a node, which may be a leaf itself."""
    leaf = number - len(outline.elements)
    if leaf >= 0:
        return range(leaf, leaf + 1)
    return range(outline.leaf_starts[number], outline.leaf_ends[number])


def _select_node(tree: PageTree, number: int) -> Selection:
    outline = tree.outline
    leaf = number - len(outline.elements)
    if leaf >= 0:
        return Selection(tree, (outline.leaves[leaf],))
    below = outline.elements[number + 1 : outline.ends[number]]
    not_valid = [element for element in below if element.tag in NOT_VALID_TAGS]
    return select_elements(tree, [outline.elements[number]], not_valid)


def _read_nodes(outline: Outline, words: list[int], texts: list[int], ratio: Ratio) -> ContentNodes:
    """Drop all that has no words in it (Def. 4.1) and add up the rest bottom-up (Def. 4.2)."""
    size = len(outline.elements)
    words_to = list(accumulate(words, initial=0))
    spans = zip(outline.leaf_starts, outline.leaf_ends, strict=True)
    has_words = [words_to[last] > words_to[first] for first, last in spans]
    has_words.extend(count > 0 for count in words)
    numbers = [number for number in outline.document_order() if has_words[number]]
    identifiers = {number: i for i, number in enumerate(numbers)}
    above = outline.parents + outline.leaf_owners
    parents = [identifiers.get(above[number], -1) for number in numbers]
    own_texts = [texts[number - size] if number >= size else 0 for number in numbers]
    if ratio.per == "nodes":
        units = _add_up([1] * len(numbers), parents)
    else:
        units = _count_leaves(parents, [_is_joined(outline, number) for number in numbers])
    return ContentNodes(numbers, parents, _add_up(own_texts, parents), units)


def _add_up(values: list[int], parents: list[int]) -> list[int]:
    """The sum over every subtree of nodes in pre-order."""
    sums = values.copy()
    for i in range(len(sums) - 1, 0, -1):
        sums[parents[i]] += sums[i]
    return sums


def _count_leaves(parents: list[int], is_joined: list[bool]) -> list[int]:
    """l(n) of Def. 4.2 and figure 5: children that only format a text are one leaf, in a row.

    Children come in reverse here, which makes no difference to the number of such rows.
    """
    leaves = [0] * len(parents)
    joining = [False] * len(parents)
    for i in range(len(parents) - 1, -1, -1):
        leaves[i] = (leaves[i] + joining[i]) or 1
        above = parents[i]
        if above < 0:
            continue
        if is_joined[i] and leaves[i] == 1:
            joining[above] = True
        else:
            leaves[above] += leaves[i] + joining[above]
            joining[above] = False
    return leaves


def _is_joined(outline: Outline, number: int) -> bool:
    """Is it text, or an element that only formats and stands where the text flow puts it?"""
    if number >= len(outline.elements):
        return True
    element = outline.elements[number]
    if element.tag == "div" and _MOVED.search(element.get("style", "")):
        return False
    return element.tag in JOINED_TAGS


register("wlr", RatioExtractor(WLR))
register("clr", RatioExtractor(Ratio("chars", "leaves")))
register("wnr", RatioExtractor(Ratio("words", "nodes")))
register("cnr", RatioExtractor(Ratio("chars", "nodes")))
