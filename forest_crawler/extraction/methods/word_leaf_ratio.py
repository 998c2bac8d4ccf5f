"""Select the node with most words per leaf: `wlr`; variants `cnr`, `wnr`, `clr`.

Insa, Silva, Tamarit: content extraction by the words/leafs ratio.

A page-level method. Nodes with much text on few leaves are content; relevance combines such nodes
from the leaves to the root, until an ancestor adds too many leaves with little text. Definitions,
sections and figures in the comments are the paper's. `detect_blocks` continues after the best
block.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from forest_crawler.extraction.methods.explanation import ExplainedNode, Explanation
from forest_crawler.extraction.methods.registry import register
from forest_crawler.page.outline import Outline
from forest_crawler.page.selection import Selection, select_elements, select_leaves
from forest_crawler.page.tree import PageTree
from forest_crawler.text.terms import tokenize

NOT_VALID_TAGS = frozenset({"select"})
"""Def. 4.1; our tree has none of the others: meta, title, link, style, script, noscript."""

JOINED_TAGS = frozenset("p a u b i em span sub sup strong div".split())
"""Tags that only format text, figure 5: consecutive leaves in them count as one."""

_MOVED = re.compile(r"position\s*:\s*(absolute|fixed)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ratio:
    """Which text is divided by which nodes. The defaults are WLR, Def. 4.4."""

    text: Literal["words", "chars"] = "words"
    per: Literal["leaves", "nodes"] = "leaves"

    @property
    def name(self) -> str:
        """The paper's name: WLR, CLR, WNR or CNR."""
        return f"{self.text[0]}{self.per[0]}r".upper()


WLR = Ratio()


@dataclass(frozen=True, slots=True)
class ContentNodes:
    """The content nodes of Def. 4.1 in pre-order, as parallel lists by id(n)."""

    numbers: list[int]  # as in `Outline.document_order`
    parents: list[int]  # -1 for the root
    texts: list[int]  # words or characters in the subtree
    units: list[int]  # leaves or nodes in the subtree

    @property
    def ratios(self) -> list[float]:
        """Text per unit, Def. 4.4."""
        return [text / units for text, units in zip(self.texts, self.units, strict=True)]


@dataclass(frozen=True, slots=True)
class Ratings:
    """How relevant the content nodes are, Def. 4.6, as parallel lists by id(n)."""

    positions: list[float | None]  # None if the node isn't an initial node
    weights: list[float]  # W(n)
    combined: list[float]  # M(n)
    relevances: list[float]  # R(n)


@dataclass(frozen=True, slots=True)
class RatioExtractor:
    """Selects the most relevant node, Def. 4.7."""

    ratio: Ratio = WLR

    def extract(self, tree: PageTree) -> Selection:
        """Select the best node."""
        return next(self.detect_blocks(tree), Selection(tree))

    def detect_blocks(self, tree: PageTree) -> Iterator[Selection]:
        """Yield blocks in order of relevance (section 7), the best node first."""
        return detect_blocks(tree, self.ratio)

    def explain(self, tree: PageTree) -> Explanation:
        """List the content nodes by relevance."""
        name, text, per = self.ratio.name, self.ratio.text, self.ratio.per
        nodes = read_content_nodes(tree, self.ratio)
        legend = (
            f"{name} = {text} / {per}. Initial nodes have a pos, from 1 for the first id to 0 for "
            f"the last, and W = pos · ({name} - lowest) / (highest - lowest); other nodes have "
            f"W = 0. M = max(W, sum of the children's M). R = {name} · M."
        )
        columns = ("id", "level", text, per, name, "pos", "W", "M", "R")
        if not nodes.numbers:
            return Explanation("no words, so nothing is selected", legend, columns, [])
        low, high, root = min(nodes.ratios), max(nodes.ratios), nodes.ratios[0]
        outcome = (
            f"the node with the highest R; {name} is {root:.2f} for body, {low:.2f} to {high:.2f} "
            f"for all, and at least √({high:.2f} · {root:.2f}) = {math.sqrt(high * root):.2f} for "
            "initial nodes"
        )
        return Explanation(outcome, legend, columns, _explain_nodes(tree.outline, nodes))


def detect_blocks(tree: PageTree, ratio: Ratio = WLR) -> Iterator[Selection]:
    """Yield blocks in order of relevance, each from what the ones before it left.

    This is section 7 of the paper.

    Each block takes a pass over the page, so stop after as many as you need. All blocks together
    contain every word of the page once, except for drop-down lists.

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
    """Count text and leaves, or nodes, of all content nodes: the paper's first pass."""
    words = _count_words(tree.outline)
    texts = words if ratio.text == "words" else _count_chars(tree.outline)
    return _read_nodes(tree.outline, words, texts, ratio)


