"""The bundled sites as the programs get them: rules, truncated feeds and pages on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from forest_crawler.article.article import ArticleSource, make_article
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.evaluation.subject import Subject
from forest_crawler.export.checked_page import CheckedPage
from forest_crawler.export.feed import FeedFormat, FeedHead, write_feed
from forest_crawler.export.rules import SiteRules
from forest_crawler.export.source_feeds import common_language
from forest_crawler.extraction.extraction import FALLBACK, extract
from forest_crawler.induction import SamplePage, induce
from forest_crawler.page.tree import parse_page
from forest_crawler.urls.hosts import site_of


@dataclass(frozen=True, slots=True)
class SitePage:
    """A labelled page, with the article that we make of it."""

    labelled: LabelledPage
    checked: CheckedPage
    row: Mapping[str, Any]  # of our article

    @property
    def html(self) -> str:
        """The HTML of our article."""
        return str(self.row["html"])


@dataclass(frozen=True, slots=True)
class Site:
    """A bundled site with its rules; `feed` is the URL at which it is served, if it is."""

    name: str
    rules: SiteRules
    pages: tuple[SitePage, ...]
    feed: str = ""

    def page_url(self, page: SitePage) -> str:
        """Return the URL at which a page is served."""
        return f"{self.feed.removesuffix('feed.xml')}{page.labelled.id}.html"


def read_sites() -> list[Site]:
    """Induce the wrappers of all bundled sites, and make their articles."""
    return [_read_site(path) for path in bundled_sites()]


def _read_site(directory: Path) -> Site:
    labelled = [page for page in read_pages(directory) if page.gold]
    trees = [parse_page(page.source, url=page.url) for page in labelled]
    samples = [SamplePage(tree, page.entry) for tree, page in zip(trees, labelled, strict=True)]
    site = site_of(labelled[0].url or "") or directory.name
    wrappers = tuple(induce(samples, site=site))
    pages = []
    for page, tree in zip(labelled, trees, strict=True):
        found = extract(tree, wrappers, FALLBACK)
        source = ArticleSource(url=page.url, site=page.site, entry=page.entry)
        article = make_article(tree, found, source)
        html = Subject(page).html
        checked = CheckedPage(page.url or "", html, article.text, article.title)
        pages.append(SitePage(page, checked, article.asdict()))
    rules = SiteRules(site, wrappers, pages=tuple(it.checked for it in pages))
    return Site(directory.name, rules, tuple(pages))


@contextmanager
def serve(sites: Sequence[Site]) -> Iterator[list[Site]]:
    """Serve sites on loopback until the block ends; their rules then have these feeds."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    base = f"http://127.0.0.1:{server.server_port}"
    served = [_with_feed(site, f"{base}/{site.name}/feed.xml") for site in sites]
    files = {url: data for site in served for url, data in _files(site).items()}
    server.files = {url.removeprefix(base): data for url, data in files.items()}  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()


def _with_feed(site: Site, feed: str) -> Site:
    return replace(site, feed=feed, rules=replace(site.rules, feeds=(feed,), title=site.name))


def _files(site: Site) -> dict[str, bytes]:
    items = []
    pages: dict[str, bytes] = {}
    for page in site.pages:
        url = site.page_url(page)
        pages[url] = page_bytes(page)
        items.append(
            f"<item><title>{escape(page.checked.title or '')}</title><link>{url}</link>"
            f"<guid>{url}</guid><description>Short.</description></item>"
        )
    head = f"<title>{site.name}</title><link>{site.feed}</link><description>x</description>"
    feed = f'<rss version="2.0"><channel>{head}{"".join(items)}</channel></rss>'
    return pages | {site.feed: feed.encode(), full_feed_url(site): write_full_feed(site)}


def full_feed_url(site: Site) -> str:
    """Return the URL at which a site's full-text feed is served."""
    return site.feed.replace("feed.xml", "full.xml")


def write_full_feed(site: Site, form: FeedFormat = "rss") -> bytes:
    """Write a site's full-text feed, as `forest crawl --full-text-feeds` does."""
    rows = [
        {**page.row, "link": site.page_url(page), "guid": page.labelled.id} for page in site.pages
    ]
    home = site.feed.removesuffix("feed.xml")
    head = FeedHead(site.name, home, full_feed_url(site), common_language(rows))
    return write_feed(head, rows, form)


def page_bytes(page: SitePage) -> bytes:
    """Return a page as its site serves it, in its own encoding."""
    source = page.labelled.source
    return source if isinstance(source, bytes) else source.encode("utf-8", "replace")


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body: bytes | None = self.server.files.get(self.path)  # type: ignore[attr-defined]
        kind = (
            "application/rss+xml" if self.path.endswith(".xml") else "text/html"
        )  # pages declare theirs
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""
