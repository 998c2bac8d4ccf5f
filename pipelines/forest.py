"""`ForestPipeline`: fetched pages go into the store, articles come out of it.

The one item pipeline of a crawl. The spider `feeds` uses it, and so can spiders of other projects:
whoever yields `PageItem`s gets wrappers and articles.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider, DropItem
from scrapy.http import Response

from forest_crawler.crawl.page_writer import MOVED, PageWriter
from forest_crawler.crawl.session import CrawlSession
from forest_crawler.crawl.site_scheduler import SiteScheduler
from forest_crawler.errors import ForestError, StoreError
from forest_crawler.fetching.warc_file import WarcFile
from forest_crawler.pipelines.items import PageItem
from forest_crawler.store import Store
from forest_crawler.urls.canonical import url_key
from forest_crawler.urls.hosts import site_of

STOP_GRACE = 5.0
"""Seconds that requests under way have after SIGTERM or Ctrl-C, or when the store is lost."""
STOP_CHECK = 0.2

crawl_shut_down = object()
"""The signal that a crawl has put everything down, with requests still under way: whoever owns the
process may end it. Others may have crawls of their own in it."""


class ForestPipeline:
    """Holds pages, has the sites worked on, archives articles."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.session = CrawlSession(crawler)
        self.work = SiteScheduler(self.session, self)
        try:
            self._warc = self._open_warc()
        except ForestError:
            self.session.abandon()
            raise
        # A quarter of what may be under way: the other pages come while these are written.
        enough = max(crawler.settings.getint("CONCURRENT_REQUESTS") // 4, 1)
        sync = self._warc.sync if self._warc else None
        self._holding = PageWriter(self.session.store_thread, enough, sync)
        self._polling: Counter[str] = Counter()
        self._finishing: asyncio.Task[None] | None = None
        self._watch: asyncio.Task[None] | None = None
        crawler.signals.connect(self._finish_before_end, signals.spider_idle)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Scrapy's way to make one."""
        return cls(crawler)

    async def open_spider(self) -> None:
        """Take up what earlier runs left."""
        await self.work.start()
        self._watch = asyncio.ensure_future(self._end_in_time())

    async def close_spider(self) -> None:
        """Put everything down, so that the next run can take it up."""
        self.work.stop()
        await self.session.close()
        if self._watch is not None and self._watch is not asyncio.current_task():
            self._watch.cancel()
        if self._warc is not None:
            self._warc.close()
            self._warc = None

    async def process_item(self, item: Any) -> Any:
        """Keep a page; what this returns for is on disk. Other items pass."""
        if not isinstance(item, PageItem):
            return item
        key, site = url_key(item.url), site_of(item.url)
        if key is None or site is None:
            return item
        try:
            if item.is_part and item.key is not None and item.key != key:
                await self._lose_part(item.key, site)
                return item
            is_held = await self._holding.hold(item, key, site)
        except StoreError as err:
            raise DropItem("the store does not take it") from err
        if is_held:
            self.session.count(site, "parts" if item.is_part else "pages")
            self.work.add(site)
        return item

    async def _lose_part(self, key: str, site: str) -> None:
        """A part that leads elsewhere is none: often to the article's first page."""
        await self.session.store_thread.write(partial(Store.skip, key=key, reason=MOVED))
        self.work.lose_part(site)

    def begin_poll(self, site: str) -> None:
        """Pages of a site may come: its sample is not complete before `end_poll`."""
        self._polling[site] += 1

    def end_poll(self, site: str) -> None:
        """No more pages come from this one."""
        self._polling[site] -= 1
        if self._polling[site] <= 0:
            del self._polling[site]
            self.work.touch(site)

    def is_polling(self, site: str) -> bool:
        """Whether pages of a site may come that are not known yet."""
        return self._polling[site] > 0

    def _open_warc(self) -> WarcFile | None:
        directory = self._crawler.settings.get("FOREST_WARC")
        if not directory:
            return None
        warc = WarcFile(directory)
        self._crawler.signals.connect(self._keep_response, signals.response_received)
        return warc

    def _keep_response(self, response: Response) -> None:
        if self._warc is not None:
            self._warc.write(response)

    async def _end_in_time(self) -> None:
        """After a signal or a loss, do not wait for requests that take long: the store has them."""
        while self._crawler.crawling and not self.session.is_lost:
            await asyncio.sleep(STOP_CHECK)
        self.session.hurry()
        await asyncio.sleep(STOP_GRACE)
        await self.close_spider()
        self._crawler.signals.send_catch_log(crawl_shut_down)

    def _finish_before_end(self) -> None:
        """Keep a spider open that has nothing more to fetch until its pages are worked off."""
        if self.work.is_idle:
            return
        if self._finishing is None or self._finishing.done():
            self._finishing = asyncio.ensure_future(self.work.finish())
        raise DontCloseSpider
