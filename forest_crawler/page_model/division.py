"""A page's tree → `Blocks`: runs of text displayed on lines of their own.

The first stage of the page model. A block is what a reader sees as a paragraph, a list item, a
headline or a menu entry: consecutive text leaves without a block element's start or end between.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from forest_crawler.page.outline import Outline
from forest_crawler.page.tree import INLINE_TAGS, PageTree
from forest_crawler.page_model.vocabulary import PageMarkup, read_markup

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

UNSPACED_LENGTH = 15
"""Characters per blank-separated word above which a script counts as written without blanks."""

UNSPACED_WORD = 2
"""Characters per word in such a script, about as in Chinese and Japanese."""


@dataclass(frozen=True, slots=True, eq=False)
class OutlineArrays:
    """What an outline knows about its elements and text leaves, as arrays."""

    parents: Ints  # body is its own parent here
    levels: Ints
    ends: Ints
    leaf_starts: Ints
    leaf_ends: Ints
    leaf_owners: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of a page in document order, as parallel sequences."""

    outline: Outline
    arrays: OutlineArrays
    markup: PageMarkup
    starts: Ints  # the first leaf of each block, then the number of leaves
    owners: Ints  # the block element that contains each block
    first: Ints  # per element i: the blocks that begin in it are first[i] to last[i], exclusive
    last: Ints
    texts: list[str]  # blanks folded
    words: Floats

    def __len__(self) -> int:
        return len(self.texts)

    def leaves(self, block: int) -> range:
        """Return the indices of a block's text leaves."""
        return range(int(self.starts[block]), int(self.starts[block + 1]))


def divide_blocks(tree: PageTree) -> Blocks:
    """Divide a page's text into blocks.

    >>> from forest_crawler.page.tree import parse_page
    >>> divide_blocks(parse_page("<p>One <b>two</b> three<br>four<p>five")).texts
    ['One two three', 'four', 'five']
    """
    outline = tree.outline
    markup = read_markup(outline.elements)
    arrays = _read_arrays(outline)
    owners, begins = _find_borders(arrays, markup)
    begun = np.zeros(len(begins) + 1, dtype=np.int64)
    np.cumsum(begins, out=begun[1:])
    first_leaves = begins.nonzero()[0]
    starts = np.concatenate((first_leaves, [len(begins)]))
    texts = _join_leaves(outline.leaf_texts, starts.tolist())
    return Blocks(
        outline,
        arrays,
        markup,
        starts,
        owners.take(first_leaves),
        begun.take(arrays.leaf_starts),
        begun.take(arrays.leaf_ends),
        texts,
        count_words(texts),
    )


def _read_arrays(outline: Outline) -> OutlineArrays:
    found = OutlineArrays(
        *(
            np.fromiter(numbers, np.int64, len(numbers))
            for numbers in (
                outline.parents,
                outline.levels,
                outline.ends,
                outline.leaf_starts,
                outline.leaf_ends,
                outline.leaf_owners,
            )
        )
    )
    found.parents[0] = 0
    return found


def count_words(texts: list[str]) -> Floats:
    """Count the words of texts with folded blanks, also in scripts without blanks.

    >>> count_words(["It rained all day.", "雨が降っていたので、家にいました。"]).tolist()
    [4.0, 8.5]
    """
    counts = np.array([text.count(" ") for text in texts], dtype=np.float64) + 1
    lengths = np.fromiter(map(len, texts), np.float64, len(texts))
    for i in np.flatnonzero(lengths > UNSPACED_LENGTH * counts).tolist():
        if not texts[i].isascii():
            counts[i] = lengths[i] / UNSPACED_WORD
    return counts


def _find_borders(arrays: OutlineArrays, markup: PageMarkup) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Find each leaf's block element, and whether a block begins with the leaf."""
    is_inline = markup.has_tag(INLINE_TAGS)
    is_inline[:1] = False
    nearest = np.where(is_inline, arrays.parents, np.arange(len(is_inline)))
    while not np.array_equal(above := nearest.take(nearest), nearest):  # twice as far each time
        nearest = above
    owners = nearest.take(arrays.leaf_owners)
    size = len(owners)
    # An element begins before leaf i if i leaves precede the element.
    begun = np.bincount(arrays.leaf_starts[~is_inline], minlength=size)[:size]
    begins = np.ones(size, dtype=bool)
    begins[1:] = (owners[1:] != owners[:-1]) | (begun[1:] > 0)
    return owners, begins


def _join_leaves(pieces: list[str], starts: list[int]) -> list[str]:
    return [
        " ".join((pieces[start] if end - start == 1 else "".join(pieces[start:end])).split())
        for start, end in pairwise(starts)
    ]
