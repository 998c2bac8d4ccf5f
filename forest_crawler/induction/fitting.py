"""Refine the ranker's candidates: one body, further parts, and rules for what to strip.

Every text leaf of a sample page has its words and a probability of being content, from the page
model and from what its siblings repeat. A set of locators is good if it selects most of what is
probably content and little else, on all pages of the sample: the mean over pages of

    expected F1 = 2 · Σ words · probability of the selected leaves
                  / (Σ words of the selected leaves + Σ words · probability of all leaves)

Three greedy passes: the body, chosen by expected F1 among the best patterns by relevance R;
further parts outside it (title, lead, sibling containers); strip rules for what inside them is
not content.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from math import fsum
from operator import itemgetter
from typing import TypeAlias, TypeVar

import numpy as np

from forest_crawler.induction.ranking import RankedLocator, RankerOptions, rank_locators
from forest_crawler.induction.sample_leaves import SampleLeaves, SelectedLeaves
from forest_crawler.induction.scored_page import Floats, Mask, ScoredPage
from forest_crawler.induction.strip_rules import StripRule, explain_strip, may_strip, strip_cost
from forest_crawler.induction.tally import BodySums, Changes, Tally, mean_f1
from forest_crawler.wrapper.element_names import MAX_ANCESTORS, is_loose, locator_cost
from forest_crawler.wrapper.locators import Locator, Step
from forest_crawler.wrapper.name_tree import NameTree

MAX_CANDIDATES = 10
"""Containers, the best by relevance, that are compared by expected F1, and as many patterns of
bare text tags. One is nearly as good, and all are no better; the curve is in
docs/explanation/evaluation.md."""


@dataclass(frozen=True, slots=True)
class FittingOptions:
    """What a fit weighs; each constant's curve is in docs/explanation/evaluation.md."""

    ranker: RankerOptions = field(default_factory=RankerOptions)
    max_candidates: int | None = MAX_CANDIDATES  # all, without a ranker, if None
    kept_from: float = 0.4  # a leaf counts as strippable below this probability
    # A body is rated as it is once stripped ideally, and in this share as it is unstripped: strip
    # rules are learnt from few pages, and a body that needs few carries further.
    unstripped_share: float = 0.7
    body_share: float = 0.25  # a body holds at least so much of a page's content
    part_gain: float = 0.002  # expected F1 that a further part must bring
    strip_gain: float = 0.0005  # expected F1 that a strip rule must bring
    strip_purity: float = 0.6  # share of what a strip rule takes that is not content
    max_parts: int = 4
    max_strips: int = 15
    cost_weight: float = 0.001  # of a locator's cost against expected F1
    # Later pages have lists and quotes where the sample had paragraphs only: a container takes
    # them along, `//div[@id='story']//p` does not. Expected F1 that such a body must gain by it.
    bare_body_gain: float = 0.1
    # And that `//body` or `//div[@id='page']//div` must gain: the whole page less its boxes.
    loose_body_gain: float = 0.02
    max_container_loss: float = 0.1  # expected F1 that a container may lose against them
    bare_strip_gain: float = 0.003  # and that a strip rule such as `…/p` must bring on top
    named_strips: bool = True  # a strip rule says what it strips; see `strip_rules`


