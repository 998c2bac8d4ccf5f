"""Run a step of a method under a time limit; its failure is a value, `Attempt`.

The limit ends Python code. It cannot interrupt a loop in C; for that the worker pool has a limit of
its own, which kills the process (`runner`).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from types import FrameType
from typing import Generic, TypeVar

from forest_crawler.errors import EmptyPageError, SampleError
from forest_crawler.evaluation.results import Failure

_T = TypeVar("_T")


class OutOfTimeError(BaseException):
    """The time is up; not an `Exception`, so that `except Exception` can't swallow it."""


class StoppedError(BaseException):
    """The worker got SIGTERM."""


@dataclass(frozen=True, slots=True)
class Attempt(Generic[_T]):
    """The result of a step: its value, or why there is none, and the time it took."""

    value: _T | None
    seconds: float
    failure: Failure | None = None
    detail: str | None = None


def attempt(step: Callable[[], _T], limit: float) -> Attempt[_T]:
    """Run a step for at most `limit` seconds, in the main thread only."""
    start = perf_counter()
    value: _T | None = None
    failure: Failure | None = None
    detail: str | None = None
    try:
        with _time_limit(limit):
            value = step()
    except EmptyPageError as err:
        failure, detail = "no-tree", str(err)
    except SampleError as err:
        failure, detail = "too-few-pages", str(err)
    except OutOfTimeError:
        failure, detail = "timeout", f"more than {limit:g} s"
    except TimeoutError as err:  # of a program or a server
        failure, detail = "timeout", describe_error(err)
    except (Exception, SystemExit) as err:
        failure, detail = "crash", describe_error(err)
    seconds = perf_counter() - start
    # A bare `except` in the step may have swallowed the alarm.
    if failure is None and seconds > limit:
        return Attempt(None, seconds, "timeout", f"more than {limit:g} s")
    return Attempt(value, seconds, failure, detail)


def describe_error(err: BaseException) -> str:
    """Describe an error in one line.

    >>> describe_error(ValueError("no such\\ntag")), describe_error(KeyboardInterrupt())
    ('ValueError: no such tag', 'KeyboardInterrupt')
    """
    return " ".join(f"{type(err).__name__}: {err}".rstrip(": \n").split())


@contextmanager
def clean_up_on_sigterm() -> Iterator[None]:
    """Let a worker that gets SIGTERM run its `finally` clauses before it ends.

    The pool's own handler ends the process at once, and a program that a method has started would
    keep running.
    """
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    except StoppedError:
        os._exit(1)  # otherwise the pool would give it the next unit
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ring(_signal: int, _frame: FrameType | None) -> None:
    raise OutOfTimeError


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise StoppedError
