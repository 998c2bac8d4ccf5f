"""Rank structural patterns by relevance R, or by Coverage (sections 3.3 to 3.5).

Fourth stage of the published method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Literal

from forest_crawler.induction.informativeness import signifier_density, unexpectedness
from forest_crawler.induction.paper.patterns import Occurrence, StructuralPattern
from forest_crawler.induction.significant_paths import SignificantPage

Measure = Literal["JU", "J", "U", "coverage"]


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """The variants that the paper measures; the defaults are its own method."""

    measure: Measure = "JU"
    level_factor: bool = True
    frequency_factor: bool = True


@dataclass(frozen=True, slots=True)
class RatedOccurrence:
    """The element that represents a pattern on one page, with its informativeness."""

    occurrence: Occurrence
    j: float
    u: float
    score: float  # I = J · U, or the measure of the options


@dataclass(frozen=True, slots=True)
class RankedPattern:
    """A structural pattern with its relevance R and its best occurrence on each page."""

    pattern: StructuralPattern
    relevance: float
    occurrences: tuple[RatedOccurrence, ...] = field(repr=False)

    @property
    def pages(self) -> int:
        """Number of sample pages that have the pattern (the paper's p)."""
        return len(self.occurrences)


def rank_patterns(
    patterns: Mapping[StructuralPattern, Sequence[Occurrence]],
    pages: Sequence[SignificantPage],
    options: RankingOptions | None = None,
) -> list[RankedPattern]:
    """Rank patterns by relevance R, best first; ties by depth, then spelling."""
    options = options or RankingOptions()
    rate = _rater(pages, options.measure)
    ranked = [
        _rank(pattern, occurrences, rate, options) for pattern, occurrences in patterns.items()
    ]
    return sorted(ranked, key=lambda r: (-r.relevance, -r.pattern.level, _spelling(r.pattern)))


Rate = Callable[[Occurrence], RatedOccurrence]


def _rater(pages: Sequence[SignificantPage], measure: Measure) -> Rate:
    totals = [(page.x, page.y, len(page.signifiers)) for page in pages]

    def rate(occurrence: Occurrence) -> RatedOccurrence:
        page_x, page_y, signifiers = totals[occurrence.page]
        j = signifier_density(occurrence.x, occurrence.y)
        u = unexpectedness(occurrence.x, occurrence.y, page_x, page_y)
        scores = {"JU": j * u, "J": j, "U": u, "coverage": occurrence.covered / signifiers}
        return RatedOccurrence(occurrence, j, u, scores[measure])

    return rate


def _rank(
    pattern: StructuralPattern,
    occurrences: Sequence[Occurrence],
    rate: Rate,
    options: RankingOptions,
) -> RankedPattern:
    # A page may have several elements of a pattern; the paper does not say how to rate them. Only
    # the most informative one counts: p stays a number of pages, and a pattern does not win by
    # being frequent on a page (list items). Ties go to the first in the document.
    best: dict[int, RatedOccurrence] = {}
    for rated in map(rate, occurrences):
        page = rated.occurrence.page
        if page not in best or rated.score > best[page].score:
            best[page] = rated
    # fsum: the order of pages does not change the last bit.
    relevance = fsum(rated.score for rated in best.values())
    if options.frequency_factor:
        relevance *= len(best)
    if options.level_factor:
        relevance *= pattern.level
    return RankedPattern(pattern, relevance, tuple(best.values()))


def _spelling(pattern: StructuralPattern) -> tuple[str, tuple[tuple[str, str], ...], int]:
    return (pattern.type.tag, pattern.type.attributes, pattern.type.dfs or 0)
