"""A clock that runs faster than the machine's, for a whole crawl with real sockets and processes.

`install` shows it to a process before the crawl is imported, and `FastLoop` lets the event loop
wait by it: delays, timeouts, intervals and what the store writes all follow simulated time. Worker
processes keep the machine's clock, since no computation gets faster, and so do their time limits.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from dataclasses import dataclass
from types import SimpleNamespace

REAL = SimpleNamespace(time=time.time, monotonic=time.monotonic, sleep=time.sleep)
"""The machine's own clock."""


@dataclass(frozen=True, slots=True)
class FastClock:
    """Simulated time: `start` is the epoch's second at the machine's monotonic time `began`."""

    speed: float = 1.0
    start: float = 0.0
    began: float = 0.0

    def time(self, now: float | None = None) -> float:
        """Return the seconds since the epoch, at a monotonic time of the machine or now.

        >>> FastClock(speed=30, start=1000, began=7).time(now=9)
        1060
        """
        now = REAL.monotonic() if now is None else now
        return self.start + (now - self.began) * self.speed

    def monotonic(self) -> float:
        """Return seconds that pass `speed` times as fast."""
        return float(REAL.monotonic()) * self.speed

    def wait(self, seconds: float | None) -> float | None:
        """Return how long the machine waits for so many simulated seconds.

        >>> FastClock(speed=30).wait(60), FastClock(speed=30).wait(None), FastClock().wait(-1)
        (2.0, None, -1.0)
        """
        return None if seconds is None else seconds / self.speed


_installed = FastClock()


def install(clock: FastClock) -> None:
    """Show this clock to everything that is imported from now on, except worker processes."""
    global _installed
    _installed = clock
    time.time, time.monotonic = clock.time, clock.monotonic
    from pebble.pool import base_pool, process

    from forest_crawler.crawl import pool_start, workers

    for module in (base_pool, process, pool_start, workers):
        module.time = REAL  # type: ignore[attr-defined]
    workers.MAX_START *= clock.speed  # waited for by the event loop
    workers.POOL_CHECK *= clock.speed


class _FastSelector(selectors.DefaultSelector):
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(_installed.wait(timeout))


class FastLoop(asyncio.SelectorEventLoop):
    """An event loop that waits by the installed clock; Scrapy takes it by `ASYNCIO_EVENT_LOOP`."""

    def __init__(self) -> None:
        super().__init__(_FastSelector())
