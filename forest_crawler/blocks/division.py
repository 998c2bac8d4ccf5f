"""A page's tree → `Blocks`: runs of text that stand on lines of their own.

First station of the page model. A block is what a reader sees as a paragraph, a list item, a
headline, a menu entry: consecutive text leaves with no border of a block element between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from forest_crawler.tree import INLINE_TAGS, Outline, PageTree

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

UNSPACED_LENGTH = 15
"""Characters per blank-separated word above which a script is taken to write without blanks."""

UNSPACED_WORD = 2
"""Characters that make a word in such a script, about what Chinese and Japanese have."""


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of a page in document order, as parallel sequences."""

    tree: PageTree
    starts: Ints  # the first leaf of each block, and behind the last block the number of leaves
    owners: Ints  # the block element that each stands in
    texts: list[str]  # blanks folded
    words: Floats

    def __len__(self) -> int:
        return len(self.texts)

    def leaves(self, block: int) -> range:
        """The indices of a block's text leaves."""
        return range(int(self.starts[block]), int(self.starts[block + 1]))


def divide_blocks(tree: PageTree) -> Blocks:
    """Divide a page's text into blocks.

    >>> from forest_crawler.tree import parse_page
    >>> divide_blocks(parse_page("<p>One <b>two</b> three<br>four<p>five")).texts
    ['One two three', 'four', 'five']
    """
    outline = tree.outline
    size = len(outline.leaf_texts)
    owners, borders = _find_borders(outline)
    follows = np.zeros(size, dtype=bool)
    follows[1:] = (owners[1:] == owners[:-1]) & (borders[1:] == borders[:-1])
    first = np.flatnonzero(~follows)
    starts = np.append(first, size)
    texts = _join_leaves(outline, starts.tolist())
    words = np.array([count_words(text) for text in texts], dtype=np.float64)
    return Blocks(tree, starts, owners[first], texts, words)


def count_words(text: str) -> float:
    """Count words, also in scripts that do not part them.

    >>> count_words("It rained all day."), count_words("雨が降っていたので、家にいました。")
    (4, 8.5)
    """
    count = len(text.split())
    if text.isascii() or len(text) <= UNSPACED_LENGTH * count:
        return count
    return len(text) / UNSPACED_WORD


def _find_borders(outline: Outline) -> tuple[Ints, Ints]:
    """For each leaf, the block element it stands in and how many of these began before it."""
    is_block = np.array([element.tag not in INLINE_TAGS for element in outline.elements])
    is_block[:1] = True
    nearest = list(range(len(outline.elements)))
    for index in np.flatnonzero(~is_block).tolist():
        nearest[index] = nearest[outline.parents[index]]
    begun = np.concatenate(([0], np.cumsum(is_block)))
    leaves = np.arange(len(outline.leaf_texts))
    # An element began before a leaf if no more leaves than that were there when it began.
    elements_before = np.searchsorted(np.asarray(outline.leaf_starts), leaves, side="right")
    owners = np.array(nearest, dtype=np.int64)[np.array(outline.leaf_owners, dtype=np.int64)]
    return owners, begun[elements_before]


def _join_leaves(outline: Outline, starts: list[int]) -> list[str]:
    pieces = outline.leaf_texts
    return [" ".join("".join(pieces[start:end]).split()) for start, end in pairwise(starts)]
