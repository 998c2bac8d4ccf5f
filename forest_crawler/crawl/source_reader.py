"""`SourceReader`: documents of a source → the pages that they name.

A source may be a feed, a page that names one, a sitemap, or a page with nothing but links to its
articles. Documents are read in workers; further ones are fetched as they are needed.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from forest_crawler.crawl.answers import Answer
from forest_crawler.crawl.source_jobs import Document, SourceReading, read_source
from forest_crawler.crawl.workers import Workers
from forest_crawler.feed.sitemaps import usual_sitemaps
from forest_crawler.urls.policy import UrlPolicy

READ_SECONDS = 10.0
"""Time limit of a worker for one document; the worst that are fetched take four or five."""

MAX_SITEMAPS = 5
"""Sitemaps of an index that are read in one poll: the news first, then the newest."""

Fetch = Callable[[str], Awaitable[Answer | None]]
"""Fetches a URL now; `None` if there is no response."""


class SourceReader:
    """Reads documents in workers, and follows where they lead."""

    def __init__(
        self, workers: Workers, fetch: Fetch, policy: UrlPolicy, max_feed_pages: int = 1
    ) -> None:
        self._workers = workers
        self._fetch = fetch
        self._policy = policy
        self._max_feed_pages = max_feed_pages

    async def read(self, answer: Answer, source_id: int) -> SourceReading:
        """Read one document. Raises `WorkerError` if it goes beyond a worker's limits."""
        document = Document(
            answer.body,
            answer.url,
            answer.content_type,
            source_id,
            self._policy,
            time.time(),
            answer.link,
        )
        return await self._workers.run(READ_SECONDS, read_source, document)

    async def follow(self, reading: SourceReading, source_id: int) -> SourceReading:
        """Add what a feed's next pages, or an index's sitemaps, name."""
        others = list(reading.others[:MAX_SITEMAPS]) if reading.kind == "sitemap" else []
        found = {c.key: c for c in reading.candidates}
        pages, next_page = 1, reading.next_page
        while others or (next_page and pages < self._max_feed_pages):
            more = await self._fetch_reading(
                others.pop(0) if others else next_page or "", source_id
            )
            pages, next_page, known = pages + 1, more.next_page, len(found)
            found = found | {c.key: c for c in more.candidates if c.key not in found}
            if len(found) == known:
                next_page = None  # feeds whose every page is the same
        return replace(reading, candidates=tuple(found.values()))

    async def discover(
        self, page: SourceReading, page_url: str, source_id: int
    ) -> tuple[Answer, SourceReading] | None:
        """Find a feed or sitemap with pages, by the page's links, then by usual URLs.

        If there is none, return one whose every page is refused.
        """
        refused: tuple[Answer, SourceReading] | None = None
        for url in (*page.others, *usual_sitemaps(page_url)):
            answer = await self._fetch_document(url)
            if answer is None:
                continue
            reading = await self.read(answer, source_id)
            if reading.kind == "page" or reading.reason:
                continue
            reading = await self.follow(reading, source_id)
            if reading.candidates:
                return answer, reading
            if reading.refusal and refused is None:
                refused = answer, reading
        return refused

    async def _fetch_reading(self, url: str, source_id: int) -> SourceReading:
        answer = await self._fetch_document(url)
        return await self.read(answer, source_id) if answer else SourceReading("feed")

    async def _fetch_document(self, url: str) -> Answer | None:
        answer = await self._fetch(url)
        return answer if answer is not None and answer.status == 200 else None
