"""The worker's job for a source: feed, sitemap or home page → pages to fetch.

Between the spider, which has only bytes, and the store's frontier, which takes candidates.
Arguments and results are plain values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from forest_crawler.errors import DocumentError, EmptyPageError
from forest_crawler.feed.discovery import discover_feeds
from forest_crawler.feed.entry_codec import EntryValues, encode_entry
from forest_crawler.feed.home_links import discover_articles
from forest_crawler.feed.link_headers import linked_url
from forest_crawler.feed.reader import read_feed
from forest_crawler.feed.records import Feed, FeedEntry
from forest_crawler.feed.sitemaps import Sitemap, SitemapPage, read_sitemap
from forest_crawler.page.encoding import header_charset
from forest_crawler.page.tree import parse_page
from forest_crawler.store.records import Candidate
from forest_crawler.urls.hosts import site_of
from forest_crawler.urls.link_keys import key_links
from forest_crawler.urls.policy import UrlPolicy, refuse_url

NOT_A_FEED = "not a feed"
NO_LINK = "no link"


@dataclass(frozen=True, slots=True)
class Document:
    """A response as a job gets it, and the policy for the URLs in it."""

    body: bytes
    url: str
    content_type: str | None = None
    source_id: int | None = None
    policy: UrlPolicy = field(default_factory=UrlPolicy)
    now: float = 0.0
    link: str | None = None  # the `Link` headers

    @property
    def charset(self) -> str | None:
        """The charset that the HTTP header names."""
        return header_charset(self.content_type)

    def linked(self, relation: str) -> str | None:
        """Return the URL that the HTTP header names with this relation."""
        return linked_url(self.link, relation, base=self.url)

    @property
    def date(self) -> datetime:
        """When it was fetched."""
        return datetime.fromtimestamp(self.now, UTC)


Kind = Literal["feed", "sitemap", "page"]


@dataclass(frozen=True, slots=True)
class SourceReading:
    """What a document leads to; `reason` says why it leads nowhere."""

    kind: Kind = "page"
    reason: str | None = None
    title: str | None = None
    candidates: tuple[Candidate, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)
    next_page: str | None = None
    interval: float | None = None  # seconds between polls, as the feed requests
    hub: str | None = None  # WebSub: where to subscribe,
    topic: str | None = None  # and the feed's URL there
    others: tuple[str, ...] = ()  # URLs to read instead: feeds of a page, sitemaps of an index

    @property
    def refusal(self) -> str | None:
        """Why no page that it names may be fetched, if it names some.

        >>> SourceReading("feed", refused={"port": 11, "scheme": 1}).refusal
        'all 12 entries refused (port: 11, scheme: 1)'
        """
        if self.candidates or not self.refused:
            return None
        reasons = ", ".join(f"{reason}: {n}" for reason, n in sorted(self.refused.items()))
        return f"all {sum(self.refused.values())} entries refused ({reasons})"


def read_source(document: Document) -> SourceReading:
    """Read a document as what it is: a feed, a sitemap or a page."""
    reading = _read_feed(document)
    if reading.reason != NOT_A_FEED:
        return reading
    sitemap = _read_sitemap(document)
    return _read_page(document) if sitemap.reason else sitemap


def _read_feed(document: Document) -> SourceReading:
    try:
        feed = read_feed(
            document.body, url=document.url, content_type=document.content_type, now=document.date
        )
    except DocumentError as err:
        return SourceReading("feed", err.reason)
    entries = _newest_entries_first(feed.entries)
    pages = [(entry.link, entry.guid, encode_entry(entry)) for entry in entries if entry.link]
    candidates, refused = _candidates(pages, document)
    unlinked = len(entries) - len(pages)
    return SourceReading(
        "feed",
        title=feed.title,
        candidates=candidates,
        refused=refused | ({NO_LINK: unlinked} if unlinked else {}),
        next_page=feed.next_page,
        interval=_seconds(feed),
        hub=_hub(feed, document),
        topic=document.linked("self") or feed.self_url or document.url,
    )


def _hub(feed: Feed, document: Document) -> str | None:
    """Return the hub that the response names, or else the feed, if it may be requested."""
    hub = document.linked("hub") or feed.hub
    return hub if hub and refuse_url(hub, document.policy) is None else None


def _read_sitemap(document: Document) -> SourceReading:
    """Read a sitemap's pages, or the sitemaps of an index, the newest first."""
    try:
        sitemap = read_sitemap(
            document.body, url=document.url, charset=document.charset, now=document.date
        )
    except DocumentError as err:
        return SourceReading("sitemap", err.reason)
    pages = [(page.url, None, _page_entry(page)) for page in _newest_first(sitemap.pages)]
    candidates, refused = _candidates(pages, document)
    return SourceReading(
        "sitemap", candidates=candidates, refused=refused, others=tuple(_sitemap_order(sitemap))
    )


def _read_page(document: Document) -> SourceReading:
    """Read the feeds that a page names, and its links that look like articles."""
    found = discover_feeds(document.body, url=document.url, charset=document.charset)
    others = tuple(c.url for c in found if refuse_url(c.url, document.policy) is None)
    try:
        tree = parse_page(document.body, charset=document.charset, url=document.url)
    except EmptyPageError:
        return SourceReading("page", NOT_A_FEED, others=others)
    links = discover_articles(tree, url=document.url)
    pages = [(link.url, None, {"title": link.text}) for link in links]
    candidates, refused = _candidates(pages, document)
    return SourceReading("page", candidates=candidates, refused=refused, others=others)


def _sitemap_order(sitemap: Sitemap) -> Iterable[str]:
    """Order the sitemaps of an index: those with "news" in the URL, then the newest."""
    ordered = _newest_first(sitemap.sitemaps)
    return [row.url for row in sorted(ordered, key=lambda row: "news" not in row.url.lower())]


def _newest_entries_first(entries: Iterable[FeedEntry]) -> list[FeedEntry]:
    """Order entries as the cap on a site's pages takes them, undated ones last."""
    oldest = datetime.min.replace(tzinfo=UTC)
    return sorted(entries, key=lambda it: it.published or it.updated or oldest, reverse=True)


def _newest_first(rows: Iterable[SitemapPage]) -> list[SitemapPage]:
    oldest = datetime.min.replace(tzinfo=UTC)
    return sorted(rows, key=lambda row: row.published or row.modified or oldest, reverse=True)


def _candidates(
    pages: Iterable[tuple[str, str | None, EntryValues]], document: Document
) -> tuple[tuple[Candidate, ...], dict[str, int]]:
    """Make candidates of the pages that may be fetched; count the others by reason."""
    found: dict[str, Candidate] = {}
    refused: Counter[str] = Counter()
    pages = list(pages)
    for (link, guid, entry), keyed in zip(pages, key_links([it[0] for it in pages]), strict=True):
        reason = refuse_url(link, document.policy)
        if reason is None and keyed is not None and keyed.url != link:
            reason = refuse_url(keyed.url, document.policy)  # the target inside a redirect's URL
        site = site_of(keyed.url) if keyed else None
        if reason or keyed is None or site is None:
            refused[reason or "malformed"] += 1
            continue
        new = Candidate(keyed.key, keyed.url, site, document.source_id, guid, entry)
        found.setdefault(keyed.key, new)
    return tuple(found.values()), dict(refused)


def _page_entry(page: SitemapPage) -> EntryValues:
    return encode_entry(FeedEntry(page.title or "", published=page.published))


def _seconds(feed: Feed) -> float | None:
    return feed.update_interval.total_seconds() if feed.update_interval else None
