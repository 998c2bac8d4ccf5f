"""JSON Feed (versions 1 and 1.1) → `Feed`.

One of the two parsers that `forest_crawler.feed.reader.read_feed` chooses from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urljoin

from forest_crawler.errors import FeedError
from forest_crawler.feed.newest import newest_positions
from forest_crawler.feed.records import MAX_TITLE_LENGTH, Enclosure, Feed, FeedEntry
from forest_crawler.page.plain_text import plain_text
from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.dates import parse_date

_VERSION = "jsonfeed.org/version/"

Json = Mapping[str, Any]


def read_json(text: str, *, url: str, now: datetime | None) -> Feed:
    """Read a JSON feed; values of the wrong type count as absent."""
    feed = _load(text, url)
    items = [item for item in _list(feed, "items") if isinstance(item, dict)]
    dates = [parse_date(_string(item, "date_published"), now=now) for item in items]
    kept = newest_positions(dates)
    return Feed(
        url=url,
        title=plain_text(_string(feed, "title") or "", MAX_TITLE_LENGTH) or None,
        link=_url(feed, "home_page_url", url),
        language=_string(feed, "language"),
        entries=tuple(_read_entry(items[position], feed, url, now) for position in kept),
        next_page=_url(feed, "next_url", url),
        hub=next((_url(hub, "url", url) for hub in _objects(feed, "hubs")), None),
        self_url=_url(feed, "feed_url", url),
        left_out=len(items) - len(kept),
    )


def _load(text: str, url: str) -> Json:
    try:
        feed = json.loads(text)
    except ValueError as err:  # also numbers of too many digits
        raise FeedError("not a feed", url) from err
    except RecursionError as err:
        raise FeedError("too deep", url) from err
    if not isinstance(feed, dict) or _VERSION not in str(feed.get("version", ""))[:100]:
        raise FeedError("not a feed", url)
    return feed


def _read_entry(item: Json, feed: Json, url: str, now: datetime | None) -> FeedEntry:
    content = _string(item, "content_html")
    words = _string(item, "content_text") or ""
    published, updated = _string(item, "date_published"), _string(item, "date_modified")
    summary = _string(item, "summary")
    return FeedEntry(
        # Titles and summaries are plain text in JSON Feed: what looks like a tag is text.
        title=" ".join((_string(item, "title") or "")[:MAX_TITLE_LENGTH].split()),
        description=" ".join((summary or words).split()) or plain_text(content or ""),
        link=_url(item, "url", url) or _url(item, "external_url", url),
        guid=_string(item, "id"),
        published=parse_date(published, now=now),
        published_text=published,
        updated=parse_date(updated, now=now),
        updated_text=updated,
        # Without authors of its own, an item has those of the feed (JSON Feed 1.1).
        authors=tuple(dict.fromkeys([*_authors(item)] or _authors(feed))),
        tags=tuple(tag for tag in map(_clean, _list(item, "tags")) if tag),
        content=content or None,
        enclosures=tuple(_enclosures(item, url)),
    )


def _authors(item: Json) -> Iterator[str]:
    single = item.get("author")  # version 1
    for author in [*_objects(item, "authors"), *([single] if isinstance(single, dict) else [])]:
        if name := _string(author, "name"):
            yield name


def _enclosures(item: Json, url: str) -> Iterator[Enclosure]:
    for row in _objects(item, "attachments"):
        if address := _url(row, "url", url):
            size = row.get("size_in_bytes")
            length = size if isinstance(size, int) and not isinstance(size, bool) else None
            yield Enclosure(address, _string(row, "mime_type"), length)


def _list(row: Json, field: str) -> list[Any]:
    value = row.get(field)
    return value if isinstance(value, list) else []


def _objects(row: Json, field: str) -> list[Json]:
    return [value for value in _list(row, field) if isinstance(value, dict)]


def _string(row: Json, field: str) -> str | None:
    value = row.get(field)
    if isinstance(value, int) and not isinstance(value, bool):  # identifiers without quotes
        value = str(value)
    return _clean(value) or None


def _clean(value: object) -> str:
    return clean_text(value).strip() if isinstance(value, str) else ""


def _url(row: Json, field: str, base: str) -> str | None:
    value = _string(row, field)
    try:
        return urljoin(base, value) if value else None
    except ValueError:
        return value
