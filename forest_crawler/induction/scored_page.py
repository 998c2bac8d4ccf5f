"""`ScoredPage`: a sample page as the ranker and the fitting see it, leaf by leaf."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from forest_crawler.page.kept_parts import KEPT_TAGS, is_quote_class, mark_kept_leaves
from forest_crawler.page.pictures import FIGURE, IMAGE_TAGS
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.locators import Locator
from forest_crawler.wrapper.site_names import Kind

Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Spans: TypeAlias = tuple[tuple[int, int], ...]
KEPT_CONTENT = 0.88
"""Probability that own text of a caption, a quotation or code inside a body is content: seven to
one, as for any block that a wrapper selects."""

_NUMBER = re.compile("[0-9]+")


class Locators(Protocol):
    """What selects leaves: locators of the body, and of what inside it is not content."""

    @property
    def body(self) -> tuple[Locator, ...]: ...

    @property
    def strip(self) -> tuple[Locator, ...]: ...


@dataclass(frozen=True, slots=True, eq=False)
class LeafEvidence:
    """What is known about a page's text leaves, from the page model and its siblings."""

    content: Floats  # the probability that each is content
    repeated: Mask  # whether its block is template: the same text at the same position elsewhere
    bounds: Sequence[int]  # block b holds the leaves bounds[b] to bounds[b + 1]
    alone: Mask  # whether the page model by itself takes it for content
    by_page: Floats  # the page model's own probability

    @classmethod
    def of_leaves(cls, content: Floats, repeated: Mask | None = None) -> LeafEvidence:
        """Return the evidence on leaves that are a block each, by default all of them unique."""
        unique = np.zeros(len(content), dtype=np.bool_)
        again = unique if repeated is None else repeated
        return cls(content, again, range(len(content) + 1), content >= 0.5, content)


class Occurrence(NamedTuple):
    """What a locator selects on a page, as the ranker sees it."""

    x: int  # signifiers
    terms: int  # all, signifiers included
    level: int  # of the first element


