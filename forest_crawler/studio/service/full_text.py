"""`FullText`: fetch pages and feeds as a crawl does, and make articles of them."""

from __future__ import annotations

import subprocess
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from forest_crawler.article.page_article import extract_article
from forest_crawler.errors import EmptyPageError, FetchError
from forest_crawler.export.feed import FeedHead
from forest_crawler.feed.reader import read_feed
from forest_crawler.feed.records import FeedEntry
from forest_crawler.fetching.page_fetch import FetchedPage, PageFetch
from forest_crawler.store import read_store
from forest_crawler.studio.service.options import ServiceOptions
from forest_crawler.urls.hosts import site_of
from forest_crawler.wrapper.wrapper import Wrapper


class BusyError(Exception):
    """As many pages as allowed are being fetched already."""


class FullText:
    """Makes articles of URLs and of HTML; robots.txt and the address guard hold for each fetch."""

    def __init__(self, options: ServiceOptions) -> None:
        self.options = options
        self._slots = threading.BoundedSemaphore(options.max_fetches)
        self._feeds: OrderedDict[str, tuple[float, FeedHead, list[dict[str, Any]]]] = OrderedDict()
        self._lock = threading.Lock()

    def article(self, url: str) -> dict[str, Any]:
        """Fetch a page, and return its article; raises `FetchError` with the reason."""
        return self._read(self._fetch([url], "page")[url])

    def article_of(self, html: bytes, url: str | None) -> dict[str, Any]:
        """Return the article of a page that was sent."""
        wrappers = self._wrappers(url) if url else []
        return extract_article(html, url, wrappers).asdict()

    def feed(self, url: str) -> tuple[FeedHead, list[dict[str, Any]]]:
        """Fetch a feed and the pages of its entries; an entry without a page keeps its text."""
        with self._lock:
            found = self._feeds.get(url)
        if found and time.monotonic() - found[0] < self.options.cache_seconds:
            return found[1], found[2]
        fetched = self._fetch([url], "feed")[url]
        if fetched.reason is not None:
            raise FetchError(fetched.reason, url)
        feed = read_feed(fetched.body, url=fetched.url or url, content_type=fetched.content_type)
        entries = [entry for entry in feed.entries if entry.link][: self.options.max_items]
        pages = self._fetch([entry.link for entry in entries if entry.link], "page")
        rows = [self._row(entry, pages[entry.link]) for entry in entries if entry.link]
        head = FeedHead(feed.title or url, feed.link or url, None, feed.language)
        with self._lock:
            self._feeds[url] = (time.monotonic(), head, rows)
            while len(self._feeds) > self.options.max_cached:
                self._feeds.popitem(last=False)
        return head, rows

    def _row(self, entry: FeedEntry, page: FetchedPage) -> dict[str, Any]:
        row = _entry_row(entry)
        try:
            article = self._read(page)
        except (FetchError, EmptyPageError):
            return row
        found = {name: value for name, value in article.items() if value or name not in row}
        known = {"title", "link", "guid", "date_publish"}
        return found | {name: value for name, value in row.items() if name in known and value}

    def _read(self, page: FetchedPage) -> dict[str, Any]:
        if page.reason is not None:
            raise FetchError(page.reason, page.requested)
        return extract_article(page.body, page.url, self._wrappers(page.url)).asdict()

    def _wrappers(self, url: str) -> list[Wrapper]:
        site = site_of(url)
        if self.options.store is None or not site:
            return []
        with read_store(self.options.store) as store:
            return [row.wrapper for row in store.wrappers(site)]

    def _fetch(self, urls: Sequence[str], kind: Literal["page", "feed"]) -> dict[str, FetchedPage]:
        if not urls:
            return {}
        settings = {
            "FOREST_ALLOW_NETWORKS": list(self.options.allow_networks),
            "FOREST_ALLOW_PORTS": list(self.options.allow_ports),
        }
        with self._slot():
            try:
                return PageFetch(urls, settings, kind).finish(self.options.timeout)
            except subprocess.TimeoutExpired as err:
                raise FetchError("timeout", urls[0]) from err

    @contextmanager
    def _slot(self) -> Iterator[None]:
        if not self._slots.acquire(blocking=False):
            raise BusyError
        try:
            yield
        finally:
            self._slots.release()


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
