"""`StoreStatus`: the numbers of a store that an operator looks at, read at one moment."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from forest_crawler.crawl.drift import has_drifted
from forest_crawler.store import Source, Store

DAYS = 7
"""Days, today included, for which articles are counted; days are those of UTC."""

_DAY = 86_400.0
_BANDS = ((0.9, "0.9-1"), (0.8, "0.8-0.9"), (0.5, "0.5-0.8"))
STATE_NAMES = {"claimed": "leased"}
"""Pages by their state: the stored name of a leased page predates the word."""


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """What a store holds, and what is left to do."""

    sources: dict[str, int]  # by health: read, failing, gone, unpolled
    sites: int
    pages: dict[str, int]  # by state
    skipped: dict[str, int]  # by reason
    failed: dict[str, int]  # by reason
    postponed: dict[str, int]  # pages put off, by reason
    articles: int
    articles_per_day: dict[str, int]  # by day (UTC), the earliest first
    wrappers: dict[str, int]  # by confidence
    drifted: list[str]  # sites whose wrappers no longer fit
    queue_age: float | None  # seconds since the oldest page to fetch was scheduled
    last_run_started: float | None
    last_run_ended: float | None


def read_status(store: Store, now: float | None = None) -> StoreStatus:
    """Read the numbers of a store."""
    now = time.time() if now is None else now
    with store.view():
        account, oldest = store.account(), store.oldest_pending()
        started, ended = store.last_run() or (None, None)
        fits = store.recent_fits(store.sites())
        return StoreStatus(
            sources=_count(map(_health, store.sources())),
            sites=store.count_sites(),
            pages={STATE_NAMES.get(s, s): n for s, n in sorted(store.count_states().items())},
            skipped=dict(sorted(account["skipped"].items())),
            failed=dict(sorted(account["failed"].items())),
            postponed=dict(sorted(account["postponed"].items())),
            articles=account["archived"],
            articles_per_day=_articles_per_day(store, now),
            wrappers=_count(map(confidence_band, store.confidences())),
            drifted=[site for site, fit in fits.items() if has_drifted(*fit)],
            queue_age=None if oldest is None else max(0.0, now - oldest),
            last_run_started=started,
            last_run_ended=ended,
        )


def confidence_band(confidence: float | None) -> str:
    """Name the band of a wrapper's confidence.

    >>> [confidence_band(it) for it in (0.95, 0.8, 0.6, 0.2, 0.0, None)]
    ['0.9-1', '0.8-0.9', '0.5-0.8', '0-0.5', 'unknown', 'unreadable']
    """
    if confidence is None:
        return "unreadable"
    if not confidence:
        return "unknown"
    return next((name for least, name in _BANDS if confidence >= least), "0-0.5")


def _health(source: Source) -> str:
    if source.disabled:
        return "gone"
    if source.failures:
        return "failing"
    return "unpolled" if source.status is None else "read"


def _count(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _articles_per_day(store: Store, now: float) -> dict[str, int]:
    tomorrow = (now // _DAY + 1) * _DAY
    borders = [tomorrow - _DAY * days for days in range(DAYS, -1, -1)]
    names = [datetime.fromtimestamp(it, UTC).date().isoformat() for it in borders[:-1]]
    return dict(zip(names, store.count_archived(borders), strict=True))