DEFAULTS = FittingOptions()
Selected = TypeVar("Selected", bound=Hashable)
Rated: TypeAlias = tuple[float, Locator]
"""A locator with its cost before it."""
_PURE = 0.6  # an element is tried as a part from this share of content in it
_IMPURE = 0.75  # and as something to strip from this share of other text
# Elements of a page that are tried in a pass, the largest ones: real pages have fewer, and each
# costs its names times the page.
_MAX_TRIED = 150
# Pieces of text that articles are made of: which ones differs from article to article.
_TEXT_TAGS = frozenset(
    "a b blockquote dd dl dt em font h2 h3 h4 h5 h6 i li ol p span strong td tr ul".split()
)
_NEAR = 4  # levels of ancestors that may name a part or a strip rule
_SMALL_COST_WEIGHT = 0.25  # of cost_weight: parts and strips are optional, and gain little each


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pattern that could be the body: its relevance, and its expected F1 on the sample."""

    ranked: RankedLocator
    expected_f1: float  # as rated: stripped and unstripped, less what its locator costs


@dataclass(frozen=True, slots=True)
class Fit:
    """Locators of one template: what is content, and what inside it is not."""

    body: tuple[Locator, ...]
    strip: tuple[Locator, ...] = ()
    candidates: tuple[Candidate, ...] = field(default=(), compare=False)  # by relevance
    strip_rules: tuple[StripRule, ...] = field(default=(), compare=False)

    @property
    def taken(self) -> Candidate | None:
        """The candidate that is the body."""
        return next((it for it in self.candidates if it.ranked.locator == self.body[0]), None)


class Fitter:
    """Fits locators to sample pages that share their names."""

    def __init__(
        self,
        pages: Sequence[ScoredPage],
        options: FittingOptions = DEFAULTS,
        names: NameTree | None = None,
    ) -> None:
        self.options = options
        min_pages = min(2, len(pages))
        self._names = names or NameTree([page.names for page in pages], min_pages)
        self._known_leaves: dict[tuple[ScoredPage, ...], SampleLeaves] = {}

    def fit(self, pages: Sequence[ScoredPage]) -> Fit | None:
        """Return the best fit to some of the pages; `None` if nothing on them is content."""
        candidates = self.find_candidates(pages)
        best = _best_of(candidates)
        if best is None or best.expected_f1 <= 0:
            return None
        fit = self._refine(best, candidates, pages)
        if not _ends_bare(best.ranked.locator):
            return fit
        # A container full of other things may still be the better body, once it is stripped.
        container = _best_of([it for it in candidates if not _ends_bare(it.ranked.locator)])
        if container is None or container.expected_f1 <= 0:
            return fit
        stripped = self._refine(container, candidates, pages)
        loss = _mean_f1(fit, pages) - _mean_f1(stripped, pages)
        return stripped if loss <= self.options.max_container_loss else fit

    def _refine(
        self, body: Candidate, candidates: Sequence[Candidate], pages: Sequence[ScoredPage]
    ) -> Fit:
        """Add further parts and strip rules to a body."""
        locator = body.ranked.locator
        having = [page for page in pages if page.spans(locator)]
        bodies = self._add_parts((locator,), having)
        rules = self._find_strips(bodies, having)
        strip = tuple(rule.locator for rule in rules)
        self._leaves(pages).find((*bodies[1:], *strip))
        return Fit(bodies, strip, tuple(candidates), tuple(rules))

    def find_candidates(self, pages: Sequence[ScoredPage]) -> list[Candidate]:
        """Return the most relevant patterns, each with its expected F1."""
        leaves = self._leaves(pages)
        patterns = self._distinct(self._find_patterns(pages), leaves)
        found = dict(zip(patterns, leaves.rate(list(patterns.values())), strict=True))
        ranked = rank_locators(patterns, pages, self.options.ranker, found)
        # Where no signifier is under any pattern, relevance cannot choose.
        if self.options.max_candidates is not None and ranked and ranked[0].relevance > 0:
            ranked = _most_relevant(ranked, self.options.max_candidates)
        for row in ranked:
            leaves.remember(row.locator, patterns[row.locator])
        sums = [BodySums(page, self.options.kept_from) for page in pages]
        return [Candidate(row, self._rate_body(row.locator, sums)) for row in ranked]

    def _find_patterns(self, pages: Sequence[ScoredPage]) -> set[Locator]:
        """Name, in every way, the elements that hold a good part of a page's content."""
        nodes: set[int] = set()
        for page in pages:
            held = page.per_element(page.hits)
            min_held = max(self.options.body_share * page.total, 1e-9)
            nodes |= self._nodes(page, _largest(held, held >= min_held))
        named = self._name_all(nodes, MAX_ANCESTORS)
        # An article's paragraphs may be siblings of other things.
        return named | {(*it, Step("/", "p")) for it in named if len(it) <= 2}

    def _rate_body(self, locator: Locator, pages: Sequence[BodySums]) -> float:
        """Return the mean expected F1 of a body, stripped ideally and unstripped."""
        share = self.options.unstripped_share
        f1s = (
            share * page.f1_whole(locator) + (1 - share) * page.f1_stripped(locator)
            for page in pages
        )
        cost = self.options.cost_weight * locator_cost(locator)
        cost += self.options.bare_body_gain * _ends_bare(locator)
        cost += self.options.loose_body_gain * is_loose(locator)
        return sum(f1s) / len(pages) - cost

    def _add_parts(
        self, bodies: tuple[Locator, ...], pages: Sequence[ScoredPage]
    ) -> tuple[Locator, ...]:
        """Add locators of content outside the body, as long as they pay."""
        leaves = self._leaves(pages)
        tallies = [self._tally(page, bodies) for page in pages]
        for _ in range(self.options.max_parts):
            nodes: set[int] = set()
            for tally in tallies:
                outside = tally.page.per_element(tally.page.hits * ~tally.mask)
                words = tally.page.per_element(tally.page.words * ~tally.mask)
                likely = _largest(words, (outside >= 2) & (outside >= _PURE * words))
                nodes |= self._nodes(tally.page, self._own_named(tally.page, likely))
            distinct = self._distinct(self._name_all(nodes, _NEAR), leaves)
            least = mean_f1(tallies) + self.options.part_gain
            best = self._best_change(Changes(distinct, tallies), sign=1)
            if best is None or best[0] < least:
                break
            bodies = (*bodies, best[1])
            leaves.remember(best[1], distinct[best[1]])
            for tally in tallies:
                tally.add(best[1])
        return bodies

    def _tally(self, page: ScoredPage, bodies: tuple[Locator, ...]) -> Tally:
        mask = page.mask(Fit(bodies))
        kept = mask & (page.content >= self.options.kept_from)
        return Tally(page, mask, float(page.words[kept].sum()), float(page.hits[kept].sum()))

    def _find_strips(
        self, bodies: tuple[Locator, ...], pages: Sequence[ScoredPage]
    ) -> list[StripRule]:
        """Find rules for what is not content inside the bodies, as long as they pay."""
        tallies = []
        nodes: set[int] = set()
        for page in pages:
            mask = page.mask(Fit(bodies))
            tally = Tally(page, mask, float(page.words[mask].sum()), float(page.hits[mask].sum()))
            tally.watch(mask)
            tallies.append(tally)
            words = page.per_element(page.words * mask)
            other = words - page.per_element(page.hits * mask)
            likely = _largest(words, (words >= 1) & (other >= _IMPURE * words))
            nodes |= self._nodes(page, self._own_named(page, likely))
        rules: list[StripRule] = []
        changes = self._strippable(nodes, tallies)
        while len(rules) < self.options.max_strips:
            before = mean_f1(tallies)
            best = self._best_change(changes, sign=-1)
            if best is None or best[0] < before + self.options.strip_gain:
                break
            rules.append(explain_strip(best[1], best[0] - before, tallies))
            for tally in tallies:
                tally.strip(best[1])
        return rules

    def _strippable(self, nodes: Iterable[int], tallies: Sequence[Tally]) -> Changes:
        """Return the locators that may strip nodes, and take little else with them."""
        leaves = self._leaves([tally.page for tally in tallies])
        cost = strip_cost if self.options.named_strips else locator_cost
        candidates = self._distinct(self._name_all(nodes, _NEAR), leaves, cost)
        changes = Changes(candidates, tallies)
        rows = zip(changes.locators, changes.words().tolist(), changes.hits().tolist(), strict=True)
        max_hits = 1 - self.options.strip_purity
        pure = [locator for locator, words, hits in rows if sum(hits) <= max_hits * sum(words)]
        for locator in pure:
            leaves.remember(locator, candidates[locator])
        if self.options.named_strips:
            pure = [locator for locator in pure if may_strip(locator, tallies)]
        return changes.only(pure)

    def _best_change(self, changes: Changes, *, sign: int) -> tuple[float, Locator] | None:
        """Return the mean expected F1, less its cost, of the best change, and its locator."""
        weight = self.options.cost_weight * _SMALL_COST_WEIGHT
        bare_cost = self.options.bare_strip_gain if sign < 0 else 0.0
        rows = zip(changes.rate(sign), changes.locators, strict=True)
        return max(
            (
                (f1 - (weight * locator_cost(it) + bare_cost * _ends_bare(it)), it)
                for f1, it in rows
            ),
            default=None,
        )

    def _own_named(self, page: ScoredPage, indices: Iterable[int]) -> list[int]:
        """Keep the elements that are worth naming: nested ones only if they have own names."""
        found: list[int] = []
        end = -1
        for index in indices:
            if index >= end:
                end = page.names.outline.ends[index]
            elif not page.names.tests[index]:
                continue
            found.append(index)
        return found

    def _leaves(self, pages: Sequence[ScoredPage]) -> SampleLeaves:
        """Return the leaves of some pages, made once."""
        key = tuple(pages)
        if key not in self._known_leaves:
            self._known_leaves[key] = SampleLeaves(self._names, pages)
        return self._known_leaves[key]

    def _nodes(self, page: ScoredPage, indices: Sequence[int]) -> set[int]:
        return self._names.nodes(page.names, indices)

    def _name_all(self, nodes: Iterable[int], max_ancestors: int) -> set[Locator]:
        return {name for node in nodes for name in self._names.name(node, max_ancestors)}

    def _distinct(
        self,
        locators: Iterable[Locator],
        leaves: SampleLeaves,
        cost: Callable[[Locator], float] = locator_cost,
    ) -> dict[Locator, SelectedLeaves]:
        """Keep, of locators that select the same leaves on all pages, the most reliable one."""
        names = self._names
        rated = ((cost(it), it) for it in locators)
        by_bits = _cheapest((names.select(row[1]), row) for row in rated)
        by_nodes = _cheapest((names.keep_outermost(bits), row) for bits, row in by_bits.items())
        selected = {row: leaves.select(nodes) for nodes, row in by_nodes.items()}
        by_leaves = _cheapest((found.key, row) for row, found in selected.items())
        kept = sorted(by_leaves.values(), key=itemgetter(1))
        return {row[1]: selected[row] for row in kept}


