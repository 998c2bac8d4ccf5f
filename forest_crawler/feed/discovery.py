"""The feeds of a page: declared, linked to, or at the usual URLs of feeds.

For list entries that are pages. These are candidates, best first; only fetching and reading one
shows whether it is a feed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal
from urllib.parse import urldefrag, urljoin, urlsplit

from lxml import etree

from forest_crawler.feed.records import MAX_TITLE_LENGTH
from forest_crawler.page.encoding import decode_page
from forest_crawler.page.libxml2_memory import check_memory
from forest_crawler.page.plain_text import plain_text
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import FORBIDDEN
from forest_crawler.urls.hosts import host_of, site_of
from forest_crawler.urls.policy import SCHEMES

Why = Literal["link", "anchor", "usual URL"]

MAX_CANDIDATES = 30
"""Max URLs worth fetching to find the feed of one page."""

MAX_ANCHORS = 5000
"""Max links examined per page."""

USUAL_PATHS = ("feed", "rss.xml", "atom.xml", "feed.xml", "rss", "index.xml", "feed.json")

_FEED_TYPES = frozenset(
    "application/rss+xml application/atom+xml application/rdf+xml application/feed+json".split()
)
# Types too general to decide alone: the URL must look like a feed's too.
_LOOSE_TYPES = frozenset("text/xml application/xml application/json text/rss+xml text/rdf".split())
_FEED_PATH = re.compile(
    r"/(?:feeds?|rss2?|atom|rdf)(?:/(?:index\.\w+|posts/default|all)?|\.(?:xml|json|php|aspx?))?$"
    r"|/[^/]*(?:feed|rss|atom)[^/]*\.(?:xml|json|php)$|/index\.(?:xml|rdf)$|\.(?:rss|atom|rdf)$",
    re.IGNORECASE,
)
_FEED_QUERY = re.compile(
    r"(?:^|&)(?:feed|format|type|output|alt|view|mode)=(?:rss|atom|feed|rdf)", re.IGNORECASE
)
_FEED_HOST = re.compile(r"(?:feeds?|rss)\d?\.")
_MAX_PIECES = 50  # texts of a link
_COMMENTS = re.compile(r"comment", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FeedCandidate:
    """A URL that may be a feed's, and why."""

    url: str
    why: Why
    title: str | None = None


def discover_feeds(
    page: bytes | str | PageTree, *, url: str, charset: str | None = None
) -> list[FeedCandidate]:
    """List a page's candidate feeds, best first: declared, linked to, at usual URLs.

    Prefer the page's source to its tree: some pages declare feeds in their body, where `PageTree`
    has dropped every `link`. Comment feeds come last within each group.

    >>> page = '<link rel="alternate" type="application/rss+xml" href="/news.rss">'
    >>> [(c.url, c.why) for c in discover_feeds(page, url="http://a.example/")][:2]
    [('http://a.example/news.rss', 'link'), ('http://a.example/feed', 'usual URL')]
    """
    root = page.html if isinstance(page, PageTree) else _parse(page, charset)
    found: list[FeedCandidate] = []
    if root is not None:
        base = _base(root, url)
        found += _ranked(_declared(root, base))
        found += _ranked(_linked(root, base))
    found += (FeedCandidate(each, "usual URL") for each in usual_feeds(url))
    distinct = {candidate.url: candidate for candidate in reversed(found)}
    return [c for c in found if distinct[c.url] is c and c.url != url][:MAX_CANDIDATES]


def usual_feeds(url: str) -> list[str]:
    """List the usual URLs of feeds: beside the page, then at the root of its host."""
    urls = [urljoin(url, f"./{path}") for path in USUAL_PATHS]
    urls += [urljoin(url, f"/{path}") for path in USUAL_PATHS]
    return list(dict.fromkeys(urls))


def _parse(source: bytes | str, charset: str | None) -> Element | None:
    text = decode_page(source, charset)[1] if isinstance(source, bytes) else source
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True)
    data = FORBIDDEN.sub("", text).encode("utf-8", "replace")
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as err:
        check_memory(err)
        return None


def _base(root: Element, url: str) -> str:
    href = next((base.get("href") for base in root.iter("base") if base.get("href")), None)
    return _absolute(href, url) or url


def _absolute(href: str | None, base: str) -> str | None:
    """Resolve a link to its absolute URL; `None` unless it is a web URL."""
    try:
        url = urldefrag(urljoin(base, (href or "").strip())).url
        scheme = urlsplit(url).scheme
    except ValueError:
        return None
    return url if href and scheme in SCHEMES and host_of(url) else None


def _declared(root: Element, base: str) -> Iterator[FeedCandidate]:
    for link in islice(root.iter("link"), MAX_ANCHORS):
        relations = (link.get("rel") or "").lower().split()
        kind = (link.get("type") or "").lower().partition(";")[0].strip()
        url = _absolute(link.get("href"), base)
        if url is None or not {"alternate", "feed"} & set(relations):
            continue
        if kind in _FEED_TYPES or (kind in _LOOSE_TYPES and _is_feed_like(url)):
            yield FeedCandidate(url, "link", _title(link.get("title")))


def _linked(root: Element, base: str) -> list[FeedCandidate]:
    """List anchors to feeds: first on the page's own site, then at feed services."""
    own: list[FeedCandidate] = []
    foreign: list[FeedCandidate] = []
    site = site_of(base)
    for anchor in islice(root.iter("a"), MAX_ANCHORS):
        url = _absolute(anchor.get("href"), base)
        if url is None or not (_is_feed_like(url) or anchor.get("type") in _FEED_TYPES):
            continue
        pieces = (str(piece) for piece in islice(anchor.itertext(), _MAX_PIECES))
        text = anchor.get("title") or " ".join(pieces)
        of_site = own if site_of(url) == site else foreign
        of_site.append(FeedCandidate(url, "anchor", _title(text)))
    return own + foreign


def _is_feed_like(url: str) -> bool:
    parts = urlsplit(url)
    if "http:" in url[8:] or "https:" in url[8:] or "%3a%2f%2f" in url.lower():
        return False  # a feed reader's button: the feed's URL is inside this one
    if _FEED_PATH.search(parts.path) or _FEED_QUERY.search(parts.query):
        return True
    is_named = len(parts.path) > 1 and not parts.query
    return is_named and _FEED_HOST.match(parts.netloc) is not None


def _ranked(candidates: Iterable[FeedCandidate]) -> list[FeedCandidate]:
    return sorted(candidates, key=lambda c: bool(_COMMENTS.search(f"{c.url} {c.title}")))


def _title(text: str | None) -> str | None:
    return plain_text(text or "", MAX_TITLE_LENGTH) or None
