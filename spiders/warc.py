"""The spider `warc`: takes the pages of WARC files, without a network.

If a file has a site's feed, the pages that the feed names are taken; else all HTML pages of the
site, of which those without an article are skipped as in every crawl.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from scrapy.exceptions import CloseSpider

from forest_crawler.crawl.session import CrawlSession
from forest_crawler.crawl.source_jobs import Document, SourceReading, read_source
from forest_crawler.crawl.warc_records import Damage, read_documents
from forest_crawler.crawl.workers import WorkerError, Workers
from forest_crawler.errors import FatalError, InputError
from forest_crawler.fetching.content import is_html
from forest_crawler.pipelines.items import PageItem
from forest_crawler.spiders.archiving import ArchivingSpider
from forest_crawler.store import Candidate
from forest_crawler.urls.canonical import url_key
from forest_crawler.urls.hosts import site_of
from forest_crawler.urls.policy import ANYWHERE, refuse_url

MAX_WAITING = 100
"""Pages on their way into the store at a time."""

MAX_ENTRIES = 100_000
"""Feed entries that are kept for the pages they name."""

BATCH = 20
"""Records that are read in one go."""

READ_SECONDS = 10.0
"""Time limit of a worker for one feed."""

_FEED_STARTS = (b"<?xml", b"<rss", b"<feed", b"<rdf", b"{")

_log = logging.getLogger(__name__)


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
        self._entries: dict[str, Candidate] = {}
        self._fed_sites: set[str] = set()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="forest-warc")
        self._waiting = 0
        self._changed = asyncio.Event()

    async def start(self) -> AsyncIterator[Any]:
        """Yield the pages of all files, and wait until they are articles."""
        engine = self.find_engine()
        try:
            for name in self.files:
                async for item in self._items(name, engine.session):
                    yield item
            while self._waiting:
                self._changed.clear()
                await self._changed.wait()
            await engine.finish()
        except FatalError:
            return  # logged already; the crawl is closing
        # Scrapy itself would look for its end only every five seconds.
        raise CloseSpider("finished")

    async def _items(self, name: str, session: CrawlSession) -> AsyncIterator[PageItem]:
        damage = Damage()
        documents = read_documents(name, damage)
        loop = asyncio.get_running_loop()
        while batch := await loop.run_in_executor(
            self._thread, lambda: list(islice(documents, BATCH))
        ):
            for document, status in batch:
                if _is_feed(document):
                    await self._keep_entries(document, session.workers)
                elif item := self._item(document, status):
                    self._waiting += 1
                    yield item
            while self._waiting > MAX_WAITING:
                self._changed.clear()
                await self._changed.wait()
        if damage.broken or not damage.readable:
            self.damaged[name] = damage
            session.count(None, "warc/broken", damage.broken)

    async def _keep_entries(self, document: Document, workers: Workers) -> None:
        try:
            reading: SourceReading = await workers.run(READ_SECONDS, read_source, document)
        except WorkerError as err:
            _log.info("%s: %s", document.url, err)
            return
        for candidate in reading.candidates if reading.kind == "feed" else ():
            self._fed_sites.add(candidate.site)
            if len(self._entries) < MAX_ENTRIES:
                self._entries[candidate.key] = candidate

    def _item(self, document: Document, status: int) -> PageItem | None:
        site = site_of(document.url)
        keys = [url_key(document.url, exact=exact) for exact in (True, False)]
        if None in keys or refuse_url(document.url, ANYWHERE):
            return None
        named = next((self._entries[key] for key in keys if key in self._entries), None)
        if named is None and site in self._fed_sites:
            return None
        if not 200 <= status < 300 or not is_html(document.body, document.content_type or ""):
            return None
        return PageItem(
            document.url,
            document.body,
            status,
            document.content_type,
            guid=named.guid if named else None,
            entry=named.entry if named else None,
            fetched_at=document.now,
            named=named.key if named else None,
        )

    def release_page(self, item: PageItem) -> None:
        """Make room for another page: this one is in the store, or never will be."""
        self._waiting -= 1
        self._changed.set()


def _is_feed(document: Document) -> bool:
    head = document.body[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return head.startswith(_FEED_STARTS) and b"<html" not in head
