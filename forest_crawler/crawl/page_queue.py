"""`PageQueue`: which pages are fetched next, and what a page's miss means.

Pages are leased from the store, as many as fit into the window of pages in flight. A page leaves
the window when it is on disk, not when it arrives: a kill repeats at most a window of fetches.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.misses import Misses, Verdict, page_host
from forest_crawler.crawl.outcomes import Outcome
from forest_crawler.crawl.site_quota import FIRST_SLOTS, SiteQuota
from forest_crawler.errors import StoreError
from forest_crawler.store import Lease, Store
from forest_crawler.store.leases import LeasedWork

MAX_WAIT = 150.0
"""Seconds that a run waits for a page that is to be fetched later, more than the longest crawl
delay that is kept; a page due later than that is left to the next run."""

LEASE_PAUSE = 0.5
"""Seconds after which a few pages are leased, too: those in flight may be stalling."""

IDLE_PAUSE = 1.0
"""Seconds between two looks for due pages while nothing is in flight."""

MAX_PAUSE = 30.0
"""Seconds between two looks while all pages wait for a later time: the clock may be set."""

BUSY_PAUSE = 0.05
"""Seconds until the next lease after one that gave pages."""

MAX_BACKLOG = 2000
"""Held pages that wait for workers before fetching pauses."""


class PageQueue:
    """The pages in flight, at most `window`, and at most `max_per_site` of each site.

    `is_watching`: the run has no end, so nothing is left to the next one.
    """

    def __init__(
        self, engine: CrawlEngine, *, window: int, max_per_site: int, is_watching: bool = False
    ) -> None:
        self._engine = engine
        self._session = engine.session
        self._scheduler = engine.scheduler
        self._scheduler.fetches = True  # what the store has due is leased here
        self._window = window
        self._quota = SiteQuota(max_per_site)
        self._misses = Misses(is_watching=is_watching)
        self._in_flight: dict[str, str] = {}  # page → its site
        self._last_lease = 0.0
        self._next_due: float | None = None
        self._changed = asyncio.Event()

    async def lease_next(self) -> list[Lease]:
        """Lease pages to fetch now; none while the window or the backlog is full."""
        room = self._window - len(self._in_flight)
        if not self._is_worth_a_lease(room) or self._scheduler.backlog > MAX_BACKLOG:
            return []
        self._last_lease = time.monotonic()
        lease = partial(
            self._lease,
            room=room,
            slots=self._quota.by_site(),
            in_flight=[*self._in_flight.values()],
            busy={*self._engine.busy_sites, *self._in_flight.values()},
            max_sites=self.max_sites if self._session.store.is_shared else None,
        )
        found = await self._session.store_thread.call(lease)
        self._in_flight |= {lease.key: lease.site for lease in found.pages}
        for site, number in found.held.items():
            self._scheduler.resume(site, number)
        return [lease for lease in found.pages if not await self._has_left(lease)]

    @property
    def max_sites(self) -> int:
        """How many sites to lease if others want some, too: enough to fill the window.

        Sites that are not fetched from, since their pages wait or are worked on, don't count.
        """
        idle = self._engine.busy_sites.difference(self._in_flight.values())
        return self._window + len(idle.difference(self._engine.polled_sites))

    async def is_alone(self) -> bool:
        """Report whether no other process works on a site, which it may leave to this one.

        A process that has given a site up does not wait: it keeps the site until its end, and two
        of them would wait for each other.
        """
        if not self._session.store.is_shared or self._scheduler.has_given_up:
            return True
        others = (await self._session.store_thread.call(Store.count_leased))[1]
        return others == 0

    async def _has_left(self, lease: Lease) -> bool:
        """Leave a page whose host the run no longer waits for."""
        verdict = self._misses.leave(lease)
        if verdict is None:
            return False
        await self._apply(lease, verdict)
        return True

    def _is_worth_a_lease(self, room: int) -> bool:
        """Report whether to lease: it visits every site, so few large leases are cheaper."""
        waited = time.monotonic() - self._last_lease
        return room >= self._window / 4 or (room > 0 and waited > LEASE_PAUSE)

    def _lease(
        self,
        store: Store,
        room: int,
        slots: dict[str, int],
        in_flight: Sequence[str],
        busy: set[str],
        max_sites: int | None,
    ) -> LeasedWork:
        """Lease what sites have slots for, then fill spare room; in the store's thread.

        In one transaction: a step that fails halfway is repeated as a whole, and what its first
        half had leased would be forgotten.
        """
        with store.batch("lease"):
            own, held = store.lease_work(
                room, per_site=FIRST_SLOTS, slots=slots, busy=busy, max_sites=max_sites
            )
            leased = [lease.site for lease in own]
            spare = self._quota.spare(self._window, [*in_flight, *leased])
            more = store.lease_work(
                min(room - len(own), spare),
                per_site=self._quota.max_slots,
                busy={*busy, *held, *leased},
                max_sites=max_sites,
            )
        return LeasedWork(own + more.pages, held | more.held)

    def arrived(self, lease: Lease) -> None:
        """Note that a page has arrived: its site answers."""
        self._quota.grow(lease.site)
        self._misses.answer(lease)

    async def missed(self, lease: Lease, outcome: Outcome) -> None:
        """Retry, leave, skip or fail a page that did not arrive, and free its slot."""
        self._adapt_quota(lease.site, outcome)
        await self._apply(lease, self._misses.judge(lease, outcome))

    async def _apply(self, lease: Lease, verdict: Verdict) -> None:
        try:
            is_held = await self._session.store_thread.write(verdict.step)
        except StoreError:
            return  # logged already; the crawl is closing
        if verdict.what == "failed" and is_held is True:
            self.release(lease.key)
            self._scheduler.add(lease.site)
            return
        self._session.count(lease.site, verdict.what)
        self._session.count(None, f"{verdict.what}/{verdict.reason}")
        if verdict.what == "left":
            self._session.left[page_host(lease)] = verdict.reason
        self.release(lease.key)
        if lease.is_part and verdict.what in ("skipped", "failed"):
            self._scheduler.lose_part(lease.site)
        self._scheduler.touch(lease.site)

    def _adapt_quota(self, site: str, outcome: Outcome) -> None:
        if outcome.is_trouble:
            self._quota.shrink(site)
        elif outcome.is_answer:
            self._quota.grow(site)

    def release(self, key: str) -> None:
        """Free the slot of a page that is in the store, or never will be."""
        site = self._in_flight.pop(key, None)
        if site is not None:
            self._scheduler.touch(site)
        if len(self._in_flight) < self._window / 2:
            self.wake()

    async def is_done(self) -> bool:
        """Report whether no page is in flight, and none is due within `MAX_WAIT`."""
        if self._in_flight:
            return False
        due = self._next_due = await self._session.store_thread.call(Store.next_due)
        return due is None or due > time.time() + MAX_WAIT

    def wake(self) -> None:
        """End `wait`: there may be something to fetch."""
        self._changed.set()

    async def wait(self, *, has_leased: bool) -> None:
        """Wait until it is worth to look for more pages."""
        with suppress(TimeoutError):
            pause = BUSY_PAUSE if has_leased else self._idle_pause()
            await asyncio.wait_for(self._changed.wait(), pause)
        self._changed.clear()

    def _idle_pause(self) -> float:
        if self._in_flight:
            return LEASE_PAUSE
        if self._next_due is None or self._scheduler.is_working:  # which may find parts to fetch
            return IDLE_PAUSE
        due, self._next_due = self._next_due, None
        return min(max(due - time.time(), IDLE_PAUSE), MAX_PAUSE)
