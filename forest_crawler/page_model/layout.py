"""The distribution of a page's text in its tree: sums, concepts, repetition.

Made once per page, for `features`. Every sum over a subtree is a difference of prefix sums over
blocks, so everything is linear in elements and blocks (times depth at worst).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from forest_crawler.page_model.division import Blocks, Floats, Ints
from forest_crawler.page_model.marks import Marks, read_marks
from forest_crawler.page_model.vocabulary import CONCEPTS, Meaning, PageMarkup

LINK_TAGS = frozenset({"a", "button", "select", "option"})

LONG_WORDS = 12
"""Min words of a block of running text."""

LONG_LINKS = 0.4
"""Max share of link text in a block of running text."""

SHORT_RANGE = 16
"""Max blocks of the elements whose values are written together, not one after the other."""

NOWHERE = 1.5
"""The share of an ancestor that doesn't exist: more than the whole page."""


class Sums(NamedTuple):
    """Sums over blocks: prefix sums, or one sum per element."""

    words: Floats
    linked: Floats  # words in links
    long: Floats  # words of running text
    sentences: Floats  # blocks that end like a sentence
    punctuation: Floats


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
    sums: Sums  # k + 1: entry i is the sum over the first i blocks
    held: Sums  # n: over the blocks that begin in an element
    shares: Floats  # n: the element's share of the page's words
    named: tuple[Ints, Ints]  # pairs of element and concept, in document order
    concepts: npt.NDArray[np.float32]  # concept x k: share of the nearest ancestor with it
    concept_counts: Ints  # elements that have a concept
    concept_words: Floats  # words of the blocks in such elements
    concept_text: Floats  # and of those that are running text


def prefix_sums(values: Floats) -> Floats:
    """Sum the first 0, 1, … values, of each line if there are several.

    >>> prefix_sums(np.array([2.0, 3.0])).tolist()
    [0.0, 2.0, 5.0]
    """
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    return sums


def measure_layout(blocks: Blocks) -> Layout:
    """Measure how the blocks are distributed in their page's tree."""
    arrays, texts = blocks.arrays, blocks.outline.leaf_texts
    chars = np.fromiter(map(len, map(str.strip, texts)), np.float64, len(texts))
    words, links, marks = blocks.words, _link_shares(blocks, chars), read_marks(blocks.texts)
    long = words * ((words >= LONG_WORDS) & (links < LONG_LINKS))
    added = np.array([words, words * links, long, marks.sentences, marks.punctuation])
    sums = prefix_sums(added)
    held = sums.take(blocks.last, axis=1)
    held -= sums.take(blocks.first, axis=1)
    shares = held[0] / max(float(sums[0, -1]), 1.0)
    named = pair_concepts(blocks.markup)
    concepts = _spread_concepts(blocks, named, shares, prefix_sums(chars))
    under = (concepts < NOWHERE).astype(np.float64)  # multiplies faster than booleans
    return Layout(
        blocks,
        blocks.markup,
        arrays.parents,
        arrays.levels,
        arrays.ends,
        blocks.first,
        blocks.last,
        _number_signatures(blocks.markup),
        links,
        marks,
        long,
        Sums(*sums),
        Sums(*held),
        shares,
        named,
        concepts,
        np.bincount(named[1], minlength=len(CONCEPTS)),
        under @ words,
        under @ long,
    )


def _link_shares(blocks: Blocks, chars: Floats) -> Floats:
    ends = blocks.arrays.ends
    is_link = blocks.markup.has_tag(LINK_TAGS)
    closed = np.bincount(ends[is_link], minlength=len(ends))[: len(ends)]
    in_link = np.cumsum(is_link - closed) > 0
    linked = chars * in_link.take(blocks.arrays.leaf_owners)
    starts = blocks.starts[:-1]
    if not len(starts):
        return np.zeros(0)
    return np.asarray(np.add.reduceat(linked, starts) / np.add.reduceat(chars, starts))


