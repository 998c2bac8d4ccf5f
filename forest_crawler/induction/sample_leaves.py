"""`SampleLeaves`: the text leaves of sample pages in a row.

The fitting compares what many locators select on all pages. In a row, the leaves under one of them
are two arrays, starts and ends, and a sum over them takes a few array operations for all pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from forest_crawler.induction.scored_page import Floats, Occurrence, ScoredPage
from forest_crawler.wrapper.locators import Locator
from forest_crawler.wrapper.name_tree import NameTree

Ints: TypeAlias = NDArray[np.int64]


class SelectedLeaves(NamedTuple):
    """The elements that a locator selects on the pages, none inside another one, in order."""

    elements: Ints  # as numbered by the merged tree
    starts: Ints  # of their leaves, in the row of all pages
    ends: Ints
    pages: Ints  # which page each is on

    @property
    def key(self) -> tuple[bytes, bytes]:
        """What is equal for selections of the same leaves."""
        return self.starts.tobytes(), self.ends.tobytes()


class LeafTable:
    """What several locators select; a sum over it has a row per locator, a column per page."""

    def __init__(self, rows: Sequence[SelectedLeaves], pages: int) -> None:
        self._shape = (len(rows), pages)
        self.starts, self.ends, self.elements, self.cells = _NO_INTS, _NO_INTS, _NO_INTS, _NO_INTS
        if rows:
            self.starts = np.concatenate([row.starts for row in rows])
            self.ends = np.concatenate([row.ends for row in rows])
            self.elements = np.concatenate([row.elements for row in rows])
            on_pages = np.concatenate([row.pages for row in rows])
            sizes = [len(row.pages) for row in rows]
            self.cells = on_pages + np.repeat(np.arange(len(rows)) * pages, sizes)

    def sum(self, before: Sequence[Floats]) -> Floats:
        """Sum a value of leaves, given its prefix sums on each page."""
        sums = np.concatenate(before)
        values = sums[self.ends] - sums[self.starts]
        cells = np.bincount(self.cells, values, minlength=self._shape[0] * self._shape[1])
        return cells.astype(np.float64, copy=False).reshape(self._shape)

    def first_elements(self) -> Ints:
        """Return the first element that each locator selects on each page, -1 for none."""
        found = np.full(self._shape[0] * self._shape[1], -1, dtype=np.int64)
        cells, rows = np.unique(self.cells, return_index=True)
        found[cells] = self.elements[rows]
        return found.reshape(self._shape)


_NO_INTS = np.zeros(0, dtype=np.int64)


class SampleLeaves:
    """The leaves of some of the pages of a merged tree; a page has one more entry than leaves.

    So prefix sums, page after page, fit into the row.
    """

    def __init__(self, tree: NameTree, pages: Sequence[ScoredPage]) -> None:
        self._tree = tree
        self._pages = pages
        self._bases = [0, *accumulate(len(page.words) + 1 for page in pages)]
        self._first = [tree.first_element(page.names) for page in pages]
        self._page_of = np.full(tree.size, -1, dtype=np.int64)
        self._starts = np.zeros(tree.size, dtype=np.int64)
        self._ends = np.zeros(tree.size, dtype=np.int64)
        rows = zip(pages, self._first, self._bases, strict=False)
        for number, (page, first, base) in enumerate(rows):
            own = slice(first, first + len(page.leaf_starts))
            self._page_of[own] = number
            self._starts[own] = page.leaf_starts + base
            self._ends[own] = page.leaf_ends + base
        self._is_part = bool((self._page_of < 0).any())

    def select(self, nodes: Sequence[int]) -> SelectedLeaves:
        """Return the leaves of the elements of some nodes."""
        elements = self._tree.members(nodes)
        if self._is_part:
            elements = elements[self._page_of[elements] >= 0]
        return SelectedLeaves(
            elements, self._starts[elements], self._ends[elements], self._page_of[elements]
        )

    def rate(self, rows: Sequence[SelectedLeaves]) -> list[list[Occurrence | None]]:
        """Count the signifiers and terms of each selection on each page, as the ranker needs."""
        table = LeafTable(rows, len(self._pages))
        xs = table.sum([page.signifiers_before for page in self._pages]).astype(np.int64)
        terms = table.sum([page.terms_before for page in self._pages]).astype(np.int64)
        firsts = table.first_elements()
        levels = np.zeros(self._tree.size + 1, dtype=np.int64)  # the last one for no element
        for page, first in zip(self._pages, self._first, strict=True):
            levels[first : first + len(page.leaf_starts)] = page.names.outline.levels
        figures = (xs, terms, levels[firsts], firsts >= 0)
        return [
            [Occurrence(x, count, level) if is_found else None for x, count, level, is_found in row]
            for row in (
                zip(*parts, strict=True)
                for parts in zip(*(it.tolist() for it in figures), strict=True)
            )
        ]

    def find(self, locators: Iterable[Locator]) -> None:
        """Let each page keep what some locators select on it."""
        for locator in locators:
            self.remember(locator, self.select(self._tree.outermost(locator)))

    def remember(self, locator: Locator, selected: SelectedLeaves) -> None:
        """Let each page keep what a locator selects on it."""
        begins = np.searchsorted(selected.elements, self._first).tolist()
        counts = np.bincount(selected.pages, minlength=len(self._pages)).tolist()
        elements, starts, ends = (it.tolist() for it in selected[:3])
        for number, page in enumerate(self._pages):
            own = slice(begins[number], begins[number] + counts[number])
            first, base = self._first[number], self._bases[number]
            pairs = zip(starts[own], ends[own], strict=True)
            spans = tuple([(start - base, end - base) for start, end in pairs])
            page.remember(locator, [element - first for element in elements[own]], spans)
