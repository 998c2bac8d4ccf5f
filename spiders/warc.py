"""The spider `warc`: the pages of WARC files instead of the Web's, and no network.

Where a file has a site's feed, the pages that the feed names are taken; else all HTML pages of the
site, of which those without an article are skipped as in every crawl.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from scrapy.exceptions import CloseSpider

from forest_crawler.crawl.limits import MAX_BYTES
from forest_crawler.crawl.session import CrawlSession
from forest_crawler.crawl.source_jobs import Document, SourceReading, read_source
from forest_crawler.crawl.warc_records import Damage, read_responses
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
"""Pages that are on their way into the store at a time."""

MAX_ENTRIES = 100_000
"""Entries of feeds that are remembered for the pages behind them."""

READ_SECONDS = 10.0
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
        """The pages of all files, then what is to be done with them."""
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
            return  # said already; the crawl is being closed
        # Scrapy itself would look for its end every five seconds only.
        raise CloseSpider("finished")

    async def _items(self, name: str, session: CrawlSession) -> AsyncIterator[PageItem]:
        damage = Damage()
        records = read_records(name, damage)
        loop = asyncio.get_running_loop()
        while batch := await loop.run_in_executor(self._thread, lambda: list(islice(records, 20))):
            for document, status in batch:
                if _is_feed(document):
                    await self._remember(document, session.workers)
                elif item := self._item(document, status):
                    self._waiting += 1
                    yield item
            while self._waiting > MAX_WAITING:
                self._changed.clear()
                await self._changed.wait()
        if damage.records or not damage.whole:
            self.damaged[name] = damage
            session.count(None, "warc/broken", damage.records)

    async def _remember(self, document: Document, workers: Workers) -> None:
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
        key, site = url_key(document.url), site_of(document.url)
        if key is None or refuse_url(document.url, ANYWHERE):
            return None
        named = self._entries.get(key)
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
        )

    def release_page(self, item: PageItem) -> None:
        """Make room for another page: this one is in the store, or never will be."""
        self._waiting -= 1
        self._changed.set()


def read_records(name: str, damage: Damage) -> Iterator[tuple[Document, int]]:
    """The responses of a WARC file, but for those that are broken or too large."""
    for record in read_responses(name, damage):
        status = record.http_headers.get_statuscode()
        body = record.content_stream().read(MAX_BYTES["feed"] + 1)
        if status.isascii() and status.isdigit() and len(body) <= MAX_BYTES["feed"]:
            yield _document(record, body), int(status)


def _document(record: Any, body: bytes) -> Document:
    return Document(
        body,
        record.rec_headers.get_header("WARC-Target-URI") or "",
        record.http_headers.get_header("Content-Type"),
        rules=ANYWHERE,
        now=_moment(record.rec_headers.get_header("WARC-Date")),
    )


def _moment(text: str | None) -> float:
    from forest_crawler.text.dates import parse_date

    date = parse_date(text)
    return date.timestamp() if date else time.time()


def _is_feed(document: Document) -> bool:
    head = document.body[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return head.startswith(_FEED_STARTS) and b"<html" not in head
