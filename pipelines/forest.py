"""`ForestPipeline`: hands fetched pages to the crawl's engine.

The spider `feeds` uses it, and so can spiders of other projects: whoever yields `PageItem`s gets
wrappers and articles, and every new article comes back as an `ArticleItem`.
"""

from __future__ import annotations

import asyncio
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider, DropItem
from scrapy.http import Response
from scrapy.settings import BaseSettings

from forest_crawler.article.content.forms import FormOptions
from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.scope import Scope, compile_pattern, read_day
from forest_crawler.crawl.session import (
    DEFAULT_OUTPUT,
    VERSION_DAYS,
    CrawlSession,
    SessionOptions,
)
from forest_crawler.crawl.workers import WorkerLimits
from forest_crawler.errors import FatalError, ForestError, InputError, StoreError
from forest_crawler.export.archives import is_plain_lines
from forest_crawler.extraction.extraction import FALLBACK
from forest_crawler.fetching.lease_check import LeaseHooks, set_lease_hooks
from forest_crawler.fetching.rendering.middleware import DOCUMENT
from forest_crawler.fetching.warc_file import WarcFile
from forest_crawler.induction import DEFAULT_METHOD
from forest_crawler.pipelines.article_items import ArticleItems
from forest_crawler.pipelines.items import PageItem
from forest_crawler.setting_names import check_setting_names
from forest_crawler.store import DEFAULT_STORE_URL
from forest_crawler.store.runs import LEASE_SECONDS

STOP_GRACE = 5.0
"""Seconds for requests in flight after SIGTERM or Ctrl-C, or when store or workers are lost."""
STOP_CHECK = 0.2

crawl_shut_down = object()
"""Sent when store and workers are released but requests are still in flight; the process owner may
exit. Others may have crawls of their own in the process."""


class ForestPipeline:
    """Hands pages to the engine, and ties the engine's life to the spider's."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        settings = crawler.settings
        check_setting_names(settings)  # of scrapy.cfg's module, `-s`, or a spider
        # Looked up once: a lookup of Scrapy's collector costs as much as a count.
        session = CrawlSession(_options(settings), crawler.stats.inc_value, self._stop_crawl)
        self._items = ArticleItems(crawler)
        if settings.getbool("FOREST_ITEMS", True):
            session.announce = self._items.send
        try:
            self._warc = self._open_warc()
        except ForestError:
            session.abandon()
            raise
        # A quarter of the window: the other pages arrive while these are written.
        write_batch = max(settings.getint("CONCURRENT_REQUESTS") // 4, 1)
        sync = self._warc.sync if self._warc else None
        if session.options.join is not None:
            hooks = LeaseHooks(lambda: session.heartbeat.is_certain, session.note_delay)
            set_lease_hooks(crawler, hooks)
        self.engine = CrawlEngine(session, write_batch=write_batch, before_write=sync)
        self._finishing: asyncio.Task[None] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None
        crawler.signals.connect(self._finish_before_end, signals.spider_idle)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make a pipeline, as Scrapy does."""
        return cls(crawler)

    async def open_spider(self) -> None:
        """Resume what earlier runs left."""
        await self.engine.start()
        self._watch = asyncio.ensure_future(self._end_in_time())

    async def close_spider(self) -> None:
        """Release everything, so that the next run can resume."""
        self._items.close()
        await self.engine.close()
        if self._watch is not None and self._watch is not asyncio.current_task():
            self._watch.cancel()
        if self._warc is not None:
            self._warc.close()
            self._warc = None

    async def process_item(self, item: Any) -> Any:
        """Hand a page to the engine; it is on disk when this returns. Other items pass."""
        if isinstance(item, PageItem):
            try:
                await self.engine.add_page(item)
            except StoreError as err:
                raise DropItem("the store does not take it") from err
        return item

    def _open_warc(self) -> WarcFile | None:
        directory = self._crawler.settings.get("FOREST_WARC")
        if not directory:
            return None
        warc = WarcFile(directory)
        self._crawler.signals.connect(self._write_response, signals.response_received)
        return warc

    def _write_response(self, response: Response) -> None:
        if self._warc is not None:
            # Of a rendered page, the bytes that came from the network.
            self._warc.write(response.meta.get(DOCUMENT, response))

    def _stop_crawl(self, err: FatalError) -> None:
        self._crawler.stats.set_value("forest/fatal_error", str(err))
        scrapy_engine = self._crawler.engine
        if scrapy_engine is not None and scrapy_engine.spider is not None:
            closing = scrapy_engine.close_spider_async(reason="fatal_error")
            self._stopping = asyncio.ensure_future(closing)

    async def _end_in_time(self) -> None:
        """End in time after a signal or a loss: slow requests are repeated by later runs."""
        session = self.engine.session
        while self._crawler.crawling and not session.is_lost:
            await asyncio.sleep(STOP_CHECK)
        session.limit_waits()
        await asyncio.sleep(STOP_GRACE)
        await self.close_spider()
        self._crawler.signals.send_catch_log(crawl_shut_down)

    def _finish_before_end(self) -> None:
        """Keep an idle spider open until all held pages are articles."""
        if self.engine.is_idle:
            return
        if self._finishing is None or self._finishing.done():
            self._finishing = asyncio.ensure_future(self.engine.finish())
        raise DontCloseSpider


def _read_output(settings: BaseSettings) -> str:
    """Return the file of articles, which grows line by line; other forms need a whole run."""
    output = str(settings.get("FOREST_OUTPUT", DEFAULT_OUTPUT) or "")
    if output and not is_plain_lines(output):
        message = (
            f"{output!r} isn't a file of JSON lines, which is all that a pipeline can append to"
        )
        raise InputError(f"{message}; write other forms with `forest export -o`", "FOREST_OUTPUT")
    return output


def _options(settings: BaseSettings) -> SessionOptions:
    memory = settings.getint("FOREST_WORKER_MEMORY_MB", 1024) << 20
    joins = settings.getbool("FOREST_JOIN")
    return SessionOptions(
        store=settings.get("FOREST_STORE") or DEFAULT_STORE_URL,
        output=_read_output(settings),
        workers=settings.getint("FOREST_WORKERS") or None,
        limits=WorkerLimits(memory=memory),
        method=settings.get("FOREST_METHOD") or DEFAULT_METHOD,
        fallback=settings.get("FOREST_FALLBACK") or FALLBACK,
        join=settings.getfloat("FOREST_LEASE_SECONDS", LEASE_SECONDS) if joins else None,
        bodies=settings.get("FOREST_STORE_BODIES"),
        delay=settings.getfloat("DOWNLOAD_DELAY"),
        version_days=settings.getfloat("FOREST_VERSION_DAYS", VERSION_DAYS),
        scope=Scope(
            read_day(settings.get("FOREST_SINCE"), "FOREST_SINCE"),
            read_day(settings.get("FOREST_UNTIL"), "FOREST_UNTIL"),
            tuple(settings.getlist("FOREST_LANGUAGES")),
            compile_pattern(settings.get("FOREST_MATCH"), "FOREST_MATCH"),
            compile_pattern(settings.get("FOREST_REJECT"), "FOREST_REJECT"),
        ),
        forms=FormOptions(
            with_title=settings.getbool("FOREST_WITH_TITLE"),
            captions=settings.getbool("FOREST_CAPTIONS", True),
        ),
    )
