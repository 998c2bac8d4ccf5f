"""`SiteList`: numbers of all sites, kept in memory, so that a list page costs little.

Small stores are counted again for every request. Large ones are counted in the background while
requests see the last count, which only new articles are added to.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from forest_crawler.crawl.drift import has_drifted
from forest_crawler.store.site_list import PollCount, WrapperCount
from forest_crawler.store.studio_store import StudioStore

MAX_AGE = 1.0
"""Seconds after which a count is refreshed."""

QUICK = 0.08
"""Seconds up to which a request waits for the refresh."""

FULL_COUNT = 600.0
"""Seconds after which all articles are counted again: others may have deleted some."""

_NO_WRAPPERS, _NO_POLLS = WrapperCount(), PollCount()

Order = Literal["site", "articles", "latest", "wrappers", "fit", "poll", "look"]
ORDERS: tuple[Order, ...] = get_args(Order)


@dataclass(frozen=True, slots=True)
class SiteRow:
    """What the list shows of a site without reading its articles."""

    site: str
    articles: int = 0
    latest: int = 0  # the number of its latest article
    wrappers: WrapperCount = _NO_WRAPPERS
    fitted: int = 0  # of the recent pages
    recent: int = 0
    polls: PollCount = _NO_POLLS

    @property
    def fit(self) -> float | None:
        """The share of recent pages that a wrapper fitted."""
        return self.fitted / self.recent if self.recent else None

    @property
    def concerns(self) -> tuple[str, ...]:
        """Why a person should look at it."""
        found = []
        if has_drifted(self.fitted, self.recent):
            found.append("drifted")
        if not self.wrappers.number:
            found.append("no wrapper")
        if self.polls.failing:
            found.append("failing source")
        if self.polls.number and not self.articles:
            found.append("no articles")
        return tuple(found)


_KEYS: dict[Order, Callable[[SiteRow], Any]] = {
    "site": lambda row: row.site,
    "articles": lambda row: (-row.articles, row.site),
    "latest": lambda row: (-row.latest, row.site),
    "wrappers": lambda row: (-row.wrappers.number, row.site),
    "fit": lambda row: (2.0 if row.fit is None else row.fit, row.site),
    "poll": lambda row: (-(row.polls.last or 0.0), row.site),
    "look": lambda row: (-len(row.concerns), row.site),
}


class SiteList:
    """The sites of a store; thread-safe."""

    def __init__(self, store: Callable[[], StudioStore]) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._rows: dict[str, SiteRow] = {}
        self._sorted: dict[Order, list[SiteRow]] = {}
        self._counts: dict[str, tuple[int, int]] = {}
        self._last = 0  # the latest article that is counted
        self._read_at = self._counted_at = float("-inf")
        self._cost = 0.0
        self._refreshing: threading.Thread | None = None

    def rows(self, order: Order = "site", search: str = "", look: bool = False) -> list[SiteRow]:
        """Return sites in an order: those whose name contains a text, or that need a look."""
        self._refresh()
        found = self._order(order)
        words = search.lower().split()
        if words:
            found = [row for row in found if all(word in row.site for word in words)]
        return [row for row in found if row.concerns] if look else found

    def row(self, site: str) -> SiteRow | None:
        """Return one site; `None` for an unknown one."""
        self._refresh()
        return self._rows.get(site)

    def expire(self) -> None:
        """Read everything again for the next request: this process has changed the store."""
        self._read_at = self._counted_at = float("-inf")

    def stop(self) -> None:
        """Wait for a refresh in the background: the store is about to be closed."""
        if self._refreshing is not None:
            self._refreshing.join()

    def _order(self, order: Order) -> list[SiteRow]:
        known = self._sorted.get(order)
        if known is None:
            known = self._sorted[order] = sorted(self._rows.values(), key=_KEYS[order])
        return known

    def _refresh(self) -> None:
        if time.monotonic() - self._read_at < MAX_AGE:
            return
        if self._rows and self._cost > QUICK and self._read_at > float("-inf"):
            if self._refreshing is None or not self._refreshing.is_alive():
                self._refreshing = threading.Thread(target=self._read, daemon=True)
                self._refreshing.start()
            return
        self._read()

    def _read(self) -> None:
        with self._lock:
            began = time.monotonic()
            if began - self._read_at < MAX_AGE:
                return
            store = self._store()
            self._count(store, began)
            rows = _merge(store, self._counts)
            self._rows, self._sorted = rows, {}
            self._read_at = time.monotonic()
            self._cost = self._read_at - began

    def _count(self, store: StudioStore, now: float) -> None:
        if now - self._counted_at > FULL_COUNT:
            self._counts, self._last, self._counted_at = {}, 0, now
        more = store.count_by_site(self._last)
        counts = dict(self._counts)
        for site, (number, latest) in more.items():
            counts[site] = (counts.get(site, (0, 0))[0] + number, latest)
        self._counts = counts
        self._last = max((latest for _, latest in more.values()), default=self._last)


def _merge(store: StudioStore, counts: dict[str, tuple[int, int]]) -> dict[str, SiteRow]:
    wrappers, fits, polls = store.wrapper_counts(), store.fit_counts(), store.poll_counts()
    names = {*counts, *wrappers, *polls, *store.kept_sites()}
    return {
        site: SiteRow(
            site,
            *counts.get(site, (0, 0)),
            wrappers.get(site, _NO_WRAPPERS),
            *fits.get(site, (0, 0)),
            polls.get(site, _NO_POLLS),
        )
        for site in names
    }


@dataclass(frozen=True, slots=True)
class ListedSite:
    """A row of the list, with what is read for the shown sites only."""

    row: SiteRow
    days: tuple[int, ...]
    agreement: float | None
    latest: float | None  # when its latest article was archived


def read_details(store: StudioStore, rows: Sequence[SiteRow], days: int) -> list[ListedSite]:
    """Read the articles per day and the agreement of a few sites."""
    names = [row.site for row in rows]
    with store.view():
        per_day = store.articles_per_day(names, days)
        times = store.archived_times([row.latest for row in rows])
        return [
            ListedSite(
                row,
                tuple(per_day[row.site]),
                store.recent_agreement(row.site),
                times.get(row.latest),
            )
            for row in rows
        ]
