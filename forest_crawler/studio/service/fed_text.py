"""The text that a feed has of its entries, for those whose page gives no article."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from forest_crawler.article.content.forms import write_forms
from forest_crawler.errors import EmptyPageError
from forest_crawler.extraction.stated_text import MAX_LENGTH
from forest_crawler.feed.reader import read_feed
from forest_crawler.feed.records import Feed, FeedEntry
from forest_crawler.page.selection import select_elements
from forest_crawler.page.tree import parse_page


@dataclass(frozen=True, slots=True)
class FedFeed:
    """A feed, and its first entries that have a page or a text, with the text as HTML."""

    feed: Feed
    entries: Sequence[tuple[FeedEntry, str]]


def parse_feed(body: bytes, url: str, content_type: str | None, limit: int) -> FedFeed:
    """Read a feed and the texts of at most `limit` entries; runs in a worker."""
    feed = read_feed(body, url=url, content_type=content_type)
    shown = [it for it in feed.entries if it.link or (it.guid and (it.content or it.description))]
    return FedFeed(feed, [(it, fed_html(it, it.link or url)) for it in shown[:limit]])


def fed_html(entry: FeedEntry, url: str | None = None) -> str:
    """Return an entry's content as safe HTML, or else its description.

    >>> fed_html(FeedEntry("Rain", content="<p onclick=x()>It <b>rained</b>.<script>y()</script>"))
    '<p>It <strong>rained</strong>.</p>'
    >>> fed_html(FeedEntry("Rain", "Rain & wind"))
    '<p>Rain &amp; wind</p>'
    """
    described = f"<p>{escape(entry.description)}</p>" if entry.description else ""
    if not entry.content:
        return described
    try:
        page = parse_page(f"<html><body>{entry.content[:MAX_LENGTH]}</body></html>", url=url)
    except EmptyPageError:
        return described
    return write_forms(select_elements(page, [page.body])).html or described
