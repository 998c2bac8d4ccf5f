"""Waiting for events, with a limit that only a hang reaches.

A busy machine may take ten times as long for anything: no test compares a duration with what it
takes on a quiet one.
"""

from __future__ import annotations

import time
from collections.abc import Callable

HANG = 180.0
"""Seconds after which whatever has not happened is taken for a hang."""


def wait_until(happened: Callable[[], object], what: str) -> None:
    """Wait for an event; fail with `what` did not happen."""
    end = time.monotonic() + HANG
    while not happened():
        assert time.monotonic() < end, f"not within {HANG:g} s: {what}"
        time.sleep(0.02)
