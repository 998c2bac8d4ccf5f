"""A feed entry as JSON values, the form in which store and datasets keep it.

The codec leaves out the link and the guid, which are columns of the page, and the content, which
the page repeats.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeAlias

from forest_crawler.feed.records import FeedEntry

EntryValues: TypeAlias = Mapping[str, Any]


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
    )


def _decode_date(value: object) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else None
