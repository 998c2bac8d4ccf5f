"""`Studio`: what all pages of the application share: store, workers, index, secrets."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol, TypeVar

from forest_crawler.crawl.workers import Workers
from forest_crawler.errors import ForestError, LostConnectionError
from forest_crawler.store import store_file
from forest_crawler.store.full_text import FullText
from forest_crawler.store.studio_store import StudioStore, open_studio_store, read_studio_store
from forest_crawler.studio.options import StudioOptions
from forest_crawler.studio.rule_checks import RuleChecks, check_rules
from forest_crawler.studio.scores import Scores
from forest_crawler.studio.security import CsrfTokens
from forest_crawler.studio.site_list import SiteList

JOB_SECONDS = 20.0
"""Time limit of a job on the held pages of a site; a dozen pages take half a second."""

INDEX_STEP = 2000
"""Articles that a search adds to the index before it answers; a thread adds the rest."""

BACKGROUND_STEP = 200
BACKGROUND_PAUSE = 0.01
"""Articles that the thread adds at a time, and the seconds between, in which searches come in."""

_T = TypeVar("_T")


class Jobs(Protocol):
    """Runs functions on pages of strangers, within limits."""

    def run(self, seconds: float, function: Callable[..., _T], *args: Any) -> Awaitable[_T]:
        """Run a job for at most so many seconds."""

    def stop(self) -> None:
        """End what runs."""


class Studio:
    """One running application."""

    def __init__(self, options: StudioOptions, jobs: Jobs | None = None) -> None:
        self.options = options
        self.csrf = CsrfTokens()
        self.sites = SiteList(self.reading)
        self.scores = Scores()
        self.rule_checks = RuleChecks(lambda site: self.run(check_rules, options.store, site))
        self._jobs = jobs
        self._reading: StudioStore | None = None
        self._writing = threading.Lock()
        self._opening = threading.Lock()
        self._index: FullText | None = None
        self._indexing: threading.Thread | None = None
        self._counting: threading.Thread | None = None
        self._is_closing = threading.Event()

    def reading(self) -> StudioStore:
        """Return the store, open for reading, also while a crawl writes."""
        with self._opening:
            if self._reading is not None and self._reading.is_lost:
                self._reading.close()
                self._reading = None
            if self._reading is None:
                self._reading = read_studio_store(self.options.store)
            return self._reading

    @contextmanager
    def changing(self) -> Iterator[StudioStore]:
        """Open the store for one change.

        Raises `StoreError` if a crawl uses it.
        """
        with self._writing:
            try:
                with open_studio_store(self.options.store) as store:
                    yield store
            finally:
                self.sites.expire()

    def warm_up(self) -> None:
        """Begin to count the sites: in a large store this takes longer than a page may."""
        self._counting = threading.Thread(target=self._count_sites, daemon=True)
        self._counting.start()

    def _count_sites(self) -> None:
        with suppress(ForestError):  # the first page shows it
            self.sites.rows()

    async def run(self, function: Callable[..., _T], *args: Any) -> _T:
        """Run a job on pages of strangers in a limited process."""
        if self._jobs is None:
            self._jobs = Workers(1)
        return await self._jobs.run(JOB_SECONDS, function, *args)

    def index(self, step: int = INDEX_STEP) -> FullText:
        """Return the search index after adding up to `step` articles; a thread adds the rest."""
        if self._index is None:
            self._index = FullText(self.options.store, store_file(self.options.store))
        if self._indexing is None or not self._indexing.is_alive():
            missing = self._index.extend(self.reading(), step)
            if missing:
                self._indexing = threading.Thread(target=self._index_rest, daemon=True)
                self._indexing.start()
        return self._index

    def _index_rest(self) -> None:
        index = self._index
        try:
            while index is not None and not self._is_closing.is_set():
                if not index.extend(self.reading(), BACKGROUND_STEP):
                    return
                time.sleep(BACKGROUND_PAUSE)
        except LostConnectionError:
            return  # the next search goes on

    def close(self) -> None:
        """Stop the workers and close the store."""
        self._is_closing.set()
        for thread in (self._counting, self._indexing):
            if thread is not None:
                thread.join()  # closing a database under a statement crashes the process
        self.sites.stop()
        self.scores.stop()
        self.rule_checks.stop()
        if self._jobs is not None:
            self._jobs.stop()
        if self._reading is not None:
            self._reading.close()
        if self._index is not None:
            self._index.close()
