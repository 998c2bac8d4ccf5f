"""`SourceSchedule`: which sources of a run are polled now, which later."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from forest_crawler.crawl.polling import is_due
from forest_crawler.store import Source

MAX_POLLS = 32
"""Polls under way at a time; the other requests in flight are pages."""

MIN_PAUSE = 60.0
"""Seconds between two polls of a source in one run."""

REFUSED_BY_OPTIONS = frozenset({"port", "private-address", "robots-private-address"})
"""Statuses that depend on the run's options: the next run may allow what this one does not."""


class SourceSchedule:
    """The sources that are due, being polled, or to be polled later.

    `is_watching`: poll sources again when they are due; `polls_all`: ignore when they are due.
    """

    def __init__(self, *, is_watching: bool = False, polls_all: bool = False) -> None:
        self.is_watching = is_watching
        self._polls_all = polls_all
        self._due: deque[Source] = deque()
        self._later: list[Source] = []
        self._polled: set[int] = set()
        self._active = 0

    @property
    def is_done(self) -> bool:
        """Whether this run polls nothing more."""
        return not (self._due or self._active or self.is_watching)

    @property
    def not_due(self) -> int:
        """How many sources this run has not polled, because it was too early."""
        return sum(source.id not in self._polled for source in self._later)

    @property
    def still_failing(self) -> list[Source]:
        """Sources that failed in earlier runs, and that this run has not polled."""
        waiting = (source for source in self._later if source.id not in self._polled)
        return [source for source in waiting if source.is_failing]

    def add(self, source: Source) -> None:
        """Schedule a source by when it is due."""
        is_exempt = self._polls_all or source.status in REFUSED_BY_OPTIONS
        if is_exempt or is_due(source.next_poll, time.time()):
            self._due.append(source)
        else:
            self._later.append(source)

    def begin_polls(self) -> Iterator[Source]:
        """Yield sources to poll now; each must come back to `end`."""
        if self.is_watching:
            self._take_due()
        while self._due and self._active < MAX_POLLS:
            source = self._due.popleft()
            self._polled.add(source.id)
            self._active += 1
            yield source

    def end(self, source: Source) -> None:
        """Schedule the next poll of a source as the store now has it."""
        self._active -= 1
        if not source.disabled:
            # Whatever happened in this poll, the next one is not at once.
            soonest = time.time() + MIN_PAUSE
            self._later.append(replace(source, next_poll=max(source.next_poll, soonest)))

    def _take_due(self) -> None:
        now = time.time()
        self._due.extend(source for source in self._later if is_due(source.next_poll, now))
        self._later = [source for source in self._later if not is_due(source.next_poll, now)]
