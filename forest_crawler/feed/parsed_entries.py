"""An entry as feedparser found it → `FeedEntry`.

For `forest_crawler.feed.xml_feed`, with its corrections: feedparser's dates are in UTC, it invents
days and months, and does not know most languages. So dates are read by `forest_crawler.text.dates`
first; that needs no handler registered with feedparser, which would change every other use of it in
the process. Atom's entries inherit the authors of their source or feed.
"""

from __future__ import annotations

import html
import re
from calendar import timegm
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from time import struct_time

from forest_crawler.feed.feed_document import MAX_NAMES
from forest_crawler.feed.parsed_values import (
    Parsed,
    find_page,
    is_plain,
    list_authors,
    list_links,
    list_relations,
    list_tags,
    make_absolute,
    read_number,
    read_plain,
    read_text,
)
from forest_crawler.feed.records import MAX_TITLE_LENGTH, Enclosure, FeedEntry
from forest_crawler.page.plain_text import plain_text
from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.dates import parse_date

# 2026-06, 2026-06-04T10Z, dates in Greek. Of other forms it reads too much: 2026-02-30 becomes a
# day of March, and the year in "2004년" a day of the month in which it is read.
_LEFT_TO_FEEDPARSER = re.compile(
    r"[0-9]{4}-[0-9]{2}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}Z?|[^\W0-9_\x00-\x7f].*"
)
_TEXTS = re.compile(r"text/|.*xml$")


@dataclass(frozen=True, slots=True)
class EntryReader:
    """Reads entries of one feed out of feedparser's dictionaries."""

    url: str
    now: datetime | None
    is_atom: bool
    authors: tuple[str, ...]  # of the feed

    def read(self, entry: Parsed) -> FeedEntry:
        """Read one entry."""
        published, updated = read_text(entry, "published"), read_text(entry, "updated")
        content = max(self._contents(entry), key=len, default="")
        summary = read_plain(entry, "summary", self.is_atom) if "summary_detail" in entry else ""
        return FeedEntry(
            title=read_plain(entry, "title", self.is_atom)[:MAX_TITLE_LENGTH],
            description=summary or plain_text(content),
            link=self._link(entry),
            guid=read_text(entry, "id"),
            published=self._date(published, dict.get(entry, "published_parsed")),
            published_text=published,
            updated=self._date(updated, dict.get(entry, "updated_parsed")),
            updated_text=updated,
            authors=self._authors(entry),
            tags=tuple(dict.fromkeys(islice(list_tags(entry), MAX_NAMES))),
            content=clean_text(content).strip() or None,
            enclosures=self._enclosures(entry),
        )

    def _date(self, text: str | None, parsed: struct_time | None) -> datetime | None:
        """Read a date with its time zone, or in feedparser's way where that is right."""
        found = parse_date(text, now=self.now)
        if found or not (text and parsed and _LEFT_TO_FEEDPARSER.fullmatch(text)):
            return found
        if f"{parsed[0]:04}" not in text:  # a year that nobody wrote
            return None
        moment = datetime.fromtimestamp(timegm(parsed), UTC)
        return parse_date(moment.isoformat(), now=self.now)

    def _contents(self, entry: Parsed) -> Iterator[str]:
        for detail in dict.get(entry, "content") or ():
            text = detail.get("value") or ""
            if _TEXTS.match(detail.get("type") or "text/"):
                escaped = html.escape(text, quote=False)
                yield escaped if is_plain(detail, self.is_atom) else text

    def _link(self, entry: Parsed) -> str | None:
        """Read the article's URL: before a feed service's redirect, of a page, of the content."""
        if original := read_text(entry, "feedburner_origlink"):
            return make_absolute(original, self.url)
        elsewhere = (d["src"] for d in dict.get(entry, "content") or () if d.get("src"))
        return find_page(entry) or make_absolute(next(elsewhere, None), self.url)

    def _authors(self, entry: Parsed) -> tuple[str, ...]:
        own = list_authors(entry) or list_authors(dict.get(entry, "source") or {})
        return tuple(dict.fromkeys(islice(own or self.authors, MAX_NAMES)))

    def _enclosures(self, entry: Parsed) -> tuple[Enclosure, ...]:
        links = [row for row in list_links(entry) if "enclosure" in list_relations(row)]
        found: dict[str, Enclosure] = {}
        for row in [*links, *(dict.get(entry, "media_content") or ())]:
            address = make_absolute(row.get("href") or row.get("url"), self.url)
            length = read_number(row.get("length") or row.get("filesize"))
            if address:
                found.setdefault(address, Enclosure(address, row.get("type") or None, length))
        return tuple(islice(found.values(), MAX_NAMES))
