"""Which responses of WARC files are pages to extract, and the hashes by which samples are chosen.

If the files have a site's feed, the pages that the feed names are taken; else all HTML pages of the
site. A sample by hash does not depend on the order of files and records, nor on which machine reads
them. The spider `warc` and batches use the same functions, so that both give
the same articles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from forest_crawler.crawl.source_jobs import Document
from forest_crawler.page.html_sniffing import is_html
from forest_crawler.store.records import Candidate, HeldPage
from forest_crawler.urls.canonical import url_key
from forest_crawler.urls.hosts import site_of
from forest_crawler.urls.link_keys import key_redirect
from forest_crawler.urls.policy import ANYWHERE, refuse_url

MAX_ENTRIES = 100_000
"""Feed entries that are kept for the pages they name."""

_FEED_STARTS = (b"<?xml", b"<rss", b"<feed", b"<rdf", b"{")


@dataclass(frozen=True, slots=True)
class NamedPages:
    """What the feeds of the files name."""

    entries: Mapping[str, Candidate] = field(default_factory=dict)  # by key
    sites: frozenset[str] = frozenset()  # that have a feed

    def __bool__(self) -> bool:
        return bool(self.sites)


def gather_named(candidates: Iterable[Candidate]) -> NamedPages:
    """Gather what feeds name; the last one that names a page counts."""
    entries: dict[str, Candidate] = {}
    sites: set[str] = set()
    for candidate in candidates:
        sites.add(candidate.site)
        if len(entries) < MAX_ENTRIES or candidate.key in entries:
            entries[candidate.key] = candidate
    return NamedPages(entries, frozenset(sites))


def is_feed(document: Document) -> bool:
    """Report whether a document begins as a feed does."""
    head = document.body[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return head.startswith(_FEED_STARTS) and b"<html" not in head


def make_page(document: Document, status: int, named: NamedPages) -> HeldPage | None:
    """Make a page of a response; `None` if it isn't one to extract.

    The page has its feed entry, if there is one.
    """
    site = site_of(document.url)
    exact, short = (url_key(document.url, exact=exact) for exact in (True, False))
    if site is None or exact is None or short is None or refuse_url(document.url, ANYWHERE):
        return None
    entry = named.entries.get(exact) or named.entries.get(short)
    if entry is None and site in named.sites:
        return None
    if not 200 <= status < 300 or not is_html(document.body, document.content_type or ""):
        return None
    key = key_redirect(document.url, entry.key if entry else None)
    if key is None:
        return None
    return HeldPage(
        key=key,
        url=document.url,
        site=site,
        status=status,
        content_type=document.content_type,
        body=document.body,
        fetched_at=document.now,
        entry=entry.entry if entry else None,
        feed_url=None,
        guid=entry.guid if entry else None,
    )


def page_hash(key: str) -> int:
    """Return the number by which a page is chosen for the sample, and known again: 64 bits.

    >>> page_hash("gazette.example/ferry") == page_hash("gazette.example/ferry") < 2**64
    True
    """
    return int.from_bytes(blake2b(key.encode(errors="replace"), digest_size=8).digest())
