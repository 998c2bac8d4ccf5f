"""`CrawlSession`: a crawl's store, file of articles, workers and counts."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from forest_crawler.article.content.forms import DEFAULT_FORMS, FormOptions
from forest_crawler.crawl.body_transfers import BodyTransfers
from forest_crawler.crawl.heartbeat import Heartbeat
from forest_crawler.crawl.jobs import PageResult, SiteResult
from forest_crawler.crawl.scope import Scope
from forest_crawler.crawl.store_thread import StoreThread
from forest_crawler.crawl.workers import WorkerLimits, Workers
from forest_crawler.errors import FatalError, FencedError, StoreError
from forest_crawler.extraction.extraction import FALLBACK, get_fallback
from forest_crawler.induction.induce import DEFAULT_METHOD, get_site_method
from forest_crawler.store import DEFAULT_STORE_URL, ArchiveFile, Store, open_store
from forest_crawler.store.joining import join_store
from forest_crawler.store.skipped_file import skipped_path, write_skipped
from forest_crawler.urls.hosts import site_of

DEFAULT_OUTPUT = "articles.jsonl"

EXPORT_INTERVAL = 1.0
"""Seconds between two appends to the file of articles, because each waits for the disk."""

VERSION_DAYS = 2.0
"""Days after which the versions of an article are no longer fetched: live blogs end by then."""

SKIPPED_INTERVAL = 300.0
"""Seconds between two writes of the file of skipped pages, which is written as a whole."""

LOCK_GRACE = 3.0
"""Seconds that another program has to release its lock on the store when the crawl must stop. The
next run repeats what could not be written."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """Where a crawl keeps its data, and what its workers may take."""

    store: str = DEFAULT_STORE_URL
    output: str = DEFAULT_OUTPUT  # "": no file; the articles stay in the store
    workers: int | None = None  # None: one per processor
    limits: WorkerLimits = field(default_factory=WorkerLimits)
    method: str = DEFAULT_METHOD  # the site-level method that induces wrappers
    fallback: str = FALLBACK  # the page-level method for pages that no wrapper fits
    forms: FormOptions = DEFAULT_FORMS  # what the forms of articles contain
    scope: Scope = field(default_factory=Scope)  # which pages and articles are wanted
    join: float | None = None  # share the store, with leases of so many seconds
    bodies: str | None = None  # where the bodies of pages are kept; None: in the store
    delay: float = 0.0  # seconds between two requests to a site
    version_days: float = VERSION_DAYS  # after which changed articles aren't fetched again


class CrawlSession:
    """The open parts of one crawl.

    `count` adds to a statistic; `stop` ends the crawl after a fatal error. `store` and `workers`
    replace those that the options name.
    """

    def __init__(
        self,
        options: SessionOptions,
        count: Callable[[str, int], None],
        stop: Callable[[FatalError], None],
        *,
        store: Store | None = None,
        workers: Workers | None = None,
    ) -> None:
        self._count, self._stop = count, stop
        self.options = options
        # Unknown names are refused before anything is opened.
        get_site_method(options.method)
        get_fallback(options.fallback)
        self.store: Store = _begin_run(options, store)
        try:
            self.file = ArchiveFile(self.store, Path(options.output)) if options.output else None
        except StoreError:
            self.store.close()
            raise
        self.store_thread = StoreThread(self.store, self._lose)
        self.bodies = BodyTransfers(self.store, self.store_thread)
        self.heartbeat = Heartbeat(self.store_thread, options.join)
        self.workers = workers or Workers(options.workers, options.limits, on_loss=self._lose)
        self.sites: defaultdict[str, Counter[str]] = defaultdict(Counter)
        # Per site, strip rules that would have taken content, and on how many pages.
        self.eaten_by: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.left: dict[str, str] = {}  # hosts with pages for the next run, and why
        self._export: asyncio.Task[None] | None = None
        self._stale = False
        self.skipped_path = skipped_path(options.output) if options.output else None
        self._next_skipped = time.monotonic() + SKIPPED_INTERVAL
        self._is_closed = False
        # Gets the lines of new articles, once they are archived.
        self.announce: Callable[[Sequence[str]], Awaitable[None]] = _announce_to_nobody
        self.is_fenced = False  # others have taken over
        self.is_lost = False  # the store or the workers failed: nothing more can come of this crawl

    def start(self) -> None:
        """Begin to renew the leases."""
        self.heartbeat.start()

    async def note_delay(self, url: str, seconds: float) -> None:
        """Note the delay that a URL's host wants, for whoever takes its site over.

        Raises `StoreError` if the store does not take it: then no request may be made.
        """
        site = site_of(url)
        if self.store.is_shared and site is not None and seconds > self.options.delay:
            step = partial(Store.note_delay, site=site, seconds=seconds)
            await self.store_thread.write(step)

    def count(self, site: str | None, what: str, number: int = 1) -> None:
        """Add to the crawl's stats, and to those of a site."""
        if not number:
            return
        self._count(f"forest/{what}", number)
        if site is not None:
            if site not in self.sites:
                self._count("forest/sites", 1)
            self.sites[site][what] += number

    def count_pages(self, result: SiteResult, archived: Collection[str]) -> None:
        """Count the results of a site's pages; `archived`: those whose articles are new."""
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
                self._count_check(site, page)
            elif page.is_stated:
                self.count(site, f"stated/{page.article.extractor}")
            else:
                self.count(site, "wrapper/missed")
                self._count_check(site, page)
                self.count(site, f"fallback/{page.article.extractor.removeprefix('page:')}")

    def _count_check(self, site: str, page: PageResult) -> None:
        """Count what the page model said about the wrapper's selection."""
        if page.agreement is None:
            return
        self.count(site, "wrapper/checked")
        self.count(site, "wrapper/agreement", round(100 * page.agreement))
        self.count(site, "wrapper/misfit", int(not page.is_fitted))
        for rule in page.eaten_by:
            self.count(site, "wrapper/eaten")
            self.eaten_by[site][rule] += 1

    def count_doubts(self, result: SiteResult, doubted: Mapping[str, str]) -> None:
        """Count the pages of a site that are to be fetched again."""
        for page in result.pages:
            if page.key in doubted:
                self.count(result.site, "doubted")
                self.count(None, f"doubted/{doubted[page.key]}")

    def export_soon(self) -> None:
        """Append new articles of the store to the file of articles."""
        self._stale = True
        if self._export is None or self._export.done():
            self._export = asyncio.ensure_future(self._export_stale())

    async def close(self) -> None:
        """Finish writing, end the run, and release everything; once."""
        if self._is_closed:
            return
        self._is_closed = True
        self.heartbeat.stop()
        self.workers.stop()
        if self._export is not None:
            self._export.cancel()
        try:
            with suppress(StoreError):  # logged already
                await self.store_thread.close(last=self._end_run)
            await self.bodies.close()
        finally:
            self._close_file()
            self._close_store()

    def limit_waits(self) -> None:
        """Wait no longer for another program's lock on the store: the crawl must end."""
        self.store.limit_waits(LOCK_GRACE)
        self.store_thread.end_soon()

    def abandon(self) -> None:
        """Release the store after a stop that left no time; the next run resumes from it."""
        if not self._is_closed:
            self._is_closed = True
            self.store.limit_waits(0)
            self.workers.stop()
            self.bodies.stop()
            self._close_file()
            self._close_store()

    def _end_run(self, store: Store) -> None:
        self._append(store)
        store.end_run()
        self._write_skipped(store)

    async def _export_stale(self) -> None:
        while self._stale:
            await asyncio.sleep(EXPORT_INTERVAL)
            self._stale = False
            try:
                await self.store_thread.call(self._write_files)
            except StoreError:
                return

    def _write_files(self, store: Store) -> None:
        self._append(store)
        if time.monotonic() >= self._next_skipped:
            self._write_skipped(store)
            self._next_skipped = time.monotonic() + SKIPPED_INTERVAL

    def _append(self, _: Store) -> None:
        """Append new articles to their file, if there is one."""
        if self.file is not None:
            self.file.export()

    def _write_skipped(self, store: Store) -> None:
        if self.skipped_path is not None:
            write_skipped(store, self.skipped_path)

    def _close_file(self) -> None:
        if self.file is not None:
            self.file.close()

    def _close_store(self) -> None:
        try:
            self.store.close()
        except StoreError as err:
            self._lose(err)

    def _lose(self, err: FatalError) -> None:
        """Stop the crawl: without store or workers, fetching is of no use."""
        self.is_lost = True
        self.is_fenced |= isinstance(err, FencedError)
        _log.error("%s", err)
        self._stop(err)


def _begin_run(options: SessionOptions, store: Store | None) -> Store:
    """Begin a run in a store, or in the one that the options name."""
    if store is None and options.join is not None:
        return join_store(options.store, options.join, rest=options.delay, bodies=options.bodies)
    store = store or open_store(options.store, bodies=options.bodies)
    try:
        store.begin_run(rest=options.delay)
    except StoreError:
        store.close()
        raise
    return store


async def _announce_to_nobody(lines: Sequence[str]) -> None:
    """Leave the articles to the file and the store."""
