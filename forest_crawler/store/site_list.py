"""Numbers per site, for the list of sites: cheap however many articles there are.

Counts come from covering indexes. What needs the rows of articles is read for the few sites of one
page of the list only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Integer, case, cast, func, select

from forest_crawler.store.records import REMOVED
from forest_crawler.store.schema import articles, fits, frontier, pages, sources, wrappers
from forest_crawler.store.section import StoreSection, chunks
from forest_crawler.urls.hosts import site_of

DAY = 86_400.0

AGREEMENT_ARTICLES = (5, 10, 20)
"""Latest articles per site whose agreement is averaged: the first five, and while none of them was
checked, the next ten and twenty. Of a trusted wrapper's pages one in eight is, so the latest five
have none on every second site, and all 35 on one in a hundred."""


@dataclass(frozen=True, slots=True)
class WrapperCount:
    """A site's wrappers in use, and how many of them are pinned."""

    number: int = 0
    pinned: int = 0


@dataclass(frozen=True, slots=True)
class PollCount:
    """A site's sources: how many, how many fail, and when one was polled last."""

    number: int = 0
    failing: int = 0
    last: float | None = None


class SiteNumbers(StoreSection):
    """The section of the store that counts per site."""

    def count_by_site(self, after: int = 0) -> dict[str, tuple[int, int]]:
        """Count each site's articles after a number; with the number of its latest."""
        # Without a condition, the index by site answers alone.
        query = select(articles.c.site, func.count(), func.max(articles.c.seq))
        if after:
            query = query.where(articles.c.seq > after)
        with self._database.reading() as connection:
            rows = connection.execute(query.group_by(articles.c.site))
            return {site: (number, last) for site, number, last in rows}

    def kept_sites(self) -> list[str]:
        """Return the sites of which the store keeps a page."""
        with self._database.reading() as connection:
            return list(connection.scalars(select(pages.c.site).distinct()))

    def wrapper_counts(self) -> dict[str, WrapperCount]:
        """Count the wrappers in use of each site."""
        pinned = func.sum(case((wrappers.c.pinned, 1), else_=0))
        query = select(wrappers.c.site, func.count(), pinned)
        query = query.where(wrappers.c.retired.is_(None)).group_by(wrappers.c.site)
        with self._database.reading() as connection:
            rows = connection.execute(query)
            return {site: WrapperCount(number, pins or 0) for site, number, pins in rows}

    def fit_counts(self) -> dict[str, tuple[int, int]]:
        """Count per site the recent pages that a wrapper fitted, and all recent pages."""
        with self._database.reading() as connection:
            rows = connection.execute(select(fits.c.site, fits.c.recent))
            return {site: (window.count("1"), len(window)) for site, window in rows}

    def poll_counts(self) -> dict[str, PollCount]:
        """Count the sources of each site, and those that fail."""
        is_removed = func.coalesce(sources.c.status, "") == REMOVED
        is_failing = ~is_removed & (sources.c.disabled | (sources.c.failures > 0))
        failing = func.sum(case((is_failing, 1), else_=0))
        query = select(sources.c.site, func.count(), failing, func.max(sources.c.last_poll))
        query = query.where(sources.c.site.is_not(None)).group_by(sources.c.site)
        # A source has its site from the first document that it sent: these have sent none.
        unread = select(sources.c.url, sources.c.last_poll)
        unread = unread.where(sources.c.site.is_(None), is_failing)
        with self._database.reading() as connection:
            rows = connection.execute(query)
            found = {site: PollCount(number, bad or 0, last) for site, number, bad, last in rows}
            for url, last in connection.execute(unread):
                site = site_of(url) or url
                found[site] = _add_failing(found.get(site, PollCount()), last)
            return found

    def count_missing(self, site: str) -> dict[str, int]:
        """Count a site's pages without an article by their reasons, the most frequent first."""
        number = func.count()
        query = select(frontier.c.reason, number).group_by(frontier.c.reason)
        query = query.where(frontier.c.state.in_(("skipped", "failed")), frontier.c.site == site)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(number.desc(), frontier.c.reason))
            return {str(reason): number for reason, number in rows}

    def articles_per_day(self, sites: Sequence[str], days: int) -> dict[str, list[int]]:
        """Count the articles of some sites on each of the last days, today last."""
        start = self._now() - days * DAY
        day = self._day(start)
        found = {site: [0] * days for site in sites}
        with self._database.reading() as connection:
            first = self._first_since(start)
            query = select(articles.c.site, day.label("day"), func.count())
            query = query.where(articles.c.seq >= first).group_by(articles.c.site, "day")
            for chunk in chunks(sites):
                for site, number, count in connection.execute(
                    query.where(articles.c.site.in_(chunk))
                ):
                    if 0 <= number < days:
                        found[site][int(number)] = count
        return found

    def archived_times(self, numbers: Sequence[int]) -> dict[int, float]:
        """Return when the articles with these numbers were archived."""
        found: dict[int, float] = {}
        with self._database.reading() as connection:
            query = select(articles.c.seq, articles.c.archived)
            for chunk in chunks(numbers):
                rows = connection.execute(query.where(articles.c.seq.in_(chunk)))
                found |= dict(rows.all())
        return found

    def recent_agreement(self, site: str) -> float | None:
        """Return the mean agreement of a site's latest articles, if one was checked."""
        query = select(articles.c.seq, articles.c.line).where(articles.c.site == site)
        query = query.order_by(articles.c.seq.desc())
        with self._database.reading() as connection:
            for number in AGREEMENT_ARTICLES:
                rows = connection.execute(query.limit(number)).all()
                found = [_agreement(json.loads(self._checked_line(row))) for row in rows]
                if known := [value for value in found if value is not None]:
                    return sum(known) / len(known)
                if len(rows) < number:
                    break
                query = query.where(articles.c.seq < rows[-1].seq)
        return None

    def _day(self, start: float) -> ColumnElement[int]:
        days = (articles.c.archived - start) / DAY
        # SQLite may lack floor(), and cuts off where PostgreSQL rounds.
        return cast(days, Integer) if self._database.dialect == "sqlite" else func.floor(days)

    def _first_since(self, start: float) -> int:
        """Find the first article since a time by halving: numbers ascend with time."""
        bounds = select(func.min(articles.c.seq), func.max(articles.c.seq))
        probe = select(articles.c.seq, articles.c.archived).order_by(articles.c.seq).limit(1)
        with self._database.reading() as connection:
            low, high = connection.execute(bounds).one()
            low, high = low or 0, (high or 0) + 1
            while low < high:
                middle = (low + high) // 2
                row = connection.execute(probe.where(articles.c.seq >= middle)).first()
                if row is None or row.archived >= start:
                    high = middle
                else:
                    low = row.seq + 1
        return int(low)


def _add_failing(polls: PollCount, last: float | None) -> PollCount:
    latest = max((it for it in (polls.last, last) if it is not None), default=None)
    return PollCount(polls.number + 1, polls.failing + 1, latest)


def _agreement(row: Mapping[str, object]) -> float | None:
    value = row.get("agreement")
    return float(value) if isinstance(value, int | float) else None
