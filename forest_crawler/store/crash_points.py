"""Named points where a test kills the process, as `kill -9` does anywhere.

Each durable step of the store is between two of them. The environment variable names one:
`FOREST_CRASH_AT=archive-after-commit`, or `archive-after-commit:3` for the third time.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

VARIABLE = "FOREST_CRASH_AT"

STEPS = ("schema", "run", "source", "schedule", "lease", "hold", "release", "wrappers", "archive")
"""Transactions of the store, each committed on its own or with others as a `batch`; `release` is
that of `skip`, `fail` and `retry`."""

CRASH_POINTS: tuple[str, ...] = (
    *(
        f"{step}-{side}-commit"
        for step in (*STEPS, "batch", "record")
        for side in ("before", "after")
    ),
    "export-before-append",
    "export-half-appended",
    "export-after-append",
    "export-after-sync",
    "repair-after-cut",
)

_reached: Counter[str] = Counter()


def reach(name: str) -> None:
    """Kill this process if the environment names this point."""
    named = os.environ.get(VARIABLE)
    if not named:
        return
    if name not in CRASH_POINTS:
        raise ValueError(f"{name!r} isn't a crash point; add it to CRASH_POINTS")
    _reached[name] += 1
    point, _, times = named.partition(":")
    if point == name and _reached[name] == int(times or 1):
        os.kill(os.getpid(), signal.SIGKILL)
