"""How many pages of each site may be in flight: more for sites that answer.

A site that stalls would otherwise hold as many slots as one that answers, and one that fails would
take as much of the crawl's time. So a site starts with one slot and gains one with each answer. On
failure it drops to one slot, suspended for 1 s, doubling up to 30 s. Slots that no site has earned
are spare: any site may use them, up to a share of the window.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from forest_crawler.crawl.bounded_dict import BoundedDict

FIRST_SLOTS = 1

FIRST_PAUSE, MAX_PAUSE = 1.0, 30.0
"""Seconds that a site is suspended after a page that did not arrive; doubled each time."""

SPARE_SHARE = 0.5
"""Share of the window for pages of sites that have not answered yet; the rest is for those that
have."""

MAX_SITES = 10_000
"""Sites that are remembered; one that was not fetched from for long starts again."""


class _Trouble(NamedTuple):
    misses: int
    until: float


class SiteQuota:
    """The slots of every site, at most `max_slots` each."""

    def __init__(self, max_slots: int, clock: Callable[[], float] | None = None) -> None:
        self.max_slots = max_slots
        self._clock = clock or time.monotonic
        self._slots: BoundedDict[str, int] = BoundedDict(MAX_SITES)
        self._troubles: BoundedDict[str, _Trouble] = BoundedDict(MAX_SITES)

    def by_site(self) -> dict[str, int]:
        """Return the slots of all sites that don't have `FIRST_SLOTS` now: more, or none."""
        now = self._clock()
        suspended = {site: 0 for site, trouble in self._troubles.items() if now < trouble.until}
        return {**self._slots, **suspended}

    def spare(self, window: int, busy: Iterable[str]) -> int:
        """Return how many more pages may be in flight, of whatever site has some due.

        `busy` names the site of each page in flight.
        """
        unanswered = sum(site not in self._slots for site in busy)
        return max(int(window * SPARE_SHARE), 1) - unanswered

    def grow(self, site: str) -> None:
        """Give a slot to a site that has answered."""
        self._troubles.pop(site, None)
        # Popped first, so that it is the newest: the oldest are dropped.
        self._slots[site] = min(self._slots.pop(site, FIRST_SLOTS) + 1, self.max_slots)

    def shrink(self, site: str) -> None:
        """Suspend a site after a miss; misses while it is suspended count once."""
        self._slots.pop(site, None)
        now, before = self._clock(), self._troubles.pop(site, _Trouble(0, 0.0))
        if before.misses and now < before.until:
            self._troubles[site] = before
            return
        pause = min(FIRST_PAUSE * 2.0 ** min(before.misses, 10), MAX_PAUSE)
        self._troubles[site] = _Trouble(before.misses + 1, now + pause)
