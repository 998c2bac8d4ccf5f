"""RSS, Atom and CDF → `Feed`, read by feedparser after they are made safe.

One of the two parsers that `forest_crawler.feed.reader.read_feed` chooses from. feedparser knows
the dialects; it never sees the bytes as they were fetched. `feed_trees` makes them safe and repairs
them, `feed_document` bounds them. feedparser gets the result as a file object, since it opens any
other argument that looks like a path or a URL. HTML is sanitised later, by nh3.
"""

from __future__ import annotations

import io
from datetime import datetime, timedelta

from forest_crawler.feed.feed_document import write_document
from forest_crawler.feed.feed_trees import parse_feed
from forest_crawler.feed.parsed_entries import EntryReader
from forest_crawler.feed.parsed_values import (
    Parsed,
    find_page,
    find_related,
    inherited_authors,
    read_number,
    read_plain,
    read_text,
)
from forest_crawler.feed.records import MAX_TITLE_LENGTH, Feed

MAX_INTERVAL = timedelta(days=90)
"""Max update interval that is believed; a longer one is a mistake."""

_PERIODS = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}


def read_xml(text: str, *, url: str, now: datetime | None) -> Feed:
    """Read RSS (0.9x, 1.0, 2.0), Atom (0.3, 1.0) or CDF."""
    tree = parse_feed(text, url=url, now=now)
    document, cut_off = write_document(tree)
    found = _run_feedparser(document, url)
    head = found["feed"]
    is_atom = found["version"].startswith("atom")
    title = read_plain(head, "title", is_atom)[:MAX_TITLE_LENGTH]
    reader = EntryReader(url, now, is_atom, tuple(inherited_authors(head, title)))
    return Feed(
        url=url,
        title=title or None,
        link=find_page(head),
        language=read_text(head, "language"),
        entries=tuple(map(reader.read, found["entries"])),
        next_page=find_related(head, "next"),
        hub=find_related(head, "hub"),
        self_url=find_related(head, "self"),
        update_interval=_update_interval(head),
        left_out=tree.left_out + cut_off,
        repaired=tree.repaired,
    )


def _run_feedparser(document: bytes, url: str) -> Parsed:
    import feedparser  # takes as long as reading a thousand entries

    found: Parsed = feedparser.parse(
        io.BytesIO(document),
        response_headers={
            "content-type": "application/xml; charset=utf-8",
            "content-location": url,
        },
        resolve_relative_uris=False,
        sanitize_html=False,
    )
    return found


def _update_interval(head: Parsed) -> timedelta | None:
    minutes = read_number(read_text(head, "ttl"))
    period = _PERIODS.get((read_text(head, "sy_updateperiod") or "").lower())
    if minutes:
        found = timedelta(minutes=minutes)
    elif period:
        found = period / (read_number(read_text(head, "sy_updatefrequency")) or 1)
    else:
        return None
    return found if timedelta(minutes=1) <= found <= MAX_INTERVAL else None
