"""`CrawlSession`: what a crawl has open — store, file of articles, workers — and what it counts."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from scrapy.crawler import Crawler

from forest_crawler.crawl.page_jobs import SiteResult
from forest_crawler.crawl.store_thread import StoreThread
from forest_crawler.crawl.workers import WorkerLimits, Workers
from forest_crawler.errors import FatalError, StoreError
from forest_crawler.store import DEFAULT_STORE_URL, ArchiveFile, Store, open_store

DEFAULT_OUTPUT = "articles.jsonl"

EXPORT_INTERVAL = 1.0
"""Seconds between two appends to the file of articles, each of which waits for the disk."""

LOCK_GRACE = 3.0
"""Seconds that another program has to let go of the store when the crawl is told to stop. What
could not be written is done again by the next run."""

_log = logging.getLogger(__name__)


class CrawlSession:
    """The open parts of one crawl."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self.store: Store = open_store(settings.get("FOREST_STORE") or DEFAULT_STORE_URL)
        output = Path(settings.get("FOREST_OUTPUT") or DEFAULT_OUTPUT)
        try:
            self.store.begin_run()
            self.file = ArchiveFile(self.store, output)
        except StoreError:
            self.store.close()
            raise
        self.store_thread = StoreThread(self.store, self._stop_crawl)
        self.workers = Workers(
            settings.getint("FOREST_WORKERS") or None,
            WorkerLimits(memory=settings.getint("FOREST_WORKER_MEMORY_MB", 1024) << 20),
            on_loss=self._stop_crawl,
        )
        self.sites: defaultdict[str, Counter[str]] = defaultdict(Counter)
        # Looked up once: every look at Scrapy's collector costs as much as a count.
        self._count: Callable[..., None] = crawler.stats.inc_value
        self._export: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._stale = False
        self._is_closed = False
        self.is_lost = False  # nothing more can come of this crawl

    def count(self, site: str | None, what: str, number: int = 1) -> None:
        """Add to the crawl's stats, and to those of a site."""
        if not number:
            return
        self._count(f"forest/{what}", number)
        if site is not None:
            if site not in self.sites:
                self._count("forest/sites")
            self.sites[site][what] += number

    def count_pages(self, result: SiteResult, archived: Collection[str]) -> None:
        """Count what became of a site's pages; `archived`: those whose articles are new."""
        site = result.site
        self.count(site, "articles", sum(page.key in archived for page in result.pages))
        for page in result.pages:
            self.count(site, "parts/joined", page.parts)
            if page.article is None:
                kind = "failed" if page.is_failure else "skipped"
                self.count(site, kind)
                self.count(None, f"{kind}/{page.reason}")
            elif page.is_fitted:
                self.count(site, "wrapper/applied")
            else:
                self.count(site, "wrapper/missed")
                self.count(site, f"fallback/{page.article.extractor.removeprefix('page:')}")

    def export_soon(self) -> None:
        """Let the file of articles follow the store."""
        self._stale = True
        if self._export is None or self._export.done():
            self._export = asyncio.ensure_future(self._export_stale())

    async def close(self) -> None:
        """Finish writing, end the run, and let go of everything; once."""
        if self._is_closed:
            return
        self._is_closed = True
        self.workers.stop()
        if self._export is not None:
            self._export.cancel()
        try:
            with suppress(StoreError):  # said already
                await self.store_thread.close(last=self._end_run)
        finally:
            self.file.close()
            self._close_store()

    def hurry(self) -> None:
        """The crawl must end: another program with a lock on the store is waited for no longer."""
        self.store.limit_waits(LOCK_GRACE)

    def abandon(self) -> None:
        """Let go of the store after a stop that left no time: the next run takes up from it."""
        if not self._is_closed:
            self._is_closed = True
            self.store.limit_waits(0)
            self.workers.stop()
            self.file.close()
            self._close_store()

    def _end_run(self, store: Store) -> None:
        self.file.export()
        store.end_run()

    async def _export_stale(self) -> None:
        while self._stale:
            await asyncio.sleep(EXPORT_INTERVAL)
            self._stale = False
            try:
                await self.store_thread.call(lambda _: self.file.export())
            except StoreError:
                return

    def _close_store(self) -> None:
        try:
            self.store.close()
        except StoreError as err:
            self._stop_crawl(err)

    def _stop_crawl(self, err: FatalError) -> None:
        """Nothing can be kept or read any more, so that nothing may be fetched any more."""
        self.is_lost = True
        _log.error("%s", err)
        self._crawler.stats.set_value("forest/fatal_error", str(err))
        engine = self._crawler.engine
        if engine is not None and engine.spider is not None:
            self._ending = asyncio.ensure_future(engine.close_spider_async(reason="fatal_error"))
