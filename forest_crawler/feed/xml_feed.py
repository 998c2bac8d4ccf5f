"""RSS, Atom and CDF → `Feed`, read by feedparser behind a safe border.

One of the two parsers that `forest_crawler.feed.reader.read_feed` chooses from. feedparser knows
the dialects; it never sees the bytes as they were fetched. `feed_trees` makes them safe and repairs
them, `feed_document` bounds them. feedparser gets the result as a file object, since it opens any
other argument that looks like a path or a URL. HTML is sanitised later, by nh3.

Some of its answers are corrected here. Its dates are in UTC, it invents days and months, and does
not know most languages. So dates are read by `forest_crawler.text.dates` first; that needs
no handler registered with feedparser, which would change every other use of it in the process.
Atom's entries inherit the authors of their feed. A link's relation may be a URL.
"""

from __future__ import annotations

import html
import io
import re
from calendar import timegm
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from time import struct_time
from typing import Any
from urllib.parse import urljoin

from forest_crawler.feed.feed_document import MAX_NAMES, write_document
from forest_crawler.feed.feed_trees import parse_feed
from forest_crawler.feed.records import MAX_TITLE_LENGTH, Enclosure, Feed, FeedEntry
from forest_crawler.page.plain_text import plain_text
from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.comparison import comparable
from forest_crawler.text.dates import parse_date

MAX_INTERVAL = timedelta(days=90)
"""Max update interval that is believed; a longer one is a mistake."""

_PERIODS = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}
_RELATIONS = "http://www.iana.org/assignments/relation/"
# 2026-06, 2026-06-04T10Z, dates in Greek. Of other forms it reads too much: 2026-02-30 becomes a day
# of March, and the year in "2004년" a day of the month in which it is read.
_LEFT_TO_FEEDPARSER = re.compile(
    r"[0-9]{4}-[0-9]{2}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}Z?|[^\W0-9_\x00-\x7f].*"
)
_TEXTS = re.compile(r"text/|.*xml$")

Parsed = dict[str, Any]
"""A dictionary of feedparser; `dict.get` reads it without its deprecated fallbacks."""


