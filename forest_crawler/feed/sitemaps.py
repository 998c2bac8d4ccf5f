"""Sitemaps: plain, news, index or list of URLs, gzipped or not.

The first place to look for the articles of a site without a feed. `read_sitemap` distrusts XML as
the feed reader does, and like it can run in a worker process.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urljoin

from forest_crawler.errors import SitemapError
from forest_crawler.feed.newest import newest_positions
from forest_crawler.feed.records import MAX_TITLE_LENGTH
from forest_crawler.feed.untrusted_xml import (
    MAX_DOCUMENT,
    UnsafeXmlError,
    local_name,
    parse_xml,
    safe_xml,
)
from forest_crawler.page.encoding import decode_xml
from forest_crawler.page.plain_text import plain_text
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.dates import parse_date
from forest_crawler.urls.hosts import site_of

MAX_PAGES = 10_000
"""Max pages kept of a sitemap, the newest ones; no run fetches as many from a site."""

MAX_SITEMAPS = 500
"""Max sitemaps kept of an index, the newest ones."""

USUAL_PATHS = ("news-sitemap.xml", "sitemap-news.xml", "sitemap.xml", "sitemap_index.xml")

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_FORM = 16 + zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class SitemapPage:
    """A page, or another sitemap, that a sitemap lists; absent is `None`."""

    url: str
    modified: datetime | None = None
    published: datetime | None = None  # this and the fields below: news sitemaps only
    title: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap lists of its own site."""

    url: str
    pages: tuple[SitemapPage, ...] = ()
    sitemaps: tuple[SitemapPage, ...] = ()
    left_out: int = 0  # beyond the caps, on other sites, or without a URL
    is_cut: bool = False  # unpacked, it is longer than `MAX_DOCUMENT`

    @property
    def is_news(self) -> bool:
        """Whether it distinguishes articles from other pages."""
        return any(page.published or page.title for page in self.pages)


def read_sitemap(
    body: bytes, *, url: str, charset: str | None = None, now: datetime | None = None
) -> Sitemap:
    """Read a sitemap or an index of sitemaps.

    Raises `SitemapError`, and nothing else; its reason is "too large", "not a sitemap",
    "entities" or "too deep".

    >>> body = b"<urlset><url><loc>/a</loc><lastmod>2026-06-04</lastmod></url></urlset>"
    >>> read_sitemap(body, url="http://gazette.example/sitemap.xml").pages[0].url
    'http://gazette.example/a'
    """
    data, is_cut = _unpack(body, url)
    text = decode_xml(data, charset).lstrip("\ufeff \t\r\n")
    if text.startswith(("http://", "https://")):
        rows = [SitemapPage(line.strip()) for line in text.splitlines() if line.strip()]
        return _make_sitemap(url, rows, [], is_cut)
    try:
        root, _ = parse_xml(safe_xml(text))
    except UnsafeXmlError as err:
        reason = "not a sitemap" if err.reason == "malformed" else err.reason
        raise SitemapError(reason, url) from err
    if local_name(root) not in ("urlset", "sitemapindex"):
        raise SitemapError("not a sitemap", url)
    pages = [_read_page(child, url, now) for child in root if local_name(child) == "url"]
    sitemaps = [_read_page(child, url, now) for child in root if local_name(child) == "sitemap"]
    return _make_sitemap(url, pages, sitemaps, is_cut)


def usual_sitemaps(url: str) -> list[str]:
    """List the usual URLs of a host's sitemaps, news first.

    >>> usual_sitemaps("http://gazette.example/news/")[2]
    'http://gazette.example/sitemap.xml'
    """
    return [urljoin(url, f"/{path}") for path in USUAL_PATHS]


def _unpack(body: bytes, url: str) -> tuple[bytes, bool]:
    """Unpack at most `MAX_DOCUMENT` bytes; the flag says whether there was more."""
    if body.startswith(_GZIP_MAGIC):
        try:
            body = zlib.decompressobj(_GZIP_FORM).decompress(body, MAX_DOCUMENT + 1)
        except zlib.error as err:
            raise SitemapError("not a sitemap", url) from err
        return body[:MAX_DOCUMENT], len(body) > MAX_DOCUMENT
    if len(body) > MAX_DOCUMENT:
        raise SitemapError("too large", url)
    return body, False


def _read_page(element: Element, base: str, now: datetime | None) -> SitemapPage:
    texts: dict[str, str] = {}
    for inner in element.iter():
        if inner.text and inner.text.strip():
            texts.setdefault(local_name(inner), clean_text(inner.text).strip())
    try:
        url = urljoin(base, texts.get("loc", ""))
    except ValueError:
        url = ""
    return SitemapPage(
        url=url if "loc" in texts else "",
        modified=parse_date(texts.get("lastmod"), now=now),
        published=parse_date(texts.get("publication_date"), now=now),
        title=plain_text(texts.get("title", ""), MAX_TITLE_LENGTH) or None,
        language=texts.get("language") if len(texts.get("language", "")) < 36 else None,
    )


def _make_sitemap(
    url: str, pages: list[SitemapPage], sitemaps: list[SitemapPage], is_cut: bool
) -> Sitemap:
    kept_pages = _keep_newest(pages, url, MAX_PAGES)
    kept_sitemaps = _keep_newest(sitemaps, url, MAX_SITEMAPS)
    left_out = len(pages) + len(sitemaps) - len(kept_pages) - len(kept_sitemaps)
    return Sitemap(url, kept_pages, kept_sitemaps, left_out, is_cut)


def _keep_newest(rows: Iterable[SitemapPage], url: str, limit: int) -> tuple[SitemapPage, ...]:
    """Keep the newest rows of the sitemap's own site, each URL once.

    A sitemap cannot speak for other sites.
    """
    site = site_of(url)
    own = list({row.url: row for row in rows if site_of(row.url) == site}.values())
    dates = [row.published or row.modified for row in own]
    return tuple(own[i] for i in newest_positions(dates, limit))
