"""Which sites' pages come first: those of sites that answer.

A site that stalls would hold as many of the crawl's places as one that answers, and one that fails
would take as much of its time. So a site begins with one place and gets another with every answer;
when a page does not come it is back at one, which is its own only after a pause, longer with every
miss in a row. Places that nobody else can use are for all sites alike, up to a share of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from scrapy.utils.datatypes import LocalCache

FIRST_PLACES = 1

FIRST_PAUSE, MAX_PAUSE = 1.0, 30.0
"""Seconds that a site waits behind the others after a page that did not come; doubled each time."""

SPARE_SHARE = 0.5
"""Of all places, those that sites may fill which do not answer, each beyond its own one: the rest
stays for those that do."""

MAX_SITES = 10_000
"""Sites that something is known of; who has not been asked for long begins anew."""


class _Trouble(NamedTuple):
    misses: int
    until: float


class SiteQuota:
    """The places of every site, of which none has more than `most`."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._clock = clock
        self._places: LocalCache[str, int] = LocalCache(MAX_SITES)
        self._troubles: LocalCache[str, _Trouble] = LocalCache(MAX_SITES)

    def by_site(self) -> dict[str, int]:
        """The sites that have other than `FIRST_PLACES` now: more, or none for a while."""
        now = self._clock()
        paused = {site: 0 for site, trouble in self._troubles.items() if now < trouble.until}
        return {**self._places, **paused}

    def spare(self, window: int, busy: Iterable[str]) -> int:
        """Of all places, how many may be filled by whoever has pages; `busy`: the sites of those
        that are taken, as often as they are."""
        unanswered = sum(site not in self._places for site in busy)
        return max(int(window * SPARE_SHARE), 1) - unanswered

    def grow(self, site: str) -> None:
        """A site has answered."""
        self._troubles.pop(site, None)
        # Taken out first: what has been in the cache longest is dropped from it.
        self._places[site] = min(self._places.pop(site, FIRST_PLACES) + 1, self.most)

    def shrink(self, site: str) -> None:
        """A page of a site has not come; those that were asked for with it are the same miss."""
        self._places.pop(site, None)
        now, before = self._clock(), self._troubles.pop(site, _Trouble(0, 0.0))
        if before.misses and now < before.until:
            self._troubles[site] = before
            return
        pause = min(FIRST_PAUSE * 2.0 ** min(before.misses, 10), MAX_PAUSE)
        self._troubles[site] = _Trouble(before.misses + 1, now + pause)