def read_xml(text: str, *, url: str, now: datetime | None) -> Feed:
    """Read RSS (0.9x, 1.0, 2.0), Atom (0.3, 1.0) or CDF."""
    tree = parse_feed(text, url=url, now=now)
    document, cut_off = write_document(tree)
    found = _run_feedparser(document, url)
    head = found["feed"]
    is_atom = found["version"].startswith("atom")
    title = _plain(head, "title", is_atom)[:MAX_TITLE_LENGTH]
    reader = _EntryReader(url, now, is_atom, tuple(_inherited_authors(head, title)))
    return Feed(
        url=url,
        title=title or None,
        link=_link(head),
        language=_text(head, "language"),
        entries=tuple(map(reader.read, found["entries"])),
        next_page=_related(head, "next"),
        hub=_related(head, "hub"),
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


@dataclass(frozen=True, slots=True)
class _EntryReader:
    """Reads entries of one feed out of feedparser's dictionaries."""

    url: str
    now: datetime | None
    is_atom: bool
    authors: tuple[str, ...]  # of the feed

    def read(self, entry: Parsed) -> FeedEntry:
        """Read one entry."""
        published, updated = _text(entry, "published"), _text(entry, "updated")
        content = max(self._contents(entry), key=len, default="")
        summary = _plain(entry, "summary", self.is_atom) if "summary_detail" in entry else ""
        return FeedEntry(
            title=_plain(entry, "title", self.is_atom)[:MAX_TITLE_LENGTH],
            description=summary or plain_text(content),
            link=self._link(entry),
            guid=_text(entry, "id"),
            published=self._date(published, dict.get(entry, "published_parsed")),
            published_text=published,
            updated=self._date(updated, dict.get(entry, "updated_parsed")),
            updated_text=updated,
            authors=self._authors(entry),
            tags=tuple(dict.fromkeys(islice(_tags(entry), MAX_NAMES))),
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
                is_plain = _is_plain(detail, self.is_atom)
                yield html.escape(text, quote=False) if is_plain else text

    def _link(self, entry: Parsed) -> str | None:
        """Read the article's URL: before a feed service's redirect, of a page, of the content."""
        if original := _text(entry, "feedburner_origlink"):
            return _absolute(original, self.url)
        elsewhere = (d["src"] for d in dict.get(entry, "content") or () if d.get("src"))
        return _link(entry) or _absolute(next(elsewhere, None), self.url)

    def _authors(self, entry: Parsed) -> tuple[str, ...]:
        own = _authors(entry) or _authors(dict.get(entry, "source") or {})
        return tuple(dict.fromkeys(islice(own or self.authors, MAX_NAMES)))

    def _enclosures(self, entry: Parsed) -> tuple[Enclosure, ...]:
        links = [row for row in _links(entry) if "enclosure" in _relations(row)]
        found: dict[str, Enclosure] = {}
        for row in [*links, *(dict.get(entry, "media_content") or ())]:
            address = _absolute(row.get("href") or row.get("url"), self.url)
            length = _number(row.get("length") or row.get("filesize"))
            if address:
                found.setdefault(address, Enclosure(address, row.get("type") or None, length))
        return tuple(islice(found.values(), MAX_NAMES))


def _plain(parsed: Parsed, field: str, is_atom: bool) -> str:
    """Read a text without its markup; what looks like a tag in plain text isn't one."""
    text: str = dict.get(parsed, field) or ""
    if _is_plain(dict.get(parsed, f"{field}_detail") or {}, is_atom):
        return " ".join(clean_text(text).split())
    return plain_text(text)


def _is_plain(detail: Parsed, is_atom: bool) -> bool:
    # Only Atom has plain texts; RSS has markup wherever it likes.
    return is_atom and detail.get("type") == "text/plain"


def _text(parsed: Parsed, field: str) -> str | None:
    value = dict.get(parsed, field)
    return clean_text(value).strip() or None if isinstance(value, str) else None


def _links(parsed: Parsed) -> Iterable[Parsed]:
    return (row for row in dict.get(parsed, "links") or () if row.get("href"))


def _relations(link: Parsed) -> list[str]:
    """List a link's relations, which may be URLs of IANA's list (RFC 4287, 4.2.7.2)."""
    return [name.removeprefix(_RELATIONS) for name in (link.get("rel") or "alternate").split()]


def _link(parsed: Parsed) -> str | None:
    """Read the URL of the page that a feed or an entry is about."""
    alternates = [row for row in _links(parsed) if "alternate" in _relations(row)]
    pages = [row for row in alternates if "html" in (row.get("type") or "html")]
    return next((clean_text(row["href"]).strip() for row in [*pages, *alternates]), None)


def _related(parsed: Parsed, relation: str) -> str | None:
    return next((row["href"] for row in _links(parsed) if relation in _relations(row)), None)


def _absolute(link: str | None, base: str) -> str | None:
    try:
        return urljoin(base, link) if link else None
    except ValueError:
        return link


def _authors(parsed: Parsed) -> list[str]:
    names = (person.get("name") or "" for person in dict.get(parsed, "authors") or ())
    return list(filter(None, map(plain_text, names)))


def _inherited_authors(head: Parsed, title: str) -> Iterator[str]:
    """Yield the authors of a feed's entries that name none; the feed's own name isn't one."""
    return (name for name in _authors(head) if comparable(name) != comparable(title))


def _tags(entry: Parsed) -> Iterator[str]:
    for tag in dict.get(entry, "tags") or ():
        label = tag.get("label") or tag.get("term") or ""
        if text := plain_text(label, MAX_TITLE_LENGTH):
            yield text


def _update_interval(head: Parsed) -> timedelta | None:
    minutes = _number(_text(head, "ttl"))
    period = _PERIODS.get((_text(head, "sy_updateperiod") or "").lower())
    if minutes:
        found = timedelta(minutes=minutes)
    elif period:
        found = period / (_number(_text(head, "sy_updatefrequency")) or 1)
    else:
        return None
    return found if timedelta(minutes=1) <= found <= MAX_INTERVAL else None


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"[0-9]{1,12}", text.strip()) else None
