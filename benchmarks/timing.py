"""Measure CPU time item by item, for ratios of steps that alternate in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

_T = TypeVar("_T")


def time_each(step: Callable[[_T], object], items: Iterable[_T]) -> list[float]:
    """Measure CPU seconds of a step on each item, including freeing its result."""
    seconds = []
    for item in items:
        start = time.process_time()
        step(item)
        seconds.append(time.process_time() - start)
    return seconds
