"""Text of RSS, Atom or CDF → a safe tree and its newest entries, whatever the text.

Between `forest_crawler.feed.untrusted_xml` and `forest_crawler.feed.feed_document`. Surplus entries
are dropped here, before anything reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from forest_crawler.errors import FeedError
from forest_crawler.feed.feed_repair import repair_feed
from forest_crawler.feed.newest import MAX_ENTRIES, newest_positions
from forest_crawler.feed.untrusted_xml import UnsafeXmlError, local_name, parse_xml, safe_xml
from forest_crawler.page.xpath import Element
from forest_crawler.text.dates import parse_date

_ROOT = re.compile(r"<(?:[\w.-]+:)?(?:rss|feed|rdf|channel)(?=[\s>])", re.IGNORECASE)
_MAX_JUNK = 4096
"""Max characters before the root, where servers print warnings."""
_HTML = re.compile(r"<html[\s>]", re.IGNORECASE)
_ENTRIES = frozenset(["item", "entry"])
_CONTAINERS = frozenset(["channel", "items", "entries"])
_DATES = ("pubdate", "published", "date", "issued", "updated", "modified")


@dataclass(frozen=True, slots=True, eq=False)
class FeedTree:
    """The parts of a feed, with the newest entries only."""

    root: Element
    channels: Sequence[Element]  # of RSS and CDF; CDF's root is one, and has others inside
    entries: Sequence[Element]
    left_out: int  # entries beyond `MAX_ENTRIES` or beyond repair
    repaired: bool


def parse_feed(text: str, *, url: str, now: datetime | None) -> FeedTree:
    """Make the tree of an RSS, Atom or CDF feed with its newest `MAX_ENTRIES` entries.

    Raises `FeedError` for what isn't a feed, `UnsafeXmlError` for what isn't safe.
    """
    root, left_out, repaired = _parse(_from_root(safe_xml(text), url), now)
    elements = list(_walk(root))
    entries = [element for element in elements if _is_entry(element)]
    kept = _newest(entries, now)
    return FeedTree(
        root,
        [element for element in elements if local_name(element) == "channel"],
        kept,
        left_out + len(entries) - len(kept),
        repaired,
    )


def _is_entry(element: Element) -> bool:
    return local_name(element) in _ENTRIES


def _walk(root: Element) -> Iterator[Element]:
    """Yield the entries and what holds them, in document order."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        yield element
        if not _is_entry(element):
            inside = [c for c in element if local_name(c) in _CONTAINERS or _is_entry(c)]
            waiting.extend(reversed(inside))


def _from_root(text: str, url: str) -> str:
    start = _ROOT.search(text, 0, _MAX_JUNK)
    if start is None or _HTML.search(text, 0, start.start()):
        raise FeedError("not a feed", url)
    return text[start.start() :]


def _parse(text: str, now: datetime | None) -> tuple[Element, int, bool]:
    """Parse a feed; also count lost entries, and say whether it was repaired."""
    try:
        root, is_sound = parse_xml(text)
        if is_sound:
            return root, 0, False
    except UnsafeXmlError as err:
        # Unclosed tags add up to depth too; cut entry by entry, a broken feed isn't deep.
        if err.reason != "too deep":
            raise
    root, left_out = repair_feed(text, now=now)
    return root, left_out, True


def _newest(entries: Sequence[Element], now: datetime | None) -> Sequence[Element]:
    if len(entries) <= MAX_ENTRIES:
        return entries
    dates = [_read_date(entry, now) for entry in entries]
    return [entries[position] for position in newest_positions(dates)]


def _read_date(entry: Element, now: datetime | None) -> datetime | None:
    texts = {local_name(child): child.text for child in entry}
    return next((found for name in _DATES if (found := parse_date(texts.get(name), now=now))), None)
