"""`Turns`: whose turn it is: few fetches at the same time, and one per site with a pause after it.

Within one fetch Scrapy keeps the delay of a site; between two of them, nobody else would.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

MAX_SITES = 1000
"""Sites whose last fetch is remembered; those whose pause is over are forgotten first."""


class BusyError(Exception):
    """As many pages as allowed are being fetched already."""


@dataclass(slots=True)
class _Site:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    next_at: float = 0.0


class Turns:
    """Lets fetches begin when their sites and a slot are free."""

    def __init__(self, slots: int, pause: float) -> None:
        self._slots = asyncio.Semaphore(slots)
        self._pause = pause
        self._sites: dict[str, _Site] = {}

    @asynccontextmanager
    async def turn(self, sites: Iterable[str], seconds: float) -> AsyncIterator[None]:
        """Wait for the turn of some sites; raises `BusyError` if it takes too long."""
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(seconds):
                    for site in sorted(set(sites)):  # in one order, so that nobody waits for ever
                        await stack.enter_async_context(self._site(site))
                    await stack.enter_async_context(self._slots)
            except TimeoutError as err:
                raise BusyError from err
            yield

    @asynccontextmanager
    async def _site(self, name: str) -> AsyncIterator[None]:
        site = self._find(name)
        async with site.lock:
            await asyncio.sleep(max(site.next_at - time.monotonic(), 0.0))
            try:
                yield
            finally:
                site.next_at = time.monotonic() + self._pause

    def _find(self, name: str) -> _Site:
        if len(self._sites) > MAX_SITES:
            now = time.monotonic()
            for known, site in list(self._sites.items()):
                if not site.lock.locked() and site.next_at < now:
                    del self._sites[known]
        return self._sites.setdefault(name, _Site())
