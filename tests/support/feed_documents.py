"""Feeds for tests: builders of RSS documents, and reading them at a fixed time."""

from __future__ import annotations

from datetime import UTC, datetime

from forest_crawler.errors import FeedError
from forest_crawler.feed.reader import read_feed
from forest_crawler.feed.records import Feed

FEED_NOW = datetime(2026, 7, 1, tzinfo=UTC)
FEED_URL = "http://feeds.example/feed"


def read(body: bytes | str, content_type: str | None = None) -> Feed:
    data = body.encode() if isinstance(body, str) else body
    return read_feed(data, url=FEED_URL, content_type=content_type, now=FEED_NOW)


def rss(*items: str, doctype: str = "") -> str:
    return (
        f'<?xml version="1.0"?>{doctype}<rss version="2.0"><channel><title>T</title>'
        f"<link>http://gazette.example/</link>{''.join(items)}</channel></rss>"
    )


def item(title: str = "t", link: str = "http://gazette.example/a", **more: str) -> str:
    inner = "".join(f"<{name}>{text}</{name}>" for name, text in more.items())
    return f"<item><title>{title}</title><link>{link}</link>{inner}</item>"


def outcome(body: bytes | str) -> Feed | str:
    """Read a feed, or give the reason why it is refused."""
    try:
        return read(body)
    except FeedError as err:
        return err.reason
