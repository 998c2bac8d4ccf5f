"""Sums over pages' leaves: what a locator selects, and what adding or stripping it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

import numpy as np

from forest_crawler.induction.sample_leaves import LeafTable, SelectedLeaves
from forest_crawler.induction.scored_page import Floats, Mask, ScoredPage, Spans, f1_of, prefix_sums
from forest_crawler.wrapper.locators import Locator


class BodySums:
    """The expected F1 of a body on a page, as it is and once it is stripped ideally."""

    def __init__(self, page: ScoredPage, kept_from: float) -> None:
        kept = page.content >= kept_from
        self._page = page
        self._words = prefix_sums(page.words).tolist()
        self._hits = prefix_sums(page.hits).tolist()
        self._kept_words = prefix_sums(page.words * kept).tolist()
        self._kept_hits = prefix_sums(page.hits * kept).tolist()

    def f1_whole(self, locator: Locator) -> float:
        """Return the expected F1 of everything under a locator."""
        spans = self._page.spans(locator)
        return f1_of(_span_sum(self._words, spans), _span_sum(self._hits, spans), self._page.total)

    def f1_stripped(self, locator: Locator) -> float:
        """Return the expected F1 of what is probably content under it."""
        spans = self._page.spans(locator)
        words, hits = _span_sum(self._kept_words, spans), _span_sum(self._kept_hits, spans)
        return f1_of(words, hits, self._page.total)


class Tally:
    """How much of a page is selected so far, and what a locator would add or strip."""

    def __init__(self, page: ScoredPage, mask: Mask, selected: float, hits: float) -> None:
        self.page = page
        self.mask = mask
        self.selected = selected
        self.hits = hits
        self.watch(~mask)
        own = page.words * mask * ~page.repeated
        self._own = prefix_sums(own).tolist()
        self._own_kept = prefix_sums(own * page.is_kept_part).tolist()

    @property
    def has_kept_parts(self) -> bool:
        """Whether selected words that no sibling repeats are in kept parts."""
        return bool(self._own_kept[-1])

    def own_words(self, start: int, end: int) -> tuple[float, float]:
        """Return the selected words of leaves that no sibling repeats, and those in kept parts.

        As selected at first: what strip rules have taken since still counts.
        """
        return self._own[end] - self._own[start], self._own_kept[end] - self._own_kept[start]

    def watch(self, mask: Mask) -> None:
        """Count only these leaves from now on."""
        self.words_before = prefix_sums(self.page.words * mask)
        self.hits_before = prefix_sums(self.page.hits * mask)

    def change(self, locator: Locator) -> tuple[float, float]:
        """Return the watched words and hits under a locator."""
        words, hits = 0.0, 0.0
        for start, end in self.page.spans(locator):
            words += float(self.words_before[end] - self.words_before[start])
            hits += float(self.hits_before[end] - self.hits_before[start])
        return words, hits

    def add(self, locator: Locator) -> None:
        """Select what a locator matches, then watch what is left outside."""
        self._mark(locator, selected=True)
        self.watch(~self.mask)

    def strip(self, locator: Locator) -> None:
        """Strip what a locator matches, then watch what is left inside."""
        self._mark(locator, selected=False)
        self.watch(self.mask)

    def _mark(self, locator: Locator, *, selected: bool) -> None:
        words, hits = self.change(locator)
        sign = 1 if selected else -1
        self.selected += sign * words
        self.hits += sign * hits
        for start, end in self.page.spans(locator):
            self.mask[start:end] = selected


class Changes:
    """The watched words and hits that each of some locators has on each page."""

    def __init__(
        self, selected: Mapping[Locator, SelectedLeaves], tallies: Sequence[Tally]
    ) -> None:
        self.locators = list(selected)
        self._tallies = tallies
        self._selected = selected
        self._table = LeafTable(list(selected.values()), len(tallies))

    def only(self, locators: Sequence[Locator]) -> Changes:
        """Return the changes by some of the locators."""
        return Changes({it: self._selected[it] for it in locators}, self._tallies)

    def words(self) -> Floats:
        """Return the words: a row per locator, a column per page."""
        return self._table.sum([tally.words_before for tally in self._tallies])

    def hits(self) -> Floats:
        """Return the hits likewise."""
        return self._table.sum([tally.hits_before for tally in self._tallies])

    def rate(self, sign: int) -> list[float]:
        """Return the mean expected F1 with each locator added (1) or stripped (-1)."""
        tallies = self._tallies
        words = np.array([it.selected for it in tallies]) + sign * self.words()
        hits = np.array([it.hits for it in tallies]) + sign * self.hits()
        whole = words + np.array([it.page.total for it in tallies])
        f1s = np.divide(2 * hits, whole, out=np.zeros(whole.shape), where=whole > 0)
        # fsum: ties stay ties in whatever order the pages come.
        return [fsum(row) / len(tallies) for row in f1s.tolist()]


def mean_f1(tallies: Sequence[Tally]) -> float:
    """Return the mean expected F1 of what is selected so far."""
    f1s = [f1_of(tally.selected, tally.hits, tally.page.total) for tally in tallies]
    return fsum(f1s) / len(tallies)


def _span_sum(sums: list[float], spans: Spans) -> float:
    total = 0.0
    for start, end in spans:
        total += sums[end] - sums[start]
    return total