class ScoredPage:
    """A page with what is known about each of its text leaves.

    For each leaf its words, its evidence, and how many of its terms are signifiers of the page.
    """

    def __init__(
        self,
        names: PageNames,
        words: Floats,
        evidence: LeafEvidence,
        signifiers: Sequence[int] | None = None,
        terms: Sequence[int] | None = None,
    ) -> None:
        self.names = names
        self.words = words
        self.content = evidence.content
        self.repeated = evidence.repeated
        self.alone = evidence.alone
        self.by_page = evidence.by_page
        self._bounds = evidence.bounds
        self.leaf_signifiers = np.array(signifiers or [0] * len(words), dtype=np.float64)
        self.signifiers_before = prefix_sums(self.leaf_signifiers)
        self.terms_before = prefix_sums(np.array(terms or [0] * len(words), dtype=np.float64))
        self.hits: Floats = words * evidence.content
        self.total = float(self.hits.sum())
        self.leaf_starts = np.array(names.outline.leaf_starts, dtype=np.int64)
        self.leaf_ends = np.array(names.outline.leaf_ends, dtype=np.int64)
        self._elements: dict[Locator, Sequence[int]] = {}
        self._spans: dict[Locator, Spans] = {}

    def elements(self, locator: Locator) -> Sequence[int]:
        """The elements that a locator selects, without those inside another one."""
        found = self._elements.get(locator)
        if found is None:
            found = self._elements[locator] = self.names.outermost(locator)
        return found

    def spans(self, locator: Locator) -> Spans:
        """The leaves that a locator selects, as disjoint ranges."""
        found = self._spans.get(locator)
        if found is None:
            starts, ends = self.names.outline.leaf_starts, self.names.outline.leaf_ends
            spans = [(starts[i], ends[i]) for i in self.elements(locator)]
            found = self._spans[locator] = tuple(spans)
        return found

    def remember(self, locator: Locator, elements: Sequence[int], spans: Spans) -> None:
        """Keep the elements and leaves that a locator selects."""
        self._elements[locator] = elements
        self._spans[locator] = spans

    @property
    def signifier_total(self) -> int:
        """The number of signifiers on the page (the paper's X)."""
        return int(self.signifiers_before[-1])

    @property
    def term_total(self) -> int:
        """The number of terms on the page (the paper's X + Y)."""
        return int(self.terms_before[-1])

    def rate(self, locator: Locator) -> Occurrence | None:
        """Count the signifiers, and all terms, under what a locator selects; `None` if nothing."""
        elements = self.elements(locator)
        if not elements:
            return None
        spans = self.spans(locator)
        x, terms = (
            int(sum(before[end] - before[start] for start, end in spans))
            for before in (self.signifiers_before, self.terms_before)
        )
        return Occurrence(x, terms, self.names.outline.levels[elements[0]])

    def mask(self, fit: Locators) -> Mask:
        """The leaves that a fit selects."""
        selected = np.zeros(len(self.words), dtype=np.bool_)
        for locators, value in ((fit.body, True), (fit.strip, False)):
            for locator in locators:
                for start, end in self.spans(locator):
                    selected[start:end] = value
        return selected

    @cached_property
    def is_kept_part(self) -> Mask:
        """The leaves in pictures' captions, quotations and code."""
        names = self.names
        parts = (names.of_kind(it) for it in (_is_quote, _is_kept_part, _is_link))
        kept = mark_kept_leaves(names.outline, *parts)
        return np.array(kept, dtype=np.bool_)

    @cached_property
    def is_linked(self) -> Mask:
        """The leaves in links."""
        outline = self.names.outline
        linked = np.zeros(len(self.words), dtype=np.bool_)
        for index in self.names.of_kind(_is_link):
            linked[outline.leaf_starts[index] : outline.leaf_ends[index]] = True
        return linked

    @cached_property
    def pictures(self) -> list[tuple[int, int]]:
        """The pictures in figures, each with its figure."""
        ends, tags, found = self.names.outline.ends, self.names.tags, []
        figure, end = -1, -1
        for index in self.names.of_kind(_is_picture):
            if tags[index] != FIGURE and index < end:
                found.append((index, figure))
            elif tags[index] == FIGURE and index >= end:
                figure, end = index, ends[index]
        return found

    @cached_property
    def id_forms(self) -> Counter[tuple[str, str]]:
        """How many elements of a tag have an id that differs by its numbers only."""
        elements = enumerate(self.names.outline.elements)
        ids = ((self.names.tags[i], element.get("id")) for i, element in elements)
        return Counter((tag, numberless(value)) for tag, value in ids if value)

    def has_hole(self, mask: Mask, start: int, end: int) -> bool:
        """Whether removing these leaves would leave words of a block before and after them."""
        if start == end:
            return False
        block = bisect_right(self._bounds, start) - 1
        first, last = self._bounds[block], self._bounds[block + 1]
        return (
            end < last
            and bool((self.words[first:start] * mask[first:start]).any())
            and bool((self.words[end:last] * mask[end:last]).any())
        )

    def expected_f1(self, mask: Mask) -> float:
        """The expected F1 of selecting these leaves."""
        return f1_of(float(self.words[mask].sum()), float(self.hits[mask].sum()), self.total)

    def sure_f1(self, mask: Mask) -> float:
        """The expected F1 of these leaves, given that own text in kept parts belongs to them.

        The page model rates captions, quotations and code low, but inside a body they are kept; so
        its doubts are no reason to doubt a wrapper.
        """
        kept = mask & self.is_kept_part & ~self.repeated
        hits = np.where(kept, np.maximum(self.hits, KEPT_CONTENT * self.words), self.hits)
        return f1_of(float(self.words[mask].sum()), float(hits[mask].sum()), float(hits.sum()))

    def per_element(self, values: Floats) -> Floats:
        """The sum of leaf values under each element."""
        sums = prefix_sums(values)
        totals: Floats = sums[self.leaf_ends] - sums[self.leaf_starts]
        return totals


def prefix_sums(values: Floats) -> Floats:
    """Return the sum of the values before each one, and of all."""
    return np.concatenate(([0.0], np.cumsum(values)))


def numberless(name: str) -> str:
    """Return a name without its numbers.

    >>> numberless("p_40")
    'p_'
    """
    return _NUMBER.sub("", name)


def f1_of(selected: float, hits: float, total: float) -> float:
    """Return the expected F1 of a selection: its words, its hits, and all hits of the page."""
    return 2 * hits / (selected + total) if selected + total > 0 else 0.0


def _is_quote(kind: Kind) -> bool:
    return is_quote_class(kind.class_)


def _is_kept_part(kind: Kind) -> bool:
    return kind.tag in KEPT_TAGS


def _is_picture(kind: Kind) -> bool:
    return kind.tag == FIGURE or kind.tag in IMAGE_TAGS


def _is_link(kind: Kind) -> bool:
    return kind.tag == "a"
