"""`Heartbeat`: renews the leases of a crawl that shares its store, and knows when they end.

Requests are made only while the leases are certain: after a stop (SIGSTOP, a suspended machine) or
without the server, others may have taken the sites over.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time

from forest_crawler.crawl.store_thread import StoreThread
from forest_crawler.errors import StoreError
from forest_crawler.store import Store

BEATS = 6
"""Renewals per lease time: a few may be late."""

_log = logging.getLogger(__name__)


class Heartbeat:
    """Renews the leases every sixth of their time; `None` seconds: they have no end."""

    def __init__(self, store_thread: StoreThread, seconds: float | None) -> None:
        self._store_thread = store_thread
        self._seconds = seconds
        self._end = math.inf if seconds is None else _now() + seconds
        self._task: asyncio.Task[None] | None = None

    @property
    def is_certain(self) -> bool:
        """Whether the leases hold for sure, so that requests may be made."""
        return _now() < self._end

    def start(self) -> None:
        """Begin to renew, in the running event loop."""
        if self._seconds is not None:
            self._task = asyncio.ensure_future(self._beat(self._seconds))

    def stop(self) -> None:
        """Renew no longer."""
        if self._task is not None:
            self._task.cancel()

    async def _beat(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds / BEATS)
            began = _now()
            try:
                ended = await self._store_thread.call(Store.renew)
            except StoreError:
                return  # logged already; the crawl is closing
            self._end = began + seconds
            if ended:
                _log.warning("%d other process(es) gone; their sites are taken over", ended)


def _now() -> float:
    """Return the seconds since the machine's start, also those while it was suspended."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()
