"""The Forest ranker over portable patterns: R = Σ I · p · level for each locator.

A structural pattern of `forest` is a locator: what it names are elements of one type. On each
sample page that has them, x signifiers and y other terms under them give I = J · U; p is the
number of these pages, and the level is that of the first such element, averaged over the pages.

The paper takes one element per page to represent a pattern. A wrapper selects all elements that
its locator matches, so here x and y are sums over them: an article whose paragraphs are siblings
is as informative as one in a single box.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from forest_crawler.induction.informativeness import signifier_density, unexpectedness
from forest_crawler.induction.scored_page import Occurrence, ScoredPage
from forest_crawler.wrapper.locators import Locator

Measure = Literal["JU", "J", "U"]


@dataclass(frozen=True, slots=True)
class RankerOptions:
    """What relevance is made of; the defaults are the paper's."""

    measure: Measure = "JU"
    level_factor: bool = True
    frequency_factor: bool = True


@dataclass(frozen=True, slots=True)
class RankedLocator:
    """A locator with its relevance R, and the figures that make it.

    `x`, `y` and `informativeness` are sums over the `pages` that have it, `j` and `u` means.
    """

    locator: Locator
    x: int
    y: int
    j: float
    u: float
    informativeness: float
    pages: int
    level: float
    relevance: float


def rank_locators(
    locators: Iterable[Locator],
    pages: Sequence[ScoredPage],
    options: RankerOptions | None = None,
    found: Mapping[Locator, Sequence[Occurrence | None]] | None = None,
) -> list[RankedLocator]:
    """Rank locators by relevance, the best first; ties by depth, then by spelling.

    `found` has what each selects on each page, if that is known already.
    """
    options = options or RankerOptions()
    found = found or {it: [page.rate(it) for page in pages] for it in locators}
    ranked = [_rank(locator, row, pages, options) for locator, row in found.items()]
    return sorted(ranked, key=lambda it: (-it.relevance, -it.level, it.locator))


def _rank(
    locator: Locator,
    found: Sequence[Occurrence | None],
    pages: Sequence[ScoredPage],
    options: RankerOptions,
) -> RankedLocator:
    pairs = zip(found, pages, strict=True)
    rows = [_rate(occurrence, page, options.measure) for occurrence, page in pairs if occurrence]
    if not rows:
        return RankedLocator(locator, 0, 0, 0.0, 0.0, 0.0, 0, 0.0, 0.0)
    p = len(rows)
    xs, ys, js, us, scores, levels = zip(*rows, strict=True)
    level = sum(levels) / p
    # fsum: the same to the last bit in whatever order the pages come.
    informativeness = fsum(scores)
    relevance = informativeness
    relevance *= p if options.frequency_factor else 1
    relevance *= level if options.level_factor else 1
    return RankedLocator(
        locator, sum(xs), sum(ys), fsum(js) / p, fsum(us) / p, informativeness, p, level, relevance
    )


def _rate(
    found: Occurrence, page: ScoredPage, measure: Measure
) -> tuple[int, int, float, float, float, int]:
    """Return x, y, J, U, the score and the level on a page."""
    x, terms, level = found
    page_x, page_terms = page.signifier_total, page.term_total
    j = signifier_density(x, terms - x)
    u = unexpectedness(x, terms - x, page_x, page_terms - page_x)
    score = {"JU": j * u, "J": j, "U": u}[measure]
    return x, terms - x, j, u, score, level