def _spread_concepts(
    blocks: Blocks, named: tuple[Ints, Ints], shares: Floats, chars: Floats
) -> npt.NDArray[np.float32]:
    """Compute each block's nearest ancestor's share of the page, per concept.

    This number says both whether there is such an ancestor, and whether it is about this block
    (a small one) or about the page (a wrapper around everything).
    """
    covers = _covers_block(blocks, named[0], chars)
    elements, concepts = (pairs[covers] for pairs in named)
    spread = np.full((len(CONCEPTS), len(blocks)), NOWHERE, dtype=np.float32)
    ranges = (blocks.first.take(elements), blocks.last.take(elements))
    write_ranges(spread, concepts, ranges, shares.take(elements))
    return spread


def _covers_block(blocks: Blocks, elements: Ints, chars: Floats) -> npt.NDArray[np.bool_]:
    """Whether each element contains more than half of the text of the first block in it.

    `chars` are prefix sums over the leaves' characters.

    An inline element may begin a block and not be about it: a counter of comments before a
    paragraph.
    """
    arrays = blocks.arrays
    inside = chars.take(arrays.leaf_ends.take(elements))
    inside -= chars.take(arrays.leaf_starts.take(elements))
    first = np.minimum(blocks.first.take(elements), len(blocks) - 1)
    block = np.diff(chars.take(blocks.starts)).take(first) if len(blocks) else inside
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
    flat, lengths = found.ravel(), ranges[1] - ranges[0]
    starts = lines * found.shape[1] + ranges[0]
    # An element is at most as long as those around it. Later values overwrite.
    step = -1 if outermost else 1
    short = (lengths <= SHORT_RANGE).nonzero()[0][::step]
    long = (lengths > SHORT_RANGE).nonzero()[0][::step]
    if outermost:
        _write_together(flat, starts[short], lengths[short], values[short])
    each_long = (each[long].tolist() for each in (starts, lengths, values))
    for start, length, value in zip(*each_long, strict=True):
        flat[start : start + length] = value
    if not outermost:
        _write_together(flat, starts[short], lengths[short], values[short])


def _write_together(flat: npt.NDArray[Any], starts: Ints, lengths: Ints, values: Floats) -> None:
    """Write each value over its range, in order; most ranges have one or two entries."""
    # The offset from an entry's number to its position is the same for all entries of a range.
    offsets = starts - (np.cumsum(lengths) - lengths)
    positions = offsets.repeat(lengths)
    positions += np.arange(len(positions))
    flat[positions] = values.repeat(lengths)


def pair_concepts(markup: PageMarkup) -> tuple[Ints, Ints]:
    """Pair elements with the concepts in their names, in document order.

    Without the body, whose names describe the site.
    """
    found = list(map(_CONCEPTS_OF, markup.meanings))
    concepts = np.array(list(chain.from_iterable(found)), dtype=np.int64)
    counts = np.fromiter(map(len, found), np.int64, len(found))
    numbers = markup.numbers[1:]
    repeats = counts.take(numbers)
    elements = np.arange(len(numbers)).repeat(repeats)
    # The offset from a pair's position to its concept's is the same for all pairs of an element.
    off = (np.cumsum(counts) - counts).take(numbers) - (np.cumsum(repeats) - repeats)
    return elements + 1, concepts[np.arange(len(elements)) + off.repeat(repeats)]


def _number_signatures(markup: PageMarkup) -> Ints:
    numbers: dict[str, int] = {}
    kinds = map(_KIND_OF, markup.meanings)
    found = list(map(numbers.setdefault, kinds, range(len(markup.meanings))))
    return np.array(found, dtype=np.int64).take(markup.numbers)


_CONCEPTS_OF: Callable[[Meaning], tuple[int, ...]] = attrgetter("concepts")
_KIND_OF: Callable[[Meaning], str] = attrgetter("kind")
