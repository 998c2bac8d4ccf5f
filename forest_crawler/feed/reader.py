"""Read a feed of any dialect from the bytes as they were fetched.

`read_feed` opens nothing and reads no clock. It can run in a worker process: arguments, result and
error are plain values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from forest_crawler.errors import FeedError
from forest_crawler.feed.json_feed import read_json
from forest_crawler.feed.records import Feed, FeedEntry
from forest_crawler.feed.untrusted_xml import MAX_DOCUMENT, UnsafeXmlError
from forest_crawler.feed.xml_feed import read_xml
from forest_crawler.page.encoding import decode_xml, header_charset
from forest_crawler.urls.link_keys import key_links


def read_feed(
    body: bytes, *, url: str, content_type: str | None = None, now: datetime | None = None
) -> Feed:
    """Read an RSS (0.9x, 1.0, 2.0), Atom, CDF or JSON feed.

    Dates far after `now` count as impossible. Raises `FeedError`, and nothing else, whatever the
    body; its reason is "too large", "empty", "not a feed", "entities", "too deep" or "unreadable".

    >>> body = b"<rss><channel><item><title>Rain</title><link>/a</link></item></channel></rss>"
    >>> [entry.link for entry in read_feed(body, url="http://gazette.example/feed").entries]
    ['http://gazette.example/a']
    """
    if len(body) > MAX_DOCUMENT:
        raise FeedError("too large", url)
    text = decode_xml(body, header_charset(content_type)).lstrip("\ufeff \t\r\n\0")
    if not text:
        raise FeedError("empty", url)
    try:
        read = read_json if text.startswith("{") else read_xml
        feed = read(text, url=url, now=now)
    except UnsafeXmlError as err:
        reason = "not a feed" if err.reason == "malformed" else err.reason
        raise FeedError(reason, url) from err
    return replace(feed, entries=tuple(_keep_distinct(feed.entries)))


def _keep_distinct(entries: Iterable[FeedEntry]) -> Iterable[FeedEntry]:
    """Keep each article once; drop guids that several articles share."""
    entries = list(entries)
    keys = [keyed.key if keyed else None for keyed in key_links([it.link for it in entries])]
    articles: dict[str, set[str]] = {}
    for entry, key in zip(entries, keys, strict=True):
        if entry.guid and key:
            articles.setdefault(entry.guid, set()).add(key)
    seen: set[str] = set()
    for entry, key in zip(entries, keys, strict=True):
        identity = key or entry.guid
        if identity is None or identity not in seen:
            shared = len(articles.get(entry.guid or "", ())) > 1
            yield replace(entry, guid=None) if shared else entry
        if identity is not None:
            seen.add(identity)
