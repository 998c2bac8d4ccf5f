"""Sums over a page's leaves: what a locator selects, and what adding or stripping it changes."""

from __future__ import annotations

import numpy as np

from forest_crawler.induction.scored_page import Floats, Mask, ScoredPage, Spans, f1_of
from forest_crawler.wrapper.locators import Locator


class BodySums:
    """The expected F1 of a body on a page, as it is and once it is stripped ideally."""

    def __init__(self, page: ScoredPage, kept_from: float) -> None:
        kept = page.content >= kept_from
        self._page = page
        self._words = _prefix_sums(page.words)
        self._hits = _prefix_sums(page.hits)
        self._kept_words = _prefix_sums(page.words * kept)
        self._kept_hits = _prefix_sums(page.hits * kept)

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
        self._own = _prefix_sums(own)
        self._own_kept = _prefix_sums(own * page.is_kept_part)

    def own_words(self, start: int, end: int) -> tuple[float, float]:
        """Return the selected words of leaves that no sibling repeats, and those in kept parts.

        As selected at first: what strip rules have taken since still counts.
        """
        return self._own[end] - self._own[start], self._own_kept[end] - self._own_kept[start]

    def watch(self, mask: Mask) -> None:
        """Count only these leaves from now on."""
        self._words = _prefix_sums(self.page.words * mask)
        self._hits = _prefix_sums(self.page.hits * mask)

    def change(self, locator: Locator) -> tuple[float, float]:
        """Return the watched words and hits under a locator."""
        words, hits = 0.0, 0.0
        for start, end in self.page.spans(locator):
            words += self._words[end] - self._words[start]
            hits += self._hits[end] - self._hits[start]
        return words, hits

    def add(self, locator: Locator) -> None:
        """Select what a locator matches, then watch what is left outside."""
        self._mark(locator, selected=True)
        self.watch(~self.mask)

    def strip(self, locator: Locator) -> None:
        """Strip what a locator matches, then watch what is left inside."""
        self._mark(locator, selected=False)
        self.watch(self.mask)

    def f1_with(self, words: float, hits: float) -> float:
        """Return the expected F1 with so many more words and hits selected."""
        return f1_of(self.selected + words, self.hits + hits, self.page.total)

    def _mark(self, locator: Locator, *, selected: bool) -> None:
        words, hits = self.change(locator)
        sign = 1 if selected else -1
        self.selected += sign * words
        self.hits += sign * hits
        for start, end in self.page.spans(locator):
            self.mask[start:end] = selected


def _prefix_sums(values: Floats) -> list[float]:
    sums: list[float] = np.concatenate(([0.0], np.cumsum(values))).tolist()
    return sums


def _span_sum(sums: list[float], spans: Spans) -> float:
    total = 0.0
    for start, end in spans:
        total += sums[end] - sums[start]
    return total
