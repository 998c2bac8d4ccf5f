"""Odd feeds with values fixed by hand, in `tests/feed/odd_feeds`.

A case is a feed as it is fetched and a JSON file: `note` says what is odd, `values` has what a
reader must find, by path ("entries.0.title"), `wrong` the reason for each value that ours misses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from forest_crawler.feed.reader import read_feed
from tests.support.feed_documents import FEED_NOW, FEED_URL

ODD_FEEDS = Path(__file__).parents[1] / "feed" / "odd_feeds"


@dataclass(frozen=True, slots=True)
class OddValue:
    """A value that a reader must find in a feed."""

    feed: str
    path: str
    expected: Any
    wrong: str | None  # why our reader misses it

    def __str__(self) -> str:
        return f"{self.feed}:{self.path}"


def odd_values() -> Iterator[OddValue]:
    """List the values of all feeds."""
    for file in sorted(ODD_FEEDS.glob("*.json")):
        row = json.loads(file.read_text(encoding="utf-8"))
        for path, expected in row["values"].items():
            yield OddValue(file.stem, path, expected, row.get("wrong", {}).get(path))


def odd_feed(name: str) -> tuple[bytes, str | None]:
    """Give a feed's body, and its content type if the case has one."""
    row = json.loads((ODD_FEEDS / f"{name}.json").read_text(encoding="utf-8"))
    return (ODD_FEEDS / f"{name}.feed").read_bytes(), row.get("content_type")


@cache
def read_odd_feed(name: str) -> Any:
    """Read a feed with our reader, as plain values."""
    body, content_type = odd_feed(name)
    return to_plain(read_feed(body, url=FEED_URL, content_type=content_type, now=FEED_NOW))


def to_plain(value: object) -> Any:
    """Turn records into what JSON can express."""
    match value:
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case tuple():
            return [to_plain(part) for part in value]
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    return value


def find_value(feed: Any, path: str) -> Any:
    """Find a value by its path; what isn't there is `None`."""
    if path == "entries.count":
        return len(feed["entries"])
    if path == "entries.links":
        return [entry["link"] for entry in feed["entries"]]
    for step in path.split("."):
        if isinstance(feed, list):
            feed = feed[int(step)] if int(step) < len(feed) else None
        else:
            feed = feed.get(step) if feed else None
    return feed
