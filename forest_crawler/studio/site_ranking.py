"""Why a site's wrapper has this body: the ranking of all candidates on the held pages.

A job: it parses pages of strangers, and induces a wrapper from them as a crawl does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forest_crawler.errors import SampleError
from forest_crawler.feed.entry_codec import EntryValues, decode_entry
from forest_crawler.induction import DEFAULT_METHOD, SamplePage, explain_induction
from forest_crawler.induction.method import Induction
from forest_crawler.studio.demo.records import RankedRow
from forest_crawler.studio.effects import PageSource, parse_source
from forest_crawler.wrapper.locators import write_css
from forest_crawler.wrapper.wrapper import Wrapper

MAX_ROWS = 25


@dataclass(frozen=True, slots=True)
class SiteRanking:
    """The candidates for the body of one template, the best first."""

    rows: tuple[RankedRow, ...]
    total: int
    pages: int  # of the sample


def rank_site(
    site: str, pages: Sequence[tuple[PageSource, EntryValues | None]], used: Wrapper | None
) -> SiteRanking:
    """Rank the candidates for the body on the held pages, beginning with the wrapper in use."""
    sample = [
        SamplePage(tree, decode_entry(entry, link=page.url) if entry else None)
        for page, entry in pages
        if (tree := parse_source(page)) is not None
    ]
    try:
        induction = explain_induction(sample, site=site, method=DEFAULT_METHOD)
    except SampleError:
        return SiteRanking((), 0, len(sample))
    rows = rank_rows(induction, used)
    shown = [row for number, row in enumerate(rows) if number < MAX_ROWS or row.is_taken]
    return SiteRanking(tuple(shown), len(rows), len(sample))


def rank_rows(induction: Induction, used: Wrapper | None) -> tuple[RankedRow, ...]:
    """Return the ranked candidates of the template whose body the used wrapper has."""
    pairs = list(zip(induction.fits, induction.wrappers, strict=True))
    fits = [fit for fit, wrapper in pairs if used and wrapper.body[0] == used.body[0]]
    fit = next(iter(fits or induction.fits), None)
    return tuple(
        RankedRow(
            pattern=write_css(row.ranked.locator),
            is_taken=fit is not None and row is fit.taken,
            pages=row.ranked.pages,
            level=row.ranked.level,
            j=row.ranked.j,
            u=row.ranked.u,
            relevance=row.ranked.relevance,
        )
        for row in (fit.candidates if fit else ())
    )
