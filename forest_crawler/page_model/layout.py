"""The distribution of a page's text in its tree: sums, concepts, repetition.

Made once per page, for `features`. Every sum over a subtree is a difference of prefix sums over
blocks, so everything is linear in elements and blocks (times depth at worst).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from forest_crawler.page_model.division import Blocks, Floats, Ints
from forest_crawler.page_model.marks import Marks, read_marks
from forest_crawler.page_model.vocabulary import CONCEPTS, PageMarkup

LINK_TAGS = frozenset({"a", "button", "select", "option"})

LONG_WORDS = 12
"""Min words of a block of running text."""

LONG_LINKS = 0.4
"""Max share of link text in a block of running text."""

NOWHERE = 1.5
"""The share of an ancestor that doesn't exist: more than the whole page."""


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Prefix sums over the blocks: entry i is the sum over the first i blocks."""

    words: Floats
    linked: Floats  # words in links
    long: Floats  # words of running text


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Blocks (k), elements (n) and their measures, as arrays."""

    blocks: Blocks
    markup: PageMarkup  # n: the elements' names
    parents: Ints  # body is its own parent here
    levels: Ints
    ends: Ints
    first: Ints  # n: the blocks that begin in an element are first[i] to last[i], exclusive
    last: Ints
    signatures: Ints  # n: the same number for the same tag and first class name
    links: Floats  # k: share of a block's words that are in links
    marks: Marks  # k: punctuation and the like
    long: Floats  # k: a block's words if it is running text, else 0
    sums: Sums
    named: tuple[Ints, Ints]  # pairs of element and concept, in document order
    concepts: npt.NDArray[np.float32]  # concept x k: share of the nearest ancestor with it
    concept_counts: Ints  # elements that have a concept
    concept_words: Floats  # words of the blocks in such elements
    concept_text: Floats  # and of those that are running text

    def inside(self, sums: Floats) -> Floats:
        """Sum over the blocks in each element, from prefix sums over all blocks."""
        return sums[self.last] - sums[self.first]


def prefix_sums(values: Floats) -> Floats:
    """Sum the first 0, 1, … values.

    >>> prefix_sums(np.array([2.0, 3.0])).tolist()
    [0.0, 2.0, 5.0]
    """
    sums = np.zeros(len(values) + 1)
    np.cumsum(values, out=sums[1:])
    return sums


def measure_layout(blocks: Blocks) -> Layout:
    """Measure how the blocks are distributed in their page's tree."""
    outline = blocks.outline
    parents = np.array(outline.parents, dtype=np.int64)
    parents[0] = 0
    ends = np.array(outline.ends, dtype=np.int64)
    chars = np.array([len(text.strip()) for text in outline.leaf_texts], dtype=np.float64)
    words, links = blocks.words, _link_shares(blocks, ends, chars)
    long = words * ((words >= LONG_WORDS) & (links < LONG_LINKS))
    sums = Sums(prefix_sums(words), prefix_sums(words * links), prefix_sums(long))
    named = pair_concepts(blocks.markup)
    concepts = _spread_concepts(blocks, named, sums.words, prefix_sums(chars))
    under = (concepts < NOWHERE).astype(np.float64)  # multiplies faster than booleans
    return Layout(
        blocks,
        blocks.markup,
        parents,
        np.array(outline.levels, dtype=np.int64),
        ends,
        blocks.first,
        blocks.last,
        _number_signatures(blocks.markup),
        links,
        read_marks(blocks.texts),
        long,
        sums,
        named,
        concepts,
        np.bincount(named[1], minlength=len(CONCEPTS)),
        under @ words,
        under @ long,
    )


def _link_shares(blocks: Blocks, ends: Ints, chars: Floats) -> Floats:
    outline = blocks.outline
    is_link = blocks.markup.has_tag(LINK_TAGS)
    closed = np.bincount(ends[is_link], minlength=len(ends))[: len(ends)]
    in_link = np.cumsum(is_link - closed) > 0
    linked = chars * in_link[np.array(outline.leaf_owners, dtype=np.int64)]
    starts = blocks.starts[:-1]
    if not len(starts):
        return np.zeros(0)
    return np.asarray(np.add.reduceat(linked, starts) / np.add.reduceat(chars, starts))


