"""`Studio`: what all pages of the application share: store, workers, index, secrets."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from forest_crawler.crawl.workers import Workers
from forest_crawler.errors import LostConnectionError
from forest_crawler.store import store_file
from forest_crawler.store.full_text import FullText
from forest_crawler.store.studio_store import StudioStore, open_studio_store, read_studio_store
from forest_crawler.studio.options import StudioOptions
from forest_crawler.studio.scores import Scores
from forest_crawler.studio.security import CsrfTokens
from forest_crawler.studio.site_list import SiteList

JOB_SECONDS = 20.0
"""Time limit of a job on the held pages of a site; a dozen pages take half a second."""

INDEX_STEP = 2000
"""Articles that a search adds to the index before it answers; a thread adds the rest."""

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
        self._jobs = jobs
        self._reading: StudioStore | None = None
        self._writing = threading.Lock()
        self._opening = threading.Lock()
        self._index: FullText | None = None
        self._indexing: threading.Thread | None = None

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

    async def run(self, function: Callable[..., _T], *args: Any) -> _T:
        """Run a job on pages of strangers in a limited process."""
        if self._jobs is None:
            self._jobs = Workers(1)
        return await self._jobs.run(JOB_SECONDS, function, *args)

    def index(self) -> FullText:
        """Return the search index, with the newest articles; a thread adds what is left."""
        if self._index is None:
            self._index = FullText(self.options.store, store_file(self.options.store))
        if self._indexing is None or not self._indexing.is_alive():
            missing = self._index.extend(self.reading(), INDEX_STEP)
            if missing:
                self._indexing = threading.Thread(target=self._index_rest, daemon=True)
                self._indexing.start()
        return self._index

    def _index_rest(self) -> None:
        index = self._index
        try:
            while index is not None and index.extend(self.reading(), INDEX_STEP):
                pass
        except LostConnectionError:
            return  # the next search goes on

    def close(self) -> None:
        """Stop the workers and close the store."""
        self.scores.stop()
        if self._jobs is not None:
            self._jobs.stop()
        if self._reading is not None:
            self._reading.close()
        if self._index is not None:
            self._index.close()
