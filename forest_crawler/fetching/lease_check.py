"""Make no request for a crawl whose leases may be over: another process may be at the host."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from forest_crawler.crawl.outcomes import LEASE_EXPIRED
from forest_crawler.fetching.request_outcomes import postpone_request

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

RETRY_SECONDS = 2.0
"""Seconds until a request is made that waited for its lease to be renewed."""

_checks: WeakKeyDictionary[Crawler, Callable[[], bool]] = WeakKeyDictionary()


def set_lease_check(crawler: Crawler, is_certain: Callable[[], bool]) -> None:
    """Make requests of a crawl only while `is_certain()`."""
    _checks[crawler] = is_certain


def check_lease(crawler: Crawler) -> None:
    """Raise `PostponedRequest` if the crawl's leases may be over."""
    is_certain = _checks.get(crawler)
    if is_certain is not None and not is_certain():
        raise postpone_request(crawler, LEASE_EXPIRED, time.time() + RETRY_SECONDS)