def _spread_concepts(
    blocks: Blocks, named: tuple[Ints, Ints], sums: Floats, chars: Floats
) -> npt.NDArray[np.float32]:
    """Compute each block's nearest ancestor's share of the page, per concept.

    This number says both whether there is such an ancestor, and whether it is about this block
    (a small one) or about the page (a wrapper around everything).
    """
    first, last = blocks.first, blocks.last
    shares = (sums[last] - sums[first]) / max(sums[-1], 1.0)
    covers = _covers_block(blocks, named[0], chars)
    elements, concepts = (pairs[covers] for pairs in named)
    spread = np.full((len(CONCEPTS), len(blocks)), NOWHERE, dtype=np.float32)
    write_ranges(spread, concepts, (first[elements], last[elements]), shares[elements])
    return spread


def _covers_block(blocks: Blocks, elements: Ints, chars: Floats) -> npt.NDArray[np.bool_]:
    """Whether each element contains more than half of the text of the first block in it.

    `chars` are prefix sums over the leaves' characters.

    An inline element may begin a block and not be about it: a counter of comments before a
    paragraph.
    """
    outline = blocks.outline
    leaf_starts, leaf_ends = np.asarray(outline.leaf_starts), np.asarray(outline.leaf_ends)
    inside = chars[leaf_ends[elements]] - chars[leaf_starts[elements]]
    first = np.minimum(blocks.first[elements], len(blocks) - 1)
    block = chars[blocks.starts[first + 1]] - chars[blocks.starts[first]]
    covers: npt.NDArray[np.bool_] = inside > block / 2
    return covers


def write_ranges(
    found: npt.NDArray[Any],
    lines: Ints,
    ranges: tuple[Ints, Ints],
    values: Floats,
    *,
    outermost: bool = False,
) -> None:
    """Write each element's value on its line, over the range of its blocks.

    Elements come in document order; where several of a line contain a block, the innermost wins,
    or with `outermost` the outermost.
    """
    flat, size = found.ravel(), found.shape[1]
    starts, ends = lines * size + ranges[0], lines * size + ranges[1]
    # Most elements contain one block, and are inside all that contain it and others.
    of_one, of_many = ends - starts == 1, ends - starts > 1
    if outermost:
        flat[starts[of_one]] = values[of_one]
    step = -1 if outermost else 1  # later values overwrite
    longer = (each[of_many][::step].tolist() for each in (starts, ends, values))
    for start, end, value in zip(*longer, strict=True):
        flat[start:end] = value
    if not outermost:
        flat[starts[of_one]] = values[of_one]


def pair_concepts(markup: PageMarkup) -> tuple[Ints, Ints]:
    """Pair elements with the concepts in their names, in document order.

    Without the body, whose names describe the site.
    """
    found = [meaning.concepts for meaning in markup.meanings]
    concepts = np.array(list(chain.from_iterable(found)), dtype=np.int64)
    counts = np.array(list(map(len, found)), dtype=np.int64)
    numbers = markup.numbers[1:]
    repeats = counts[numbers]
    elements = np.repeat(np.arange(len(numbers)), repeats)
    # The offset from a pair's position to its concept's is the same for all pairs of an element.
    off = (np.cumsum(counts) - counts)[numbers] - (np.cumsum(repeats) - repeats)
    return elements + 1, concepts[np.arange(len(elements)) + off[elements]]


def _number_signatures(markup: PageMarkup) -> Ints:
    numbers: dict[tuple[str, str], int] = {}
    found = [numbers.setdefault(each.signature, len(numbers)) for each in markup.meanings]
    return np.array(found, dtype=np.int64)[markup.numbers]
