"""`HostPatience`: how long a run waits for a host that puts its pages off.

A host may ask for a pause again and again (429, Retry-After, a robots.txt that is unavailable), and
a long crawl delay makes pages wait for their turn. A run has an end: after so many pauses in a row,
or so much time in all, what is left of the host is for the next run.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from forest_crawler.crawl.bounded_dict import BoundedDict
from forest_crawler.crawl.polling import back_off

MAX_PAUSES = 5
"""Pauses in a row, without an answer between them, that a run waits for."""

MAX_HOST_WAIT = 3600.0
"""Seconds after a host's first put-off for which a run waits for it."""

MAX_HOSTS = 10_000
"""Hosts that are remembered; one whose last put-off was long ago starts again."""

REST = 600.0
"""Seconds for which a run without end leaves a host, doubled each time."""


@dataclass(slots=True)
class _Waits:
    first: float  # when the host first put something off
    until: float  # when its present pause ends
    reason: str
    pauses: int = 0  # in a row
    left_until: float = 0.0
    times_left: int = 0


class HostPatience:
    """The put-offs of each host in this run; `is_watching`: the run has no end."""

    def __init__(
        self, *, is_watching: bool = False, clock: Callable[[], float] | None = None
    ) -> None:
        self._is_watching = is_watching
        self._clock = clock or time.time
        self._waits: BoundedDict[str, _Waits] = BoundedDict(MAX_HOSTS)

    def put_off(self, host: str, reason: str, until: float, *, is_pause: bool) -> None:
        """Note that a page is put off; put-offs within one pause count once.

        `is_pause`: the host wants a pause; else the page only waits for its turn.
        """
        now = self._clock()
        waits = self._waits.pop(host, None) or _Waits(now, now, reason)
        self._waits[host] = waits  # the newest: the oldest are dropped
        if is_pause and now >= waits.until:
            waits.pauses += 1
            waits.until, waits.reason = max(until, now), reason

    def answer(self, host: str) -> None:
        """Note that a host has answered: its pauses are no longer in a row."""
        if waits := self._waits.get(host):
            waits.pauses = waits.times_left = 0

    def left_until(self, host: str) -> tuple[float, str] | None:
        """Return until when a host is left, and why; `None` if the run waits for it."""
        waits, now = self._waits.get(host), self._clock()
        if waits is None:
            return None
        if waits.left_until and waits.left_until <= now:
            waits.first, waits.pauses, waits.left_until = now, 0, 0.0
        if not waits.left_until and self._is_spent(waits, now):
            waits.times_left += 1
            rest = back_off(REST, waits.times_left) if self._is_watching else math.inf
            waits.left_until = now + rest
        return (waits.left_until, waits.reason) if waits.left_until else None

    def pause_end(self, host: str) -> float:
        """Return when the host's last pause ends or ended, at the earliest now."""
        waits = self._waits.get(host)
        return max(self._clock(), waits.until if waits else 0.0)

    def is_too_late(self, host: str, at: float) -> bool:
        """Report whether a page is put off to a time for which the run doesn't wait."""
        waits = self._waits.get(host)
        return not self._is_watching and waits is not None and at > waits.first + MAX_HOST_WAIT

    def _is_spent(self, waits: _Waits, now: float) -> bool:
        is_overdue = not self._is_watching and now > waits.first + MAX_HOST_WAIT
        return is_overdue or waits.pauses > MAX_PAUSES
