"""Fit portable locators to evidence: which of them select what is content, and only that?

Every text leaf of a sample page comes with its words and a probability of being content. A set of
locators is good where it selects most of what is probably content and little else, on all pages of
the sample: the mean over pages of the expected F1,

    2 · Σ words · probability over what is selected / (Σ words selected + Σ words · probability)

Three greedy passes: the one body that can be cleaned best, further parts outside it (title, lead,
sibling containers), and strip rules for what inside them is not content.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forest_crawler.wrapper.element_names import PageNames, locator_cost, name_element, shared_tests
from forest_crawler.wrapper.locators import Locator, Step, Test

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class FittingOptions:
    """What a fit weighs; each constant's curve is in docs/explanation/evaluation.md."""

    kept_from: float = 0.4  # a leaf counts as strippable below this probability
    # A body is rated by what it is once stripped ideally, and in this share by what it is as it
    # stands: strip rules are learnt from few pages, and a body that needs few carries further.
    unstripped_share: float = 0.7
    body_share: float = 0.25  # a body holds at least so much of a page's content
    part_gain: float = 0.002  # expected F1 that a further part must bring
    strip_gain: float = 0.0005  # expected F1 that a strip rule must bring
    strip_purity: float = 0.6  # share of what a strip rule takes that is not content
    most_parts: int = 4
    most_strips: int = 15
    cost_weight: float = 0.001  # of a locator's cost against expected F1
    # A further page has lists and quotes where the sample had paragraphs only: a container takes
    # them along, `//div[@id='story']//p` does not. Expected F1 that such a body must gain by it.
    bare_body_gain: float = 0.05
    bare_strip_gain: float = 0.003  # and that a strip rule such as `…/p` must bring on top


DEFAULTS = FittingOptions()
_PURE = 0.6  # an element is tried as a part from this share of content in it
_IMPURE = 0.75  # and as something to strip from this share of other text
# Elements of a page that are tried in a pass, the largest ones: real pages have fewer, and each
# costs its names times the page.
_MAX_TRIED = 150
# Pieces of text that articles are made of, now of these, now of those.
_TEXT_TAGS = frozenset(
    "a b blockquote dd dl dt em font h2 h3 h4 h5 h6 i li ol p span strong td tr ul".split()
)
_NEAR = 4  # levels of ancestors that may name a part or a strip rule
_SMALL_COST_WEIGHT = 0.25  # of cost_weight: parts and strips are optional, and gain little each


@dataclass(frozen=True, slots=True)
class Fit:
    """Locators of one template: what is content, and what inside it is not."""

    body: tuple[Locator, ...]
    strip: tuple[Locator, ...] = ()


class ScoredPage:
    """A page with the evidence for each of its text leaves."""

    def __init__(self, names: PageNames, words: Floats, content: Floats) -> None:
        self.names = names
        self.words = words
        self.content = content
        self.hits: Floats = words * content
        self.total = float(self.hits.sum())
        self._spans: dict[Locator, Spans] = {}
        self._alike: dict[Spans, Spans] = {}

    def spans(self, locator: Locator) -> Spans:
        """The leaves that a locator selects, as disjoint ranges."""
        found = self._spans.get(locator)
        if found is None:
            starts, ends = self.names.outline.leaf_starts, self.names.outline.leaf_ends
            found = tuple([(starts[i], ends[i]) for i in self.names.outermost(locator)])
            # One object for all locators that select the same: they are told apart by identity.
            found = self._spans[locator] = self._alike.setdefault(found, found)
        return found

    def mask(self, fit: Fit) -> Mask:
        """The leaves that a fit selects."""
        selected = np.zeros(len(self.words), dtype=np.bool_)
        for locators, value in ((fit.body, True), (fit.strip, False)):
            for locator in locators:
                for start, end in self.spans(locator):
                    selected[start:end] = value
        return selected

    def expected_f1(self, mask: Mask) -> float:
        """The expected F1 of selecting these leaves."""
        return _f1(float(self.words[mask].sum()), float(self.hits[mask].sum()), self.total)

    def per_element(self, values: Floats) -> Floats:
        """The sum of leaf values under each element."""
        sums = np.concatenate(([0.0], np.cumsum(values)))
        outline = self.names.outline
        totals: Floats = sums[outline.leaf_ends] - sums[outline.leaf_starts]
        return totals


class _BodySums:
    """What a locator selects on a page: all of it, and what is left once it is stripped ideally."""

    def __init__(self, page: ScoredPage, kept_from: float) -> None:
        kept = page.content >= kept_from
        self._page = page
        self._words = _prefix_sums(page.words)
        self._hits = _prefix_sums(page.hits)
        self._kept_words = _prefix_sums(page.words * kept)
        self._kept_hits = _prefix_sums(page.hits * kept)

    def f1_whole(self, locator: Locator) -> float:
        """The expected F1 of everything under a locator."""
        spans = self._page.spans(locator)
        return _f1(_span_sum(self._words, spans), _span_sum(self._hits, spans), self._page.total)

    def f1_stripped(self, locator: Locator) -> float:
        """The expected F1 of what is likely content under it."""
        spans = self._page.spans(locator)
        words, hits = _span_sum(self._kept_words, spans), _span_sum(self._kept_hits, spans)
        return _f1(words, hits, self._page.total)


