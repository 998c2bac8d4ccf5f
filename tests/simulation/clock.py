"""A clock and an event loop without waiting: time passes when nothing else is left to do."""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

START = 1.8e9
"""Seconds since the epoch when every simulation starts."""

TICK = 1e-6
"""Seconds by which time passes at least: less would be lost in rounding."""


class HangError(Exception):
    """Nothing is left that could ever happen, though the run has not ended."""


class VirtualClock:
    """The time of a simulation."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Show this time to all code under test."""
        with patch.object(time, "time", self), patch.object(time, "monotonic", self):
            yield


class _VirtualSelector(selectors.SelectSelector):
    """Lets the time of the clock pass instead of waiting."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise HangError
        if timeout > 0:
            self._clock.now += max(timeout, TICK)
        return []


Operate = Callable[[Callable[[], Any]], Any]


class VirtualLoop(asyncio.SelectorEventLoop):
    """Runs coroutines in virtual time; what goes to a thread is done by `operate`, at once.

    Its result arrives after `delay()` seconds, in order, as from one thread.
    """

    def __init__(self, clock: VirtualClock, operate: Operate, delay: Callable[[], float]) -> None:
        super().__init__(_VirtualSelector(clock))
        self._clock, self._operate, self._delay = clock, operate, delay
        self._busy_until = 0.0
        self._clock_resolution = TICK

    def time(self) -> float:
        return self._clock.now

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        result = self.create_future()
        try:
            value, error = self._operate(lambda: func(*args)), None
        except Exception as err:
            value, error = None, err
        self._busy_until = max(self._busy_until, self._clock.now) + self._delay()
        self.call_at(self._busy_until, _deliver, result, value, error)
        return result


def _deliver(result: asyncio.Future[Any], value: Any, error: Exception | None) -> None:
    if result.cancelled():
        return
    if error is None:
        result.set_result(value)
    else:
        result.set_exception(error)
