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


class _Idle(BaseException):
    """A loop has nothing to do now; `seconds` until it has, `None` if never."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds


class VirtualClock:
    """The time of a simulation."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Show this time to all code under test."""
        with (
            patch.object(time, "time", self),
            patch.object(time, "monotonic", self),
            patch.object(time, "clock_gettime", lambda _: self.now),
        ):
            yield


class _VirtualSelector(selectors.SelectSelector):
    """Gives control back to whoever runs the loop, instead of waiting."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout > 0:
            raise _Idle(timeout)
        return []


Operate = Callable[[Callable[[], Any]], Any]


class VirtualLoop(asyncio.SelectorEventLoop):
    """Runs coroutines in virtual time; what goes to a thread is done by `operate`, at once.

    Its result arrives after `delay()` seconds, in order, as from one thread. Several loops take
    turns, as processes do: each runs until it would wait.
    """

    def __init__(self, clock: VirtualClock, operate: Operate, delay: Callable[[], float]) -> None:
        super().__init__(_VirtualSelector())
        self._clock, self._operate, self._delay = clock, operate, delay
        self._busy_until = 0.0
        self._clock_resolution = TICK

    def time(self) -> float:
        return self._clock.now

    def run_until_idle(self) -> float | None:
        """Do all that is to be done now; return when there is more, `None` if never."""
        try:
            self.run_forever()
        except _Idle as idle:
            return None if idle.seconds is None else self._clock.now + max(idle.seconds, TICK)
        return None  # it was stopped

    def drop(self) -> None:
        """End all coroutines, as the end of a process does, and close the loop."""
        if self.is_closed():
            return
        for task in asyncio.all_tasks(self):
            task.cancel()
        self.run_until_idle()
        self.close()

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
