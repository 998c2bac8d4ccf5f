"""Feeds: what an entry says of an article, and how a feed is read.

Feeds give Forest two things: sibling pages, and (in its feeds variant) their signifiers.
`read_feed` takes the bytes as they were fetched. It opens nothing, asks no clock, and can be sent
to a worker process: arguments, result and error are plain values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from forest_crawler.errors import FeedError
from forest_crawler.feed.untrusted_xml import MAX_DOCUMENT, UnsafeXmlError
from forest_crawler.page.encoding import decode_xml, header_charset
from forest_crawler.urls.canonical import url_key

MAX_ENTRIES = 2000
"""Entries that are kept of a feed, the newest: more than any front page has in months."""

MAX_TITLE_LENGTH = 1000


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry of a feed. Texts are plain, without markup; `content` is markup as it came.

    A date that cannot be true is `None`; what the feed wrote stays beside it.
    """

    title: str
    description: str = ""
    link: str | None = None
    guid: str | None = None  # None too where several articles of the feed share it
    published: datetime | None = None
    published_text: str | None = None
    updated: datetime | None = None
    updated_text: str | None = None
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    content: str | None = None

    @property
    def identity(self) -> str | None:
        """What tells this entry from the others of its feed: its guid, else its article's key."""
        return self.guid or (url_key(self.link) if self.link else None)


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed as it was read; absent is `None`."""

    url: str
    title: str | None = None
    link: str | None = None  # the site's home page
    language: str | None = None
    entries: tuple[FeedEntry, ...] = ()
    next_page: str | None = None  # RFC 5005, JSON Feed
    hub: str | None = None  # WebSub
    update_interval: timedelta | None = None  # how often it asks to be read
    left_out: int = 0  # entries beyond `MAX_ENTRIES`
    repaired: bool = False  # it was not well-formed


def read_feed(
    body: bytes, *, url: str, content_type: str | None = None, now: datetime | None = None
) -> Feed:
    """Read an RSS (0.9x, 1.0, 2.0), Atom or JSON feed.

    `now` bounds the dates that are believed. Raises `FeedError`, and nothing else, whatever the
    body; its reason is "too large", "empty", "not a feed", "entities", "too deep" or "unreadable".

    >>> body = b"<rss><channel><item><title>Rain</title><link>/a</link></item></channel></rss>"
    >>> [entry.link for entry in read_feed(body, url="http://gazette.example/feed").entries]
    ['http://gazette.example/a']
    """
    from forest_crawler.feed import json_feed, xml_feed  # both make the records of this module

    if len(body) > MAX_DOCUMENT:
        raise FeedError("too large", url)
    text = decode_xml(body, header_charset(content_type)).lstrip("\ufeff \t\r\n\0")
    if not text:
        raise FeedError("empty", url)
    try:
        read = json_feed.read_json if text.startswith("{") else xml_feed.read_xml
        feed = read(text, url=url, now=now)
    except UnsafeXmlError as err:
        reason = "not a feed" if err.reason == "malformed" else err.reason
        raise FeedError(reason, url) from err
    return replace(feed, entries=tuple(_distinct(feed.entries)))


def newest(dates: Sequence[datetime | None], limit: int = MAX_ENTRIES) -> list[int]:
    """The places of the newest so many, in order; of the first where most have no date.

    >>> from forest_crawler.text.dates import parse_date
    >>> newest([parse_date(d) for d in ("2026-01-01", "2026-01-03", "2026-01-02")], 2)
    [1, 2]
    """
    places = range(len(dates))
    if len(dates) <= limit:
        return list(places)
    dated = [(date, -place) for place, date in enumerate(dates) if date]
    if len(dated) < len(dates) / 2:
        return list(places[:limit])
    chosen = {-place for _, place in sorted(dated, reverse=True)[:limit]}
    undated = (place for place in places if dates[place] is None)
    chosen.update(place for place, _ in zip(undated, range(limit - len(chosen)), strict=False))
    return sorted(chosen)


def _distinct(entries: Iterable[FeedEntry]) -> Iterable[FeedEntry]:
    """Each article once. A guid that stands for several articles identifies none of them."""
    entries = list(entries)
    keys = [url_key(entry.link) if entry.link else None for entry in entries]
    articles: dict[str, set[str]] = {}
    for entry, key in zip(entries, keys, strict=True):
        if entry.guid and key:
            articles.setdefault(entry.guid, set()).add(key)
    seen: set[str] = set()
    for entry, key in zip(entries, keys, strict=True):
        name = key or entry.guid
        if name is None or name not in seen:
            shared = len(articles.get(entry.guid or "", ())) > 1
            yield replace(entry, guid=None) if shared else entry
        if name is not None:
            seen.add(name)
