"""A feed entry as JSON values, the form in which store and datasets keep it.

The codec leaves out the link and the guid, which are columns of the page. It packs the content,
which replaces the text of a page that scripts fill.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, TypeAlias

from forest_crawler.feed.records import Enclosure, FeedEntry

EntryValues: TypeAlias = Mapping[str, Any]

MIN_CONTENT = 250
MAX_CONTENT = 500_000
"""Characters of a content that is kept; a shorter one is a teaser, a longer one no article."""


def encode_entry(entry: FeedEntry) -> EntryValues:
    """Encode what an entry says about its article; empty fields are left out.

    >>> encode_entry(FeedEntry("Rain", link="http://gazette.example/a", tags=("weather",)))
    {'title': 'Rain', 'tags': ['weather']}
    """
    values = {
        "title": entry.title,
        "description": entry.description,
        "published": entry.published.isoformat() if entry.published else None,
        "updated": entry.updated.isoformat() if entry.updated else None,
        "authors": list(entry.authors),
        "tags": list(entry.tags),
        "content": _pack(entry.content),
        "enclosures": [_encode_enclosure(enclosure) for enclosure in entry.enclosures],
    }
    return {name: value for name, value in values.items() if value}


def decode_entry(
    values: EntryValues, *, link: str | None = None, guid: str | None = None
) -> FeedEntry:
    """Decode the entry of the page with this link and guid.

    >>> decode_entry({"title": "Rain"}, link="http://gazette.example/a").link
    'http://gazette.example/a'
    """
    return FeedEntry(
        title=str(values.get("title") or ""),
        description=str(values.get("description") or ""),
        link=link,
        guid=guid,
        published=_decode_date(values.get("published")),
        updated=_decode_date(values.get("updated")),
        authors=tuple(values.get("authors") or ()),
        tags=tuple(values.get("tags") or ()),
        content=_unpack(values.get("content")),
        enclosures=tuple(
            Enclosure(str(row.get("url") or ""), row.get("type"), row.get("length"))
            for row in values.get("enclosures") or ()
        ),
    )


def states_text(values: EntryValues) -> bool:
    """Whether an encoded entry has a content, which may be the article's whole text.

    >>> states_text(encode_entry(FeedEntry("Rain", content="It rained. " * 50)))
    True
    """
    return bool(values.get("content"))


def _pack(content: str | None) -> str | None:
    """Compress a content as ASCII, to a third of its length."""
    if content is None or not MIN_CONTENT <= len(content) <= MAX_CONTENT:
        return None
    return base64.b85encode(zlib.compress(content.encode("utf-8", "replace"))).decode()


def _unpack(packed: object) -> str | None:
    """Decompress a content; `None` if it isn't one of ours, or too long."""
    if not isinstance(packed, str):
        return None
    try:
        inflater = zlib.decompressobj()
        data = inflater.decompress(base64.b85decode(packed), MAX_CONTENT * 4)
    except (ValueError, zlib.error):
        return None
    return None if inflater.unconsumed_tail else data.decode("utf-8", "replace")


def _encode_enclosure(enclosure: Enclosure) -> EntryValues:
    return {name: value for name, value in asdict(enclosure).items() if value is not None}


def _decode_date(value: object) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else None
