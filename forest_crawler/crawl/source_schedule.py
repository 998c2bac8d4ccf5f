"""`SourceSchedule`: which sources of a run are polled now, which later."""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import replace

from forest_crawler.crawl.polling import is_due
from forest_crawler.store import Source

MAX_POLLS = 32
"""Polls under way at a time; the other requests in flight are pages."""

MIN_PAUSE = 60.0
"""Seconds between two polls of a source in one run."""

ELSEWHERE_PAUSE = (1.0, 3.0)
"""Seconds until another look at a source whose site another process works on: between these."""

REFUSED_BY_OPTIONS = frozenset({"port", "private-address", "robots-private-address"})
"""Statuses that depend on the run's options: the next run may allow what this one does not."""


class SourceSchedule:
    """The sources that are due, being polled, or to be polled later.

    `is_watching`: poll sources again when they are due; `polls_all`: ignore when they are due;
    `every`: seconds between polls, instead of the interval that adapts.
    """

    def __init__(
        self, *, is_watching: bool = False, polls_all: bool = False, every: float | None = None
    ) -> None:
        self.is_watching = is_watching
        self.every = every
        self._polls_all = polls_all
        self._due: deque[Source] = deque()
        self._later: list[Source] = []
        self._elsewhere: list[tuple[float, Source]] = []  # and when to look again
        self._polled: set[int] = set()
        self._active: set[int] = set()
        self._reported: set[int] = set()  # sources with news during their poll
        self._removed: set[str] = set()  # URLs whose poll is under way, and the last one

    @property
    def is_done(self) -> bool:
        """Whether this run polls nothing more."""
        return not (self._due or self._active or self._elsewhere or self.is_watching)

    @property
    def not_due(self) -> int:
        """How many sources this run has not polled, because it was too early."""
        return sum(source.id not in self._polled for source in self._later)

    @property
    def still_failing(self) -> list[Source]:
        """Sources that failed in earlier runs, and that this run has not polled."""
        waiting = (source for source in self._later if source.id not in self._polled)
        return [source for source in waiting if source.is_failing]

    @property
    def progress(self) -> tuple[int, int]:
        """How many sources this run has polled, and how many it has to."""
        polled = len(self._polled) - len(self._active)
        return polled, len(self._polled) + len(self._due)

    @property
    def next_poll(self) -> float | None:
        """When the next source is due, in seconds since the epoch; `None` without one."""
        return min((source.next_poll for source in self._later), default=None)

    def add(self, source: Source) -> None:
        """Schedule a source by when it is due."""
        self._removed.discard(source.url)
        if source.id in self._active:
            return  # it was removed from the list and is back: `end` schedules it
        is_exempt = self._polls_all or source.status in REFUSED_BY_OPTIONS
        source = replace(source, next_poll=self._next_poll(source))
        if is_exempt or is_due(source.next_poll, time.time()):
            self._due.append(source)
        else:
            self._later.append(source)

    def remove(self, urls: Collection[str]) -> None:
        """Poll these sources no longer; polls under way are the last ones."""
        self._due = deque(source for source in self._due if source.url not in urls)
        self._later = [source for source in self._later if source.url not in urls]
        self._elsewhere = [it for it in self._elsewhere if it[1].url not in urls]
        self._removed.update(urls)

    def poll_soon(self, source_id: int) -> None:
        """Poll a source of the list as soon as `MIN_PAUSE` allows: it has news."""
        if source_id in self._active:
            self._reported.add(source_id)
        self._later = [_hasten(it) if it.id == source_id else it for it in self._later]

    def begin_polls(self) -> Iterator[Source]:
        """Yield sources to poll now; each must come back to `end`."""
        if self.is_watching:
            self._take_due()
        self._take_back()
        while self._due and len(self._active) < MAX_POLLS:
            source = self._due.popleft()
            self._polled.add(source.id)
            self._active.add(source.id)
            yield source

    def put_back(self, source: Source) -> None:
        """Poll a source later that was to be polled now: another process works on its site."""
        self._active.discard(source.id)
        self._polled.discard(source.id)
        pause = random.uniform(*ELSEWHERE_PAUSE)  # noqa: S311  so that processes take turns
        self._elsewhere.append((time.monotonic() + pause, source))

    def drop(self, source: Source) -> None:
        """Poll a source when it is due next: another process has just polled it."""
        self._active.discard(source.id)
        self._polled.discard(source.id)
        if not source.disabled and source.url not in self._removed:
            self._later.append(source)

    def end(self, source: Source) -> None:
        """Schedule the next poll of a source as the store now has it."""
        self._active.discard(source.id)
        if source.url in self._removed:
            self._removed.discard(source.url)
        elif self.is_watching and not source.disabled:
            # Whatever happened in this poll, the next one is not at once.
            soonest = time.time() + MIN_PAUSE
            then = soonest if source.id in self._reported else max(source.next_poll, soonest)
            self._later.append(replace(source, next_poll=then))
        self._reported.discard(source.id)

    def _next_poll(self, source: Source) -> float:
        """Return when a source is due; after `every` if that is sooner and it doesn't fail."""
        if self.every is None or source.failures or source.last_poll is None:
            return source.next_poll
        return min(source.next_poll, source.last_poll + self.every)

    def _take_back(self) -> None:
        now = time.monotonic()
        self._due.extend(source for at, source in self._elsewhere if at <= now)
        self._elsewhere = [(at, source) for at, source in self._elsewhere if at > now]

    def _take_due(self) -> None:
        now = time.time()
        self._due.extend(source for source in self._later if is_due(source.next_poll, now))
        self._later = [source for source in self._later if not is_due(source.next_poll, now)]


def _hasten(source: Source) -> Source:
    soonest = max(time.time(), (source.last_poll or 0.0) + MIN_PAUSE)
    return replace(source, next_poll=min(source.next_poll, soonest))
