"""Processor time, thing by thing: for ratios between steps that take turns in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

_T = TypeVar("_T")


def time_each(step: Callable[[_T], object], things: Iterable[_T]) -> list[float]:
    """Processor seconds of a step on each, what it made thrown away included."""
    seconds = []
    for thing in things:
        start = time.process_time()
        step(thing)
        seconds.append(time.process_time() - start)
    return seconds