def find_best(nodes: ContentNodes) -> int:
    """Find the id of the most relevant node, Def. 4.7; ties go to the lower one."""
    relevances = measure_relevances(nodes)
    return max(range(len(relevances)), key=lambda i: (relevances[i], -i))


def measure_relevances(nodes: ContentNodes) -> list[float]:
    """Compute R(n) of all content nodes, Def. 4.6: the paper's second pass."""
    return rate_nodes(nodes).relevances


def rate_nodes(nodes: ContentNodes) -> Ratings:
    """Compute what Def. 4.6 says of all content nodes, with R(n) = WLR(n) · M(n).

    The paper prints M(n) = max(W(n), sum of the children's R). But every leaf has a word, so WLR is
    at least 1, R never falls towards the root, and the root would be the best node of every page.
    We sum the children's M instead. Then the paper's text holds: M(n) >= M(n') for n' below n, and
    R "uses WLR(n) to stop going up when the ancestor of a node introduces subtrees with a low
    density of text". It also gives example 4.8 and the published recall on CleanEval.
    """
    ratios = nodes.ratios
    positions = _rate_positions(ratios)
    weights = [
        0.0 if position is None else position * scaled
        for position, scaled in zip(positions, _scale(ratios), strict=True)
    ]
    combined = _combine(weights, nodes.parents)
    relevances = [ratio * weight for ratio, weight in zip(ratios, combined, strict=True)]
    return Ratings(positions, weights, combined, relevances)


def _rate_positions(ratios: list[float]) -> list[float | None]:
    """Rate the initial nodes (Def. 4.5) from 1 for the first to 0 for the last."""
    squared_bound = max(ratios) * ratios[0]  # compared with squares: no root, no rounding
    initial = [i for i, ratio in enumerate(ratios) if ratio * ratio >= squared_bound]
    first, last = initial[0], initial[-1]
    positions: list[float | None] = [None] * len(ratios)
    for i in initial:
        # A single initial node is first and last; no other is before it, so its position is 1.
        positions[i] = (last - i) / (last - first) if last > first else 1.0
    return positions


def _scale(ratios: list[float]) -> list[float]:
    """Scale the ratios from 0 for the lowest to 1 for the highest; all 1 if equal."""
    low, high = min(ratios), max(ratios)
    return [(ratio - low) / (high - low) if high > low else 1.0 for ratio in ratios]


def _combine(weights: list[float], parents: list[int]) -> list[float]:
    """Compute M(n): a node's weight, or the sum of its children's M if that is greater."""
    sums = [0.0] * len(weights)
    combined = sums.copy()
    for i in range(len(weights) - 1, -1, -1):
        combined[i] = max(weights[i], sums[i])
        if i:
            sums[parents[i]] += combined[i]
    return combined


def _explain_nodes(outline: Outline, nodes: ContentNodes) -> list[ExplainedNode]:
    """List the figures of all content nodes, the most relevant first."""
    ratings, ratios = rate_nodes(nodes), nodes.ratios
    levels = outline.levels + [outline.levels[owner] + 1 for owner in outline.leaf_owners]
    order = sorted(range(len(ratios)), key=lambda i: (-ratings.relevances[i], i))
    return [
        ExplainedNode(
            nodes.numbers[i],
            i == order[0],
            (
                i,
                levels[nodes.numbers[i]],
                nodes.texts[i],
                nodes.units[i],
                ratios[i],
                ratings.positions[i],
                ratings.weights[i],
                ratings.combined[i],
                ratings.relevances[i],
            ),
        )
        for i in order
    ]


def _count_words(outline: Outline) -> list[int]:
    """Count the words of every text leaf; 0 if the leaf isn't valid."""
    words = [len(tokenize(text)) for text in outline.leaf_texts]
    for i, element in enumerate(outline.elements):
        if element.tag in NOT_VALID_TAGS:
            for leaf in _leaf_range(outline, i):
                words[leaf] = 0
    return words


def _count_chars(outline: Outline) -> list[int]:
    return [len(" ".join(text.split())) for text in outline.leaf_texts]


def _leaf_range(outline: Outline, number: int) -> range:
    """Return the range of a node's leaves; the node may be a leaf itself."""
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
    """Drop nodes without words (Def. 4.1) and add up the rest bottom-up (Def. 4.2)."""
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
    """Sum values over every subtree, given nodes in pre-order."""
    sums = values.copy()
    for i in range(len(sums) - 1, 0, -1):
        sums[parents[i]] += sums[i]
    return sums


def _count_leaves(parents: list[int], is_joined: list[bool]) -> list[int]:
    """Compute l(n), Def. 4.2: consecutive children that only format text are one leaf.

    See figure 5. The children are visited in reverse, which doesn't change the number of such runs.
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
    """Return whether a node is text, or an element that only formats text in the flow."""
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