def _best_of(candidates: Sequence[Candidate]) -> Candidate | None:
    return max(candidates, key=lambda it: (it.expected_f1, it.ranked.locator), default=None)


def _mean_f1(fit: Fit, pages: Sequence[ScoredPage]) -> float:
    return fsum(page.expected_f1(page.mask(fit)) for page in pages) / len(pages)


def _most_relevant(ranked: Sequence[RankedLocator], number: int) -> list[RankedLocator]:
    """Keep the best containers and the best patterns of bare text tags, so many of each.

    The level makes an article's paragraphs more relevant than the element that holds them, and
    there are many ways to name them: among all patterns, containers would not be compared.
    """
    bare = [_ends_bare(row.locator) for row in ranked]
    ranks = {True: 0, False: 0}
    kept = []
    for row, is_bare in zip(ranked, bare, strict=True):
        ranks[is_bare] += 1
        if ranks[is_bare] <= number:
            kept.append(row)
    return kept


def _ends_bare(locator: Locator) -> bool:
    """Whether a locator says of its elements only that they are some piece of text."""
    last = locator[-1]
    return not last.tests and last.tag in _TEXT_TAGS


def _largest(sizes: Floats, wanted: Mask) -> list[int]:
    """Return the largest wanted elements in document order; of equal ones the innermost."""
    found = np.flatnonzero(wanted)
    if len(found) > _MAX_TRIED:
        order = np.lexsort((-found, -sizes[found]))
        found = np.sort(found[order[:_MAX_TRIED]])
    indices: list[int] = found.tolist()
    return indices


def _cheapest(rows: Iterable[tuple[Selected, Rated]]) -> dict[Selected, Rated]:
    """Return, for each selection, the most reliable of its locators."""
    best: dict[Selected, Rated] = {}
    for selection, rated in rows:
        known = best.get(selection)
        if known is None or rated < known:
            best[selection] = rated
    return best
