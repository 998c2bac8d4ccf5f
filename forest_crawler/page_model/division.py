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
class Blocks:
    """The blocks of a page in document order, as parallel sequences."""

    outline: Outline
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
    size = len(outline.leaf_texts)
    markup = read_markup(outline.elements)
    leaf_starts = np.array(outline.leaf_starts, dtype=np.int64)
    owners, borders = _find_borders(outline, markup, leaf_starts)
    begins = np.ones(size, dtype=bool)
    begins[1:] = (owners[1:] != owners[:-1]) | (borders[1:] != borders[:-1])
    begun = np.concatenate(([0], np.cumsum(begins)))
    starts = np.append(np.flatnonzero(begins), size)
    texts = _join_leaves(outline, starts.tolist())
    return Blocks(
        outline,
        markup,
        starts,
        owners[begins],
        begun[leaf_starts],
        begun[outline.leaf_ends],
        texts,
        count_words(texts),
    )


def count_words(texts: list[str]) -> Floats:
    """Count the words of texts with folded blanks, also in scripts without blanks.

    >>> count_words(["It rained all day.", "雨が降っていたので、家にいました。"]).tolist()
    [4.0, 8.5]
    """
    counts = np.array([text.count(" ") + 1 for text in texts], dtype=np.float64)
    lengths = np.array(list(map(len, texts)), dtype=np.float64)
    for i in np.flatnonzero(lengths > UNSPACED_LENGTH * counts).tolist():
        if not texts[i].isascii():
            counts[i] = lengths[i] / UNSPACED_WORD
    return counts


def _find_borders(outline: Outline, markup: PageMarkup, leaf_starts: Ints) -> tuple[Ints, Ints]:
    """Find each leaf's block element, and count the block elements begun before."""
    is_inline = markup.has_tag(INLINE_TAGS)
    is_inline[:1] = False
    nearest, parents = list(range(len(outline.elements))), outline.parents
    for index in np.flatnonzero(is_inline).tolist():
        nearest[index] = nearest[parents[index]]
    owners = np.array([nearest[owner] for owner in outline.leaf_owners], dtype=np.int64)
    # An element begins before leaf i if at most i leaves precede the element.
    begun = np.bincount(leaf_starts[~is_inline], minlength=len(owners))
    return owners, np.cumsum(begun[: len(owners)])


def _join_leaves(outline: Outline, starts: list[int]) -> list[str]:
    pieces = outline.leaf_texts
    return [" ".join("".join(pieces[start:end]).split()) for start, end in pairwise(starts)]
