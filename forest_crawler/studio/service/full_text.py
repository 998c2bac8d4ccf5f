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

from forest_crawler.article.page_article import read_article
from forest_crawler.crawl.held_pages import missing_article
from forest_crawler.crawl.workers import WorkerError, Workers
from forest_crawler.datasets.package_writer import file_source
from forest_crawler.errors import EmptyPageError, FetchError
from forest_crawler.export.feed import FeedHead
from forest_crawler.export.feed_rows import feed_row
from forest_crawler.extraction.extraction import BY_WRAPPER
from forest_crawler.extraction.stated_text import STATED
from forest_crawler.feed.records import FeedEntry
from forest_crawler.fetching.page_fetch import FetchedPage, PageFetch
from forest_crawler.page.tree import parse_page
from forest_crawler.page_model.model import score_blocks
from forest_crawler.store import read_store
from forest_crawler.studio.service.fed_text import FedFeed, parse_feed
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


@dataclass(frozen=True, slots=True)
class PageArticle:
    """The row of an article, and whether its page has one: a wall and a listing have none."""

    row: dict[str, Any]
    is_article: bool = True


class FullText:
    """Makes articles of URLs and of HTML; robots.txt and the address guard hold for each fetch."""

    def __init__(self, options: ServiceOptions, jobs: Jobs | None = None) -> None:
        self.options = options
        self._jobs = jobs
        self._turns = Turns(options.max_fetches, options.site_pause)
        self._feeds: Kept[FedFeed] = Kept(options.max_cached)
        self._articles: Kept[PageArticle | None] = Kept(options.max_articles)
        self._filling: dict[str, asyncio.Task[None]] = {}

    async def article(self, url: str) -> dict[str, Any]:
        """Fetch a page, and return its article; raises `FetchError` with the reason."""
        found = self._articles.get(url)
        if found is None:
            found = await self._read(await self._fetch_one(url, "page"))
            self._articles.keep(url, found, self.options.article_seconds)
        return found.row

    async def article_of(self, html: bytes, url: str | None) -> dict[str, Any]:
        """Return the article of a page that was sent."""
        wrappers = await run_in_threadpool(self._wrappers, url) if url else []
        found: PageArticle = await self._run(read_page, html, url, wrappers)
        return found.row

    async def feed(self, url: str) -> FullFeed:
        """Fetch a feed and the pages of its entries; wait for them, but not too long."""
        if url not in self._feeds:
            page = await self._fetch_one(url, "feed")
            found = (page.body, page.url or url, page.content_type, self.options.max_items)
            self._feeds.keep(url, await self._run(parse_feed, *found), self.options.cache_seconds)
        feed, entries = self._feeds[url].feed, self._feeds[url].entries
        links = [entry.link for entry, _ in entries if entry.link]
        await run_in_threadpool(self._take_archived, links)
        if missing := [link for link in links if link not in self._articles]:
            await asyncio.wait([self._fill(url, missing)], timeout=self.options.wait_seconds)
        rows = [
            _merge(entry, text, self._articles[entry.link] if entry.link else None)
            for entry, text in entries
            if entry.link is None or entry.link in self._articles
        ]
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
                    kept = PageArticle(feed_row(found))
                    self._articles.keep(link, kept, self.options.article_seconds)

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
            found: PageArticle | None = await self._read(page)
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

    async def _read(self, page: FetchedPage) -> PageArticle:
        if page.reason is not None:
            raise FetchError(page.reason, page.requested)
        source = file_source(page.body, page.charset)
        wrappers = await run_in_threadpool(self._wrappers, page.url)
        return await self._run(read_page, source, page.url, wrappers)

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


def read_page(html: bytes, url: str | None, wrappers: Sequence[Wrapper]) -> PageArticle:
    """Make an article of a page; runs in a worker."""
    tree = parse_page(html, url=url)
    article = read_article(tree, wrappers)
    is_sure = article.extractor == BY_WRAPPER or article.extractor in STATED
    is_article = is_sure or missing_article(score_blocks(tree)) is None
    return PageArticle(article.asdict(), is_article=is_article)


def _site(url: str) -> str:
    return site_of(url) or url


def _merge(entry: FeedEntry, text: str, article: PageArticle | None) -> dict[str, Any]:
    """Combine an entry with its article: title, link, id and date are the feed's.

    Without an article, the entry has its own text; so it has if the page is a wall, or empty
    without its scripts.
    """
    row = _entry_row(entry, text)
    if article is None or not article.row.get("html") or (text and not article.is_article):
        return row
    found = {name: value for name, value in article.row.items() if value or name not in row}
    known = {"title", "link", "guid", "date_publish"}
    return found | {name: value for name, value in row.items() if name in known and value}


def _entry_row(entry: FeedEntry, text: str) -> dict[str, Any]:
    published = entry.published or entry.updated
    return {
        "title": entry.title,
        "link": entry.link,
        "guid": entry.guid or entry.link,
        "url": entry.link,
        "description": entry.description,
        "authors": list(entry.authors),
        "date_publish": published.isoformat() if published else None,
        "html": text,
    }
