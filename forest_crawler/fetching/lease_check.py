"""Requests of a crawl that shares its store: only with leases, and with delays on record.

The pipeline sets the hooks for its crawl; other crawls of the process have none.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from forest_crawler.crawl.outcomes import LEASE_EXPIRED
from forest_crawler.fetching.request_outcomes import postpone_request

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

RETRY_SECONDS = 2.0
"""Seconds until a request is made that waited for its lease to be renewed."""


@dataclass(frozen=True, slots=True)
class LeaseHooks:
    """What a crawl is told, and asks for, when requests are made."""

    is_certain: Callable[[], bool]  # whether its leases hold for sure
    note_delay: Callable[[str, float], Awaitable[None]]  # of a URL's host, in seconds


_hooks: WeakKeyDictionary[Crawler, LeaseHooks] = WeakKeyDictionary()


def set_lease_hooks(crawler: Crawler, hooks: LeaseHooks) -> None:
    """Make requests of a crawl only as its hooks say."""
    _hooks[crawler] = hooks


def check_lease(crawler: Crawler) -> None:
    """Raise `PostponedRequest` if the crawl's leases may be over."""
    hooks = _hooks.get(crawler)
    if hooks is not None and not hooks.is_certain():
        raise postpone_request(crawler, LEASE_EXPIRED, time.time() + RETRY_SECONDS)


async def note_delay(crawler: Crawler, url: str, seconds: float) -> None:
    """Record the delay that a host wants, before the first request that keeps it."""
    hooks = _hooks.get(crawler)
    if hooks is not None:
        await hooks.note_delay(url, seconds)
