"""The spider `warc`: takes the pages of WARC files, without a network.

If a file has a site's feed, the pages that the feed names are taken; else all HTML pages of the
site, of which those without an article are skipped as in every crawl. A site's sample comes first,
chosen as in a batch (`forest batch`), so that both give the same articles.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from typing import Any

from scrapy.exceptions import CloseSpider

from forest_crawler.batch.scan import FileScan, join_samples, read_ahead, scan_file
from forest_crawler.batch.site_plans import read_samples
from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.warc_pages import (
    NamedPages,
    gather_named,
    is_feed,
    make_page,
    page_hash,
)
from forest_crawler.crawl.warc_records import Damage, read_responses
from forest_crawler.errors import FatalError, InputError
from forest_crawler.pipelines.items import PageItem
from forest_crawler.spiders.archiving import ArchivingSpider
from forest_crawler.store.records import HeldPage

MAX_WAITING = 100
"""Pages on their way into the store at a time."""

SITES_AT_ONCE = 100
"""Sites whose samples are in memory at a time: some 50 MB of pages."""


class WarcSpider(ArchivingSpider):
    """Takes pages from WARC files; `files`: their names, separated by commas."""

    name = "warc"

    def __init__(self, files: str | Iterable[str] = (), **kw: Any) -> None:
        super().__init__(**kw)
        self.files = files.split(",") if isinstance(files, str) else list(files)
        for name in self.files:
            if not Path(name).is_file():
                raise InputError("no such file", name)
        self.damaged: dict[str, Damage] = {}
        self._seen: set[int] = set()
        self._waiting = 0
        self._changed = asyncio.Event()

    async def start(self) -> AsyncIterator[Any]:
        """Yield the pages of all files, and wait until they are articles."""
        engine = self.find_engine()
        try:
            scans, named = await self._scan(engine)
            async for item in self._samples(engine, scans, named):
                yield item
            for name in self.files:
                async for item in self._rest(name, named):
                    yield item
            await self._wait(0)
            await engine.finish()
            await self._finish_items()
        except FatalError:
            return  # logged already; the crawl is closing
        # Scrapy itself would look for its end only every five seconds.
        raise CloseSpider("finished")

    async def _scan(self, engine: CrawlEngine) -> tuple[list[FileScan], NamedPages]:
        """Look through all files, again if they have feeds; note what is damaged."""
        session = engine.session
        scans = [await scan_file(session.workers, *it) for it in enumerate(self.files)]
        for name, scan in zip(self.files, scans, strict=True):
            if scan.damage.broken or not scan.damage.readable:
                self.damaged[name] = scan.damage
                session.count(None, "warc/broken", scan.damage.broken)
        named = gather_named(found for scan in scans for found in scan.candidates)
        if named:
            scans = [await scan_file(session.workers, *it, named) for it in enumerate(self.files)]
        return scans, named

    async def _samples(
        self, engine: CrawlEngine, scans: Sequence[FileScan], named: NamedPages
    ) -> AsyncIterator[PageItem]:
        """Yield the pages of samples, those of a site in the order of their hashes."""
        samples = join_samples(scans)
        engine.begin_sample(samples)
        for start in range(0, len(samples), SITES_AT_ONCE):
            sites = sorted(samples)[start : start + SITES_AT_ONCE]
            chosen = {site: samples[site] for site in sites}
            loop = asyncio.get_running_loop()
            held = await loop.run_in_executor(None, read_samples, self.files, chosen, named)
            for pages in held.values():
                for _, page in pages:
                    yield self._item(page)
            await self._wait(0)
            engine.end_sample(sites)

    async def _rest(self, name: str, named: NamedPages) -> AsyncIterator[PageItem]:
        """Yield the pages of a file that were not there before."""
        async for response in read_ahead(read_responses(name, Damage())):
            if is_feed(response.document):
                continue
            page = make_page(response.document, response.status, named)
            if page is not None and page_hash(page.key) not in self._seen:
                yield self._item(page)
                await self._wait(MAX_WAITING)

    async def _wait(self, most: int) -> None:
        """Wait until at most so many pages are on their way into the store."""
        while self._waiting > most:
            self._changed.clear()
            await self._changed.wait()

    async def _finish_items(self) -> None:
        """Wait until Scrapy is done with all items.

        It announces that an item is scraped before it counts it as done. A spider that it closes in
        between would never end, since it does not look at the count again.
        """
        scrapy_engine = self.crawler.engine
        slot = scrapy_engine.scraper.slot if scrapy_engine is not None else None
        while slot is not None and slot.itemproc_size > 0:
            await asyncio.sleep(0.01)

    def _item(self, page: HeldPage) -> PageItem:
        self._seen.add(page_hash(page.key))
        self._waiting += 1
        return PageItem(
            page.url,
            page.body,
            page.status,
            page.content_type,
            guid=page.guid,
            entry=page.entry,
            fetched_at=page.fetched_at,
            named=page.key,
        )

    def release_page(self, item: PageItem) -> None:
        """Make room for another page: this one is in the store, or never will be."""
        self._waiting -= 1
        self._changed.set()
