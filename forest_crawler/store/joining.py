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
    url: str,
    seconds: float,
    *,
    rest: float | None = None,
    bodies: str | None = None,
    say: Callable[[str], None] | None = None,
) -> Store:
    """Open a store as `open_store` does, to share it with leases of so many seconds.

    With `rest`, begin a run, as `begin_run` does. `say` gets the reason of every failed attempt;
    without it, the reason is logged.
    """
    end = time.monotonic() + MAX_WAIT
    while True:
        try:
            return _attempt(open_store(url, join=seconds, bodies=bodies), rest)
        except LostConnectionError as err:
            if time.monotonic() > end:
                raise
            (say or _log.warning)(f"{err}; trying again in {WAIT_INTERVAL:g} s")
            time.sleep(WAIT_INTERVAL)


def _attempt(store: Store, rest: float | None) -> Store:
    """Begin a run if there is to be one; close a store whose server is gone again.

    A run that the server has begun without confirming it ends by itself, as if killed.
    """
    if rest is not None:
        try:
            store.begin_run(rest=rest)
        except BaseException:
            store.close()
            raise
    return store
