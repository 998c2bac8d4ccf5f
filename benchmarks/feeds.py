"""Count the values of odd feeds that our reader and bare feedparser find.

`python -m benchmarks.feeds` reads `tests/feed/odd_feeds`, whose values were fixed by hand. What
feedparser finds is taken as an application would: its first link, its names, its tags, its longest
content; tags are removed from titles and summaries, and dates are compared as moments.
"""

from __future__ import annotations

import io
from calendar import timegm
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import feedparser

from forest_crawler.page.plain_text import plain_text
from tests.support.feed_documents import FEED_URL
from tests.support.odd_feeds import find_value, odd_feed, odd_values, read_odd_feed

Reader = Callable[[str], Any]


def main() -> None:
    """Print a line per reader."""
    values = list(odd_values())
    readers: dict[str, Reader] = {"ours": read_odd_feed, "feedparser": read_with_feedparser}
    for name, reader in readers.items():
        right: Counter[str] = Counter()
        for value in values:
            found = find_value(reader(value.feed), value.path)
            right[value.feed] += moment(found) == moment(value.expected)
        print(f"{name:10} {right.total()} of {len(values)} values in {len(right)} feeds")


def read_with_feedparser(name: str) -> Any:
    """Read a feed with feedparser alone, as plain values of our names."""
    body, content_type = odd_feed(name)
    headers = {"content-location": FEED_URL} | (
        {"content-type": content_type} if content_type else {}
    )
    found = feedparser.parse(io.BytesIO(body), response_headers=headers, sanitize_html=False)
    head = found.feed
    return {
        "title": plain_text(head.get("title", "")) or None,
        "link": head.get("link"),
        "language": head.get("language"),
        "hub": related(head, "hub"),
        "next_page": related(head, "next"),
        "update_interval": float(head.ttl) * 60 if head.get("ttl") else None,
        "entries": [plain_entry(entry) for entry in found.entries],
    }


def plain_entry(entry: Any) -> dict[str, Any]:
    contents = [row.value for row in entry.get("content", ())]
    return {
        "title": plain_text(entry.get("title", "")),
        "description": plain_text(entry.get("summary", "")),
        "link": entry.get("link"),
        "guid": entry.get("id"),
        "published": iso(dict.get(entry, "published_parsed")),
        "updated": iso(dict.get(entry, "updated_parsed")),
        "authors": [row.name for row in entry.get("authors", ()) if row.get("name")],
        "tags": [row.label or row.term for row in entry.get("tags", ())],
        "content": max(contents, key=len, default=None),
        "enclosures": [
            {"url": row.get("href"), "type": row.get("type"), "length": number(row.get("length"))}
            for row in entry.get("enclosures", ())
        ],
    }


def related(head: Any, relation: str) -> str | None:
    return next((row.href for row in head.get("links", ()) if row.rel == relation), None)


def iso(parsed: Any) -> str | None:
    if not parsed or parsed[0] < 1:  # feedparser has dates before our era
        return None
    return datetime.fromtimestamp(timegm(parsed), UTC).isoformat()


def number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() else None


def moment(value: Any) -> Any:
    """Make dates comparable that differ in their time zone only."""
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return value


if __name__ == "__main__":
    main()