class _Tally:
    """How much of a page is selected so far, and what a locator would add or take away."""

    def __init__(self, page: ScoredPage, mask: Mask, selected: float, hits: float) -> None:
        self.page = page
        self.mask = mask
        self.selected = selected
        self.hits = hits
        self.look_at(~mask)

    def look_at(self, mask: Mask) -> None:
        """Take the leaves that are of interest from now on."""
        self._words = _prefix_sums(self.page.words * mask)
        self._hits = _prefix_sums(self.page.hits * mask)

    def change(self, locator: Locator) -> tuple[float, float]:
        """Words and hits of interest under a locator."""
        words, hits = 0.0, 0.0
        for start, end in self.page.spans(locator):
            words += self._words[end] - self._words[start]
            hits += self._hits[end] - self._hits[start]
        return words, hits

    def add(self, locator: Locator) -> None:
        """Select what a locator selects, and look at what is left outside."""
        self._settle(locator, selected=True)
        self.look_at(~self.mask)

    def take_away(self, locator: Locator) -> None:
        """Strip what a locator selects, and look at what is left inside."""
        self._settle(locator, selected=False)
        self.look_at(self.mask)

    def _settle(self, locator: Locator, *, selected: bool) -> None:
        words, hits = self.change(locator)
        sign = 1 if selected else -1
        self.selected += sign * words
        self.hits += sign * hits
        for start, end in self.page.spans(locator):
            self.mask[start:end] = selected

    def f1_with(self, words: float, hits: float) -> float:
        return _f1(self.selected + words, self.hits + hits, self.page.total)


