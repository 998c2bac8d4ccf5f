"""`FullText`: fetch pages and feeds as a crawl does, and make articles of them.

What strangers wrote is parsed in a limited worker process. Articles are kept for some hours, so a
reader that polls a feed every few minutes causes one fetch per new entry.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from starlette.concurrency import run_in_threadpool

from forest_crawler.article.page_article import extract_article
from forest_crawler.crawl.workers import WorkerError, Workers
from forest_crawler.datasets.package_writer import file_source
from forest_crawler.errors import EmptyPageError, FetchError
from forest_crawler.export.feed import FeedHead
from forest_crawler.export.feed_rows import feed_row
from forest_crawler.feed.reader import read_feed
from forest_crawler.feed.records import Feed, FeedEntry
from forest_crawler.fetching.page_fetch import FetchedPage, PageFetch
from forest_crawler.store import read_store
from forest_crawler.studio.service.kept import Kept
from forest_crawler.studio.service.options import ServiceOptions
from forest_crawler.studio.service.turns import BusyError, Turns
from forest_crawler.studio.studio import JOB_SECONDS, Jobs
from forest_crawler.urls.canonical import url_key
from forest_crawler.urls.hosts import site_of
from forest_crawler.wrapper.wrapper import Wrapper

_V = TypeVar("_V")


@dataclass(frozen=True, slots=True)
class FullFeed:
    """A feed with full texts; entries whose pages are still being fetched are left out."""

    head: FeedHead
    rows: list[dict[str, Any]]
    is_whole: bool


class FullText:
    """Makes articles of URLs and of HTML; robots.txt and the address guard hold for each fetch."""

    def __init__(self, options: ServiceOptions, jobs: Jobs | None = None) -> None:
        self.options = options
        self._jobs = jobs
        self._turns = Turns(options.max_fetches, options.site_pause)
        self._feeds: Kept[Feed] = Kept(options.max_cached)
        self._articles: Kept[dict[str, Any] | None] = Kept(options.max_articles)
        self._filling: dict[str, asyncio.Task[None]] = {}

    async def article(self, url: str) -> dict[str, Any]:
        """Fetch a page, and return its article; raises `FetchError` with the reason."""
        found = self._articles.get(url)
        if found is None:
            found = await self._read(await self._fetch_one(url, "page"))
            self._articles.keep(url, found, self.options.article_seconds)
        return found

    async def article_of(self, html: bytes, url: str | None) -> dict[str, Any]:
        """Return the article of a page that was sent."""
        wrappers = await run_in_threadpool(self._wrappers, url) if url else []
        return await self._run(article_row, html, url, wrappers)

    async def feed(self, url: str) -> FullFeed:
        """Fetch a feed and the pages of its entries; wait for them, but not too long."""
        if url not in self._feeds:
            page = await self._fetch_one(url, "feed")
            feed = await self._run(parse_feed, page.body, page.url or url, page.content_type)
            self._feeds.keep(url, feed, self.options.cache_seconds)
        feed = self._feeds[url]
        entries = [(entry, entry.link) for entry in feed.entries if entry.link]
        entries = entries[: self.options.max_items]
        await run_in_threadpool(self._take_archived, [link for _, link in entries])
        missing = [link for _, link in entries if link not in self._articles]
        if missing:
            await asyncio.wait([self._fill(url, missing)], timeout=self.options.wait_seconds)
        rows = [_merge(it, self._articles[link]) for it, link in entries if link in self._articles]
        head = FeedHead(feed.title or url, feed.link or url, None, feed.language)
        return FullFeed(head, rows, len(rows) == len(entries))

    async def close(self) -> None:
        """End what is being fetched."""
        for task in self._filling.values():
            task.cancel()
        await asyncio.gather(*self._filling.values(), return_exceptions=True)
        if self._jobs is not None:
            await run_in_threadpool(self._jobs.stop)

    def _take_archived(self, links: Sequence[str]) -> None:
        """Take articles that the store has: nothing need be fetched for them."""
        if self.options.store is None:
            return
        with read_store(self.options.store) as store:
            for link in links:
                key = url_key(link) if link not in self._articles else None
                found = store.article_at(key) if key else None
                if found is not None:
                    self._articles.keep(link, feed_row(found), self.options.article_seconds)

    def _fill(self, url: str, links: Sequence[str]) -> asyncio.Task[None]:
        """Return the task that fetches the pages of a feed; there is one at a time per feed."""
        running = self._filling.get(url)
        if running is None or running.done():
            running = self._filling[url] = asyncio.create_task(self._fetch_articles(links))
            running.add_done_callback(lambda _: self._filling.pop(url, None))
        return running

    async def _fetch_articles(self, links: Sequence[str]) -> None:
        pages: asyncio.Queue[FetchedPage | None] = asyncio.Queue()
        with contextlib.suppress(BusyError):  # the next poll of the feed tries again
            async with self._turns.turn(map(_site, links), self.options.timeout):
                fetching = asyncio.create_task(self._fetch(links, "page", pages))
                while (page := await pages.get()) is not None:
                    await self._keep(page)
                await fetching

    async def _keep(self, page: FetchedPage) -> None:
        try:
            found: dict[str, Any] | None = await self._read(page)
            seconds = self.options.article_seconds
        except (FetchError, EmptyPageError, WorkerError):
            found, seconds = None, self.options.cache_seconds  # the entry keeps its own text
        self._articles.keep(page.requested, found, seconds)

    async def _fetch_one(self, url: str, kind: Literal["page", "feed"]) -> FetchedPage:
        pages: asyncio.Queue[FetchedPage | None] = asyncio.Queue()
        async with self._turns.turn([_site(url)], self.options.timeout):
            await self._fetch([url], kind, pages)
        page = pages.get_nowait()
        if page is None or page.reason is not None:
            raise FetchError((page and page.reason) or "error", url)
        return page

    async def _fetch(
        self,
        urls: Sequence[str],
        kind: Literal["page", "feed"],
        pages: asyncio.Queue[FetchedPage | None],
    ) -> None:
        """Put each page into the queue as it comes, and `None` at the end."""
        loop = asyncio.get_running_loop()
        settings = {
            "FOREST_ALLOW_NETWORKS": list(self.options.allow_networks),
            "FOREST_ALLOW_PORTS": list(self.options.allow_ports),
        }

        def run() -> None:
            for page in PageFetch(urls, settings, kind).results(self.options.timeout):
                loop.call_soon_threadsafe(pages.put_nowait, page)

        try:
            await asyncio.to_thread(run)
        finally:
            pages.put_nowait(None)

    async def _read(self, page: FetchedPage) -> dict[str, Any]:
        if page.reason is not None:
            raise FetchError(page.reason, page.requested)
        source = file_source(page.body, page.charset)
        wrappers = await run_in_threadpool(self._wrappers, page.url)
        return await self._run(article_row, source, page.url, wrappers)

    def _wrappers(self, url: str) -> list[Wrapper]:
        site = site_of(url)
        if self.options.store is None or not site:
            return []
        with read_store(self.options.store) as store:
            return [row.wrapper for row in store.wrappers(site)]

    async def _run(self, function: Callable[..., _V], *args: Any) -> _V:
        if self._jobs is None:
            self._jobs = Workers(1)
        return await self._jobs.run(JOB_SECONDS, function, *args)


def article_row(html: bytes, url: str | None, wrappers: Sequence[Wrapper]) -> dict[str, Any]:
    """Make an article of a page; runs in a worker."""
    return extract_article(html, url, wrappers).asdict()


def parse_feed(body: bytes, url: str, content_type: str | None) -> Feed:
    """Read a feed; runs in a worker."""
    return read_feed(body, url=url, content_type=content_type)


def _site(url: str) -> str:
    return site_of(url) or url


def _merge(entry: FeedEntry, article: dict[str, Any] | None) -> dict[str, Any]:
    """Combine an entry with its article: title, link, id and date are the feed's."""
    row = _entry_row(entry)
    if article is None or not article.get("html"):
        return row
    found = {name: value for name, value in article.items() if value or name not in row}
    known = {"title", "link", "guid", "date_publish"}
    return found | {name: value for name, value in row.items() if name in known and value}


def _entry_row(entry: FeedEntry) -> dict[str, Any]:
    published = entry.published or entry.updated
    return {
        "title": entry.title,
        "link": entry.link,
        "guid": entry.guid or entry.link,
        "url": entry.link,
        "description": entry.description,
        "authors": list(entry.authors),
        "date_publish": published.isoformat() if published else None,
        "html": "",
    }
