"""Join a store on a server that others share, and wait for the server if it doesn't answer.

Machines start in any order, and a server may be restarted just when a process joins.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from forest_crawler.errors import LostConnectionError
from forest_crawler.store.store import Store, open_store

MAX_WAIT, WAIT_INTERVAL = 30.0, 3.0
"""Seconds that a process waits for its server, and between two attempts."""

_log = logging.getLogger(__name__)


def join_store(
    url: str, seconds: float, *, bodies: str | None = None, say: Callable[[str], None] | None = None
) -> Store:
    """Open a store as `open_store` does, to share it with leases of so many seconds.

    `say` gets the reason of every failed attempt; without it, the reason is logged.
    """
    end = time.monotonic() + MAX_WAIT
    while True:
        try:
            return open_store(url, join=seconds, bodies=bodies)
        except LostConnectionError as err:
            if time.monotonic() > end:
                raise
            (say or _log.warning)(f"{err}; trying again in {WAIT_INTERVAL:g} s")
            time.sleep(WAIT_INTERVAL)
