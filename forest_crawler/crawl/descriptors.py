"""Keep a crawl below the number of files and connections it may have open.

Checked before a crawl begins, and by the handler that keeps connections open between requests.
"""

from __future__ import annotations

import resource

from forest_crawler.crawl.workers import default_count
from forest_crawler.errors import FatalError

OTHERS = 64
"""Descriptors for all but connections: store, articles, pipes to a few workers; 26 with one."""

FEW_WORKERS, PER_WORKER = 8, 2
"""Workers that `OTHERS` has descriptors for, and descriptors for each further one."""

POOLS = 2
"""Scrapy has one pool of connections for http and one for https."""

IDLE_PER_REQUEST = 2
"""Idle connections per pool and request in flight. They serve the next pages of the sites that are
being fetched from; those of sites that are done would only take memory, with TLS 50 kB each."""

_KIND = resource.RLIMIT_NOFILE
_UNLIMITED = 1 << 20


def reserve_descriptors(requests: int, workers: int) -> None:
    """Raise the limit for so many requests in flight, or raise `FatalError`."""
    soft, hard = _limits()
    needed = count_needed(requests, workers)
    if soft >= needed:
        return
    if hard < needed:
        fitting = (hard - count_needed(0, workers)) // 2
        less = f", or set CONCURRENT_REQUESTS to {fitting} at most" if fitting > 0 else ""
        raise FatalError(
            f"{hard} files may be open at a time, and {needed} are needed; raise the limit "
            f"(ulimit -n {needed}){less}"
        )
    # More than needed, so that connections can stay open for a site's next page.
    resource.setrlimit(_KIND, (min(2 * needed, hard), resource.getrlimit(_KIND)[1]))


def count_needed(requests: int, workers: int) -> int:
    """Count the descriptors for so many requests.

    Each request may have to wait for one of a robots.txt.

    `workers` as in FOREST_WORKERS: 0 is one per processor.

    >>> count_needed(64, workers=1), count_needed(64, workers=10)
    (192, 196)
    """
    more = max(0, (workers or default_count()) - FEW_WORKERS)
    return 2 * requests + OTHERS + PER_WORKER * more


def count_idle(requests: int, workers: int) -> int:
    """Count the idle connections per pool that may stay open beside so many requests."""
    spare = max(0, _limits()[0] - count_needed(requests, workers)) // POOLS
    return min(spare, IDLE_PER_REQUEST * requests)


def _limits() -> tuple[int, int]:
    soft, hard = (
        _UNLIMITED if limit == resource.RLIM_INFINITY else limit
        for limit in resource.getrlimit(_KIND)
    )
    return soft, hard
