"""`SiteCap`: how many new pages of a site one run schedules."""

from __future__ import annotations

import time
from collections.abc import Sequence

from forest_crawler.store import Candidate, Store

PERIOD = 24 * 3600.0
"""Seconds after which a run that goes on counts from zero."""


class SiteCap:
    """Lets at most `max_pages` new pages per site pass; a later run takes the rest."""

    def __init__(self, max_pages: int) -> None:
        self._max_pages = max_pages
        self._scheduled: dict[str, int] = {}
        self._counted_since = time.time()

    def apply(self, store: Store, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Drop new pages beyond the cap of their site. Runs in the store's thread."""
        if time.time() - self._counted_since > PERIOD:
            self._counted_since = time.time()
            self._scheduled.clear()
        known = store.known_keys([candidate.key for candidate in candidates])
        kept = []
        for candidate in candidates:
            number = self._scheduled.get(candidate.site, 0)
            if candidate.key not in known and number < self._max_pages:
                self._scheduled[candidate.site] = number + 1
            if candidate.key in known or number < self._max_pages:
                kept.append(candidate)
        return kept
