"""Descriptors: a process may have so many files and connections open, and a crawl stays below.

Asked before a crawl begins, and by the handler that keeps connections open between requests.
"""

from __future__ import annotations

import resource

from forest_crawler.errors import FatalError

OTHERS = 64
"""Descriptors for all but connections: store, articles, pipes to workers; 26 with one worker."""

_KIND = resource.RLIMIT_NOFILE
_BOUNDLESS = 1 << 20


def reserve_descriptors(requests: int) -> None:
    """See to it that so many requests can be under way at a time; raises `FatalError` if not."""
    soft, hard = _limits()
    needed = count_needed(requests)
    if soft >= needed:
        return
    if hard < needed:
        raise FatalError(
            f"{hard} files may be open at a time, and {needed} are needed; raise the limit "
            f"(ulimit -n {needed}), or set CONCURRENT_REQUESTS below {requests}"
        )
    resource.setrlimit(_KIND, (needed, resource.getrlimit(_KIND)[1]))


def count_needed(requests: int) -> int:
    """Descriptors for so many requests, each of which may have to wait for a robots.txt.

    >>> count_needed(64)
    192
    """
    return 2 * requests + OTHERS


def count_spare(requests: int) -> int:
    """How many connections may be kept open beside those of so many requests."""
    return max(0, _limits()[0] - count_needed(requests))


def _limits() -> tuple[int, int]:
    soft, hard = (
        _BOUNDLESS if limit == resource.RLIM_INFINITY else limit
        for limit in resource.getrlimit(_KIND)
    )
    return soft, hard
