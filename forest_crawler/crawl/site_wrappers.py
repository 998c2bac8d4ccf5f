"""`SiteWrappers`: the wrappers known per site, and whether they still fit.

A site whose recent pages miss has drifted, and its wrappers are induced again; after an induction
that gave nothing, the next attempt waits for more misses.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace

from forest_crawler.crawl.bounded_dict import BoundedDict
from forest_crawler.crawl.drift import has_drifted, next_attempt
from forest_crawler.crawl.jobs import NumberedWrapper, SiteResult
from forest_crawler.errors import WrapperError
from forest_crawler.store import Store

FIRST_PAGES = 10
"""Pages after an induction that the page model checks all of."""

MAX_SITES = 300
"""Sites whose wrappers are kept in memory, about 10 kB each; others are read again. A crawl fetches
from fewer at a time."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Attempts:
    """Failed inductions of a site in this run, and the pages missed since."""

    failed: int = 0
    misses: int = 0

    @property
    def is_next_due(self) -> bool:
        return self.failed == 0 or self.misses >= next_attempt(self.failed)


class SiteWrappers:
    """What this run knows about wrappers; the wrappers themselves are in the store."""

    def __init__(self) -> None:
        self._wrappers: BoundedDict[str, tuple[NumberedWrapper, ...]] = BoundedDict(MAX_SITES)
        self._attempts: dict[str, _Attempts] = {}
        self._drifted: set[str] = set()
        self._unchecked: dict[str, int] = {}  # a site's next pages that are all to be checked

    @property
    def drifted(self) -> Collection[str]:
        """Sites whose wrappers are to be induced again."""
        return self._drifted

    def has_failed(self, site: str) -> bool:
        """Report whether the last induction of a site gave nothing."""
        return site in self._attempts

    def is_new(self, site: str) -> bool:
        """Report whether all of a site's next pages are checked.

        They are after an induction, and after a misfit: most pages of a trusted wrapper aren't
        checked, so one misfit may stand for many.
        """
        return self.unchecked(site) > 0

    def unchecked(self, site: str) -> int:
        """Return how many of a site's next pages are all checked."""
        return self._unchecked.get(site, FIRST_PAGES)

    def load(self, store: Store, site: str) -> tuple[NumberedWrapper, ...]:
        """Return a site's wrappers, kept for the last sites. Runs in the store's thread."""
        if site not in self._wrappers:
            try:
                stored = store.wrappers(site)
            except WrapperError as err:
                # Somebody edited the store. The site's pages still become articles.
                _log.error("%s: its wrappers are not used: %s", site, err)
                stored = []
            self._wrappers[site] = tuple((row.id, row.wrapper) for row in stored)
            if site not in self._unchecked:
                self._unchecked[site] = FIRST_PAGES - store.recent_fit(site)[1]
        return self._wrappers[site]

    def end_drift(self, site: str) -> None:
        """Note that a drifted site was induced again, with whatever result."""
        self._drifted.discard(site)

    def forget(self, site: str) -> None:
        """Forget a site's wrappers: the store has new ones."""
        self._wrappers.pop(site, None)
        self._unchecked.pop(site, None)
        self._attempts.pop(site, None)

    def note_failure(self, site: str) -> None:
        """Note that an induction gave nothing."""
        attempts = self._attempts.setdefault(site, _Attempts())
        attempts.failed, attempts.misses = attempts.failed + 1, 0

    def hold_back(self, result: SiteResult) -> SiteResult:
        """Leave pages held that miss with most siblings: new wrappers may fit them."""
        found = [
            page
            for page in result.pages
            if page.article is not None and not page.doubt and not page.is_stated
        ]
        fits = sum(page.is_fitted for page in found)
        attempts = self._attempts.get(result.site, _Attempts())
        is_wrapped = bool(self._wrappers.get(result.site))
        if not (is_wrapped and attempts.is_next_due and has_drifted(fits, len(found))):
            return result
        self._drifted.add(result.site)
        missed = {page.key for page in found if not page.is_fitted}
        kept = [page for page in result.pages if page.key not in missed]
        return replace(result, pages=tuple(kept))

    def note_checks(self, result: SiteResult) -> None:
        """Count down the pages that are all checked; a misfit begins the count again."""
        left = self._unchecked.get(result.site, FIRST_PAGES) - len(result.pages)
        is_misfit = any(page.agreement is not None and not page.is_fitted for page in result.pages)
        self._unchecked[result.site] = FIRST_PAGES if is_misfit else max(left, 0)

    def check_drift(self, site: str, misses: int, recent: tuple[int, int]) -> None:
        """Count misses and look for drift.

        `recent`: how many recent pages a wrapper fits, and how many there are.
        """
        attempts = self._attempts.get(site, _Attempts())
        attempts.misses += misses
        if has_drifted(*recent) and misses and attempts.is_next_due:
            self._drifted.add(site)
