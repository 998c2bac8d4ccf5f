"""`Misses`: what becomes of a page that did not arrive.

A fetch that failed counts as an attempt: the page is retried by a later run, and failed after a few
of them. A page that could not be fetched now is put off, which is not an attempt; `HostPatience`
says when its host is left to the next run instead.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import isinf
from typing import Literal

from forest_crawler.crawl.host_patience import REST, HostPatience
from forest_crawler.crawl.outcomes import (
    CRAWL_DELAY,
    DROPPED,
    HTTP,
    LEASE_EXPIRED,
    RETRY_AFTER,
    Outcome,
)
from forest_crawler.crawl.polling import back_off
from forest_crawler.feed.entry_codec import states_text
from forest_crawler.store import FetchedPage, Lease, Store
from forest_crawler.urls.hosts import host_of

MAX_ATTEMPTS = 3
"""Fetches of a page that end in a passing fault before it counts as permanent. For a part put-offs
count, too, since its article waits for it."""

RETRY_INTERVAL = 600.0
"""Seconds until a page is retried after a passing fault; doubled each time."""

MAX_DROPS = 3
"""Times that a run offers a page to a scheduler that drops it."""


_OURS = (CRAWL_DELAY, LEASE_EXPIRED)  # reasons for which a page waits, not its host


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a page, why, and the store's step for it."""

    what: Literal["retried", "left", "skipped", "failed"]
    reason: str
    step: Callable[[Store], object]  # true: the page is held instead


class Misses:
    """Judges misses by their outcomes and by what their hosts put off before."""

    def __init__(self, *, is_watching: bool = False) -> None:
        self._is_watching = is_watching
        self._patience = HostPatience(is_watching=is_watching)
        self._drops: Counter[str] = Counter()

    def answer(self, lease: Lease) -> None:
        """Note that a page's host has answered."""
        self._patience.answer(page_host(lease))

    def judge(self, lease: Lease, outcome: Outcome) -> Verdict:
        """Decide what becomes of a page that did not arrive."""
        if outcome.retry_at is None:
            self.answer(lease)
            return _judge_fetch(lease, outcome)
        if outcome.reason == DROPPED:
            return self._judge_drop(lease, outcome.retry_at)
        verdict = self._judge_put_off(lease, outcome.reason, outcome.retry_at)
        if not outcome.wants_pause:
            return verdict
        step = partial(
            _keep_pause, host=page_host(lease), until=outcome.retry_at, then=verdict.step
        )
        return replace(verdict, step=step)

    def leave(self, lease: Lease, at: float = 0.0) -> Verdict | None:
        """Leave a page whose host the run no longer waits for, with the host's others.

        `at`: when the page may be fetched again, by the next run.
        """
        host = page_host(lease)
        left = self._patience.left_until(host)
        if left is None:
            return None
        until, reason = left
        at = max(at, self._patience.pause_end(host))
        step = partial(_leave_host, lease=lease, reason=reason, at=at, until=until)
        return Verdict("left", reason, step)

    def _judge_put_off(self, lease: Lease, reason: str, at: float) -> Verdict:
        host = page_host(lease)
        self._patience.put_off(host, reason, at, is_pause=reason not in _OURS)
        if lease.is_part and lease.attempts + 1 >= MAX_ATTEMPTS:
            return _fail(lease, reason)
        if left := self.leave(lease, at):
            return left
        if self._patience.is_too_late(host, at):
            return self._leave_page(lease, reason, at)
        step = partial(Store.retry, key=lease.key, reason=reason, at=at, is_answer=lease.is_part)
        return Verdict("retried", reason, step)

    def _judge_drop(self, lease: Lease, at: float) -> Verdict:
        """Offer a page again that the scheduler dropped; its host is not at fault."""
        self._drops[lease.key] += 1
        if self._drops[lease.key] < MAX_DROPS:
            step = partial(Store.retry, key=lease.key, reason=DROPPED, at=at, is_answer=False)
            return Verdict("retried", DROPPED, step)
        del self._drops[lease.key]
        return _fail(lease, DROPPED) if lease.is_part else self._leave_page(lease, DROPPED, at)

    def _leave_page(self, lease: Lease, reason: str, at: float) -> Verdict:
        at = max(at, time.time() + REST) if self._is_watching else at
        step = partial(
            Store.retry,
            key=lease.key,
            reason=reason,
            at=at,
            is_answer=False,
            is_left=not self._is_watching,
        )
        return Verdict("left", reason, step)


def page_host(lease: Lease) -> str:
    """Return the host that a page is fetched from."""
    return host_of(lease.url) or lease.site


def _keep_pause(store: Store, host: str, until: float, then: Callable[[Store], object]) -> None:
    """Record a pause that a page's host wants, for other and later runs, too."""
    with store.batch():
        store.pause_host(host, RETRY_AFTER, until)
        then(store)


def _leave_host(store: Store, lease: Lease, reason: str, at: float, until: float) -> None:
    """Leave a host's pages to the next run, or until a time if the run has no end."""
    with store.batch():
        store.retry(lease.key, reason, at, is_answer=False)
        store.leave(lease.site, page_host(lease), None if isinf(until) else until)


def _judge_fetch(lease: Lease, outcome: Outcome) -> Verdict:
    """Retry a page whose fetch failed, or close it; an article waits for no late part."""
    key, reason, attempts = lease.key, outcome.reason, lease.attempts + 1
    if outcome.passing and not lease.is_part and attempts < MAX_ATTEMPTS:
        at = time.time() + back_off(RETRY_INTERVAL, attempts)
        return Verdict("retried", reason, partial(Store.retry, key=key, reason=reason, at=at))
    if outcome.is_refusal:
        return Verdict("skipped", reason, partial(Store.skip, key=key, reason=reason))
    return _fail(lease, reason)


def _fail(lease: Lease, reason: str) -> Verdict:
    if not lease.is_part and lease.entry and states_text(lease.entry) and reason.startswith(HTTP):
        return Verdict("failed", reason, partial(_fail_or_hold, lease=lease, reason=reason))
    return Verdict("failed", reason, partial(Store.fail, key=lease.key, reason=reason))


def _fail_or_hold(store: Store, lease: Lease, reason: str) -> bool:
    """Close a page; or hold it without a body, so that its feed's text becomes the article.

    Returns whether it is held. Not in the first hours: the page may come back, and has more.
    """
    with store.batch():
        if store.is_lasting(lease.key, reason):
            page = FetchedPage(lease.key, b"", int(reason.removeprefix(HTTP)), url=lease.url)
            return bool(store.hold([page]))
        store.fail(lease.key, reason)
    return False
