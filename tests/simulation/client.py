"""`Client`: the requests of one simulated process, with the patience that `fetching` has.

What it knows of a host (turns, pauses, robots.txt) is gone with its process.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random

from forest_crawler.crawl.answers import Answer
from forest_crawler.crawl.outcomes import (
    CONNECTION,
    CRAWL_DELAY,
    DROPPED,
    RETRY_AFTER,
    ROBOTS_UNAVAILABLE,
    TIMEOUT,
    Outcome,
)
from forest_crawler.crawl.page_writer import IncomingPage
from forest_crawler.store import Lease, Source
from tests.simulation.clock import VirtualClock
from tests.simulation.network import Host, Network

SLOT_WAIT = 10.0
"""Seconds that a request waits in its slot, as `fetching.crawl_delay` has it."""

TIMEOUT_SECONDS = 8.0
"""Seconds that a stalled request takes; fewer than in life, where the engine looks often."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What the crawl has to say when requests are made."""

    refuse: Callable[[Host, bool], Outcome | None]  # to robots.txt or not, right before it is made
    note_delay: Callable[[str, float], Awaitable[None]]  # once robots.txt is read


@dataclass(slots=True)
class _Slot:
    """What a process knows of a host."""

    last: float = 0.0  # when it made its last request
    waiting: int = 0
    last_turn: float = 0.0  # the latest that was given to a page
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    paused_until: float = 0.0
    has_robots: bool = False
    robots_until: float = 0.0
    robots_failures: int = 0


class Client:
    """Makes requests as a process does; `gate` has the last word."""

    def __init__(self, network: Network, clock: VirtualClock, random: Random, gate: Gate) -> None:
        self._network, self._clock, self._random = network, clock, random
        self._gate = gate
        self._slots: defaultdict[str, _Slot] = defaultdict(_Slot)
        self.open: Counter[str] = Counter()  # requests in flight, by site

    async def poll(self, source: Source) -> Answer | Outcome:
        """Request a feed."""
        host, _ = self._network.find(source.url)
        missed = await self._reach(host, is_fine=not host.has_failing_feed)
        return missed or self._network.feed(host, source.etag, self._clock.now)

    async def fetch(self, lease: Lease) -> IncomingPage | Outcome:
        """Request a page, and follow its redirect."""
        host, _ = self._network.find(lease.url)
        if missed := await self._reach(host):
            return missed
        away = self._network.redirect(host, self._clock.now)
        if away is not None and (missed := await self._reach(away, is_fine=True)):
            return missed
        return self._network.page(lease, self._clock.now, away)

    async def _reach(self, host: Host, *, is_fine: bool = False) -> Outcome | None:
        """Wait for a host's answer; return why there is none. `is_fine`: there is one."""
        slot = self._slots[host.name]
        what, wait = ("fine", 0.0) if is_fine else host.behaviour(self._clock.now)
        if what == "dropped" and self._random.random() < 0.5:
            return Outcome(DROPPED, passing=True, retry_at=self._clock.now + 2.0)
        if what in ("robots-down", "robots-429") or self._clock.now < slot.robots_until:
            return await self._miss_robots(host, slot, what, wait)
        slot.robots_failures = 0
        if not slot.has_robots:
            await self._gate.note_delay(host.feed, host.delay)
            slot.has_robots = True
        missed = _pause(slot, self._clock.now) or await self._take_turn(host, slot)
        if missed := missed or _pause(slot, self._clock.now) or self._gate.refuse(host, False):
            return missed
        slot.last = self._clock.now
        return await self._answer(host, slot, is_fine=is_fine)

    async def _take_turn(self, host: Host, slot: _Slot) -> Outcome | None:
        """Wait for a turn; a far one is left to the frontier, one after the other."""
        if not host.delay:
            return None
        now = self._clock.now
        wait = slot.last + host.delay * (slot.waiting + 1) - now
        if wait > SLOT_WAIT:
            slot.last_turn = max(now + wait, slot.last_turn + host.delay)
            return Outcome(CRAWL_DELAY, passing=True, retry_at=slot.last_turn)
        slot.waiting += 1
        async with slot.turn:
            while (left := slot.last + host.delay - self._clock.now) > 0:
                await asyncio.sleep(left)
        slot.waiting -= 1
        return None

    async def _answer(self, host: Host, slot: _Slot, *, is_fine: bool) -> Outcome | None:
        what, wait = ("fine", 0.0) if is_fine else host.behaviour(self._clock.now)
        seconds = self._random.uniform(*_SECONDS.get(what, (0.01, 1.0)))
        self.open[host.site] += 1
        await asyncio.sleep(seconds)
        self.open[host.site] -= 1
        now = self._clock.now
        if what in ("retry-after", "too-many"):
            slot.paused_until = now + (60.0 if what == "too-many" else wait)
            return _pause(slot, now)
        return _FAILURES.get(what)

    async def _miss_robots(self, host: Host, slot: _Slot, what: str, wait: float) -> Outcome | None:
        """Put a request off until robots.txt is fetched again."""
        if self._clock.now >= slot.robots_until:
            if missed := self._gate.refuse(host, True):
                return missed
            pause = min(300.0 * 2**slot.robots_failures, 3600.0)
            if what == "robots-429":
                pause = wait or 60.0
            slot.robots_failures += 1
            slot.robots_until = self._clock.now + pause
            await asyncio.sleep(self._random.uniform(0.01, 1.0))
        cause = RETRY_AFTER if what == "robots-429" else "http-503"
        return Outcome(ROBOTS_UNAVAILABLE, passing=True, retry_at=slot.robots_until, cause=cause)


def _pause(slot: _Slot, now: float) -> Outcome | None:
    """Return the outcome of a request within a pause that its host wants."""
    if now >= slot.paused_until:
        return None
    return Outcome(RETRY_AFTER, passing=True, retry_at=slot.paused_until)


_SECONDS = {"stall": (TIMEOUT_SECONDS, TIMEOUT_SECONDS), "slow": (2.0, 6.0)}
_FAILURES = {
    "stall": Outcome(TIMEOUT, passing=True),
    "reset": Outcome(CONNECTION, passing=True),
    "http-503": Outcome("http-503", passing=True),
    "http-404": Outcome("http-404", passing=False),
}