class Fitter:
    """Fits locators to sample pages that share their names."""

    def __init__(self, pages: Sequence[ScoredPage], options: FittingOptions = DEFAULTS) -> None:
        self.options = options
        self._shared = shared_tests(page.names for page in pages)
        self._least = min(2, len(pages))
        self._named: dict[tuple[ScoredPage, int, str, tuple[Test, ...]], set[Locator]] = {}

    def fit(self, pages: Sequence[ScoredPage]) -> Fit | None:
        """The best fit to some of the pages; none where nothing on them is likely content."""
        body = self._choose_body(pages)
        if body is None:
            return None
        having = [page for page in pages if page.spans(body)]
        bodies = self._add_parts((body,), having)
        return Fit(bodies, self._find_strips(bodies, having))

    def _choose_body(self, pages: Sequence[ScoredPage]) -> Locator | None:
        candidates: set[Locator] = set()
        for page in pages:
            share = page.per_element(page.hits)
            least = max(self.options.body_share * page.total, 1e-9)
            for index in _largest(share, share >= least):
                found = name_element(page.names, index, self._shared, self._least)
                # An article's paragraphs may lie open among other things.
                candidates |= found | {(*it, Step("/", "p")) for it in found if len(it) <= 2}
        sums = [_BodySums(page, self.options.kept_from) for page in pages]
        rated = ((self._rate_body(it, sums), it) for it in _distinct(candidates, pages))
        best = max(rated, default=None)
        return best[1] if best and best[0] > 0 else None

    def _rate_body(self, locator: Locator, pages: Sequence[_BodySums]) -> float:
        """The mean expected F1 of a body, stripped ideally and as it stands."""
        share = self.options.unstripped_share
        f1s = (
            share * page.f1_whole(locator) + (1 - share) * page.f1_stripped(locator)
            for page in pages
        )
        cost = self.options.cost_weight * locator_cost(locator)
        return sum(f1s) / len(pages) - cost - self.options.bare_body_gain * _ends_bare(locator)

    def _add_parts(
        self, bodies: tuple[Locator, ...], pages: Sequence[ScoredPage]
    ) -> tuple[Locator, ...]:
        """Add locators of content outside the body, as long as they pay."""
        tallies = [self._tally(page, bodies) for page in pages]
        for _ in range(self.options.most_parts):
            candidates: set[Locator] = set()
            for tally in tallies:
                outside = tally.page.per_element(tally.page.hits * ~tally.mask)
                words = tally.page.per_element(tally.page.words * ~tally.mask)
                likely = _largest(words, (outside >= 2) & (outside >= _PURE * words))
                candidates |= self._name_all(tally.page, likely)
            distinct = _distinct(candidates, pages)
            best = self._best_change(distinct, tallies, sign=1, gain=self.options.part_gain)
            if best is None:
                break
            bodies = (*bodies, best)
            for tally in tallies:
                tally.add(best)
        return bodies

    def _tally(self, page: ScoredPage, bodies: tuple[Locator, ...]) -> _Tally:
        mask = page.mask(Fit(bodies))
        kept = mask & (page.content >= self.options.kept_from)
        return _Tally(page, mask, float(page.words[kept].sum()), float(page.hits[kept].sum()))

    def _find_strips(
        self, bodies: tuple[Locator, ...], pages: Sequence[ScoredPage]
    ) -> tuple[Locator, ...]:
        """Find strip rules for what is not content inside the bodies, as long as they pay."""
        tallies = []
        candidates: set[Locator] = set()
        for page in pages:
            mask = page.mask(Fit(bodies))
            tally = _Tally(page, mask, float(page.words[mask].sum()), float(page.hits[mask].sum()))
            tally.look_at(mask)
            tallies.append(tally)
            words = page.per_element(page.words * mask)
            other = words - page.per_element(page.hits * mask)
            likely = _largest(words, (words >= 1) & (other >= _IMPURE * words))
            candidates |= self._name_all(page, likely)
        strips: tuple[Locator, ...] = ()
        pure = self._pure_strips(_distinct(candidates, pages), tallies)
        while len(strips) < self.options.most_strips:
            best = self._best_change(pure, tallies, sign=-1, gain=self.options.strip_gain)
            if best is None:
                break
            strips = (*strips, best)
            for tally in tallies:
                tally.take_away(best)
        return strips

    def _pure_strips(
        self, candidates: Iterable[Locator], tallies: Sequence[_Tally]
    ) -> list[Locator]:
        pure = []
        for locator in candidates:
            changes = [tally.change(locator) for tally in tallies]
            words = sum(change[0] for change in changes)
            if sum(change[1] for change in changes) <= (1 - self.options.strip_purity) * words:
                pure.append(locator)
        return pure

    def _best_change(
        self, candidates: Iterable[Locator], tallies: Sequence[_Tally], *, sign: int, gain: float
    ) -> Locator | None:
        """The candidate that raises the mean expected F1 most, by `gain` at least."""
        weight = self.options.cost_weight * _SMALL_COST_WEIGHT
        bare_cost = self.options.bare_strip_gain if sign < 0 else 0.0
        unchanged = [tally.f1_with(0, 0) for tally in tallies]
        before = sum(unchanged) / len(tallies)
        rated = []
        for locator in candidates:
            after = 0.0
            for tally, f1 in zip(tallies, unchanged, strict=True):
                words, hits = tally.change(locator)
                after += tally.f1_with(sign * words, sign * hits) if words else f1
            cost = weight * locator_cost(locator) + bare_cost * _ends_bare(locator)
            rated.append((after / len(tallies) - cost, locator))
        best = max(rated, default=None)
        return best[1] if best and best[0] >= before + gain else None

    def _name_all(self, page: ScoredPage, indices: Iterable[int]) -> set[Locator]:
        """Locators for elements; those nested in another one only where they have own names."""
        found: set[Locator] = set()
        end = -1
        for index in indices:
            if index >= end:
                end = page.names.outline.ends[index]
            elif not page.names.tests[index]:
                continue
            found |= self._name(page, index)
        return found

    def _name(self, page: ScoredPage, index: int) -> set[Locator]:
        names = page.names
        # Siblings that look alike bear the same names.
        key = (page, names.outline.parents[index], names.tags[index], tuple(names.tests[index]))
        named = self._named.get(key)
        if named is None:
            named = name_element(names, index, self._shared, self._least, _NEAR)
            self._named[key] = named
        return named


def _ends_bare(locator: Locator) -> bool:
    """Whether a locator says of its elements only that they are some piece of text."""
    last = locator[-1]
    return not last.tests and last.tag in _TEXT_TAGS


def _largest(sizes: Floats, wanted: Mask) -> list[int]:
    """The largest of the wanted elements in document order; of equal ones the innermost."""
    found = np.flatnonzero(wanted)
    if len(found) > _MAX_TRIED:
        order = np.lexsort((-found, -sizes[found]))
        found = np.sort(found[order[:_MAX_TRIED]])
    indices: list[int] = found.tolist()
    return indices


def _distinct(locators: Iterable[Locator], pages: Sequence[ScoredPage]) -> list[Locator]:
    """Of locators that select the same leaves on all pages, the one to be relied on most."""
    best: dict[tuple[int, ...], tuple[float, Locator]] = {}
    for locator in locators:
        selects = tuple([id(page.spans(locator)) for page in pages])
        rated = (locator_cost(locator), locator)
        if selects not in best or rated < best[selects]:
            best[selects] = rated
    return sorted(locator for _, locator in best.values())


def _f1(selected: float, hits: float, total: float) -> float:
    return 2 * hits / (selected + total) if selected + total > 0 else 0.0


def _prefix_sums(values: Floats) -> list[float]:
    sums: list[float] = np.concatenate(([0.0], np.cumsum(values))).tolist()
    return sums


def _span_sum(sums: list[float], spans: Spans) -> float:
    total = 0.0
    for start, end in spans:
        total += sums[end] - sums[start]
    return total
