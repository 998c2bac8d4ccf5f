"""How many pages of a site are fetched at a time: as many as it has shown that it can give.

A site that stalls would else hold as many of the crawl's places as one that answers, and one that
fails would take as much of its time. So a site begins with one place and gets another with every
page that comes. With a page that does not it is back at one, and has to wait for that: longer with
every miss in a row. Where no connection comes about, its other pages are soon put off altogether.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from .reasons import CONNECTION, TIMEOUT, UNKNOWN_HOST

FIRST_PLACES = 1

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 4.0
"""Seconds that a site is left alone after a page that did not come; doubled with the next one."""

UNREACHABLE = frozenset({CONNECTION, TIMEOUT, UNKNOWN_HOST})
"""Reasons for which the next page of the same site will hardly come either."""

MOST_UNREACHED = 3
"""Pages in a row that are not reached before the site's others are put off. Each has been tried
more than once, and each time may have taken as long as a request may."""


@dataclass(frozen=True, slots=True)
class _Trouble:
    misses: int = 0
    unreached: int = 0
    until: float = 0.0


class SitePlaces:
    """The places of every site, of which none has more than `most`."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._places: dict[str, int] = {}
        self._troubles: dict[str, _Trouble] = {}

    def by_site(self) -> dict[str, int]:
        """The sites that have other than `FIRST_PLACES` now: more, or none for a while."""
        now = self._clock()
        paused = {site: 0 for site, trouble in self._troubles.items() if now < trouble.until}
        return self._places | paused

    def is_troubled(self, site: str) -> bool:
        """Whether the last page of a site did not come."""
        return site in self._troubles

    def grow(self, site: str) -> None:
        """A page of a site has come."""
        self._troubles.pop(site, None)
        self._places[site] = min(self._places.get(site, FIRST_PLACES) + 1, self._most)

    def shrink(self, site: str, reason: str) -> bool:
        """A page of a site has not come; whether the site's others will not come either."""
        self._places.pop(site, None)
        before = self._troubles.get(site, _Trouble())
        pause = min(FIRST_PAUSE * 2.0 ** min(before.misses, 8), LONGEST_PAUSE)
        unreached = before.unreached + 1 if reason in UNREACHABLE else 0
        self._troubles[site] = _Trouble(before.misses + 1, unreached, self._clock() + pause)
        return unreached >= MOST_UNREACHED
