"""Text of RSS or Atom → a safe, small and well-formed tree, whatever the text.

Between `forest_crawler.feed.untrusted_xml` and `forest_crawler.feed.xml_feed`. Surplus entries are
dropped here, before anything reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from forest_crawler.errors import FeedError
from forest_crawler.feed.feed_repair import repair_feed
from forest_crawler.feed.newest import MAX_ENTRIES, newest_positions
from forest_crawler.feed.untrusted_xml import UnsafeXmlError, local_name, parse_xml, safe_xml
from forest_crawler.page.xpath import Element
from forest_crawler.text.dates import parse_date

_ROOT = re.compile(r"<(?:[\w.-]+:)?(?:rss|feed|rdf)(?=[\s>])", re.IGNORECASE)
_MAX_JUNK = 4096
"""Max characters before the root, where servers print warnings."""
_HTML = re.compile(r"<html[\s>]", re.IGNORECASE)
_ENTRIES = frozenset(["item", "entry"])
_DATES = ("pubdate", "published", "date", "issued", "updated", "modified")


@dataclass(frozen=True, slots=True, eq=False)
class FeedTree:
    """A feed's elements, with the newest entries only."""

    root: Element
    left_out: int  # entries beyond `MAX_ENTRIES` or beyond repair
    repaired: bool


def parse_feed(text: str, *, url: str, now: datetime | None) -> FeedTree:
    """Make the tree of an RSS or Atom feed with its newest `MAX_ENTRIES` entries.

    Raises `FeedError` for what isn't a feed, `UnsafeXmlError` for what isn't safe.
    """
    text = _from_root(safe_xml(text), url)
    tree = _parse(text, now)
    left_out = tree.left_out + _drop_old_entries(tree.root, now)
    return FeedTree(tree.root, left_out, tree.repaired)


def is_entry(element: Element) -> bool:
    """Check whether an element is an entry of RSS or Atom."""
    return local_name(element) in _ENTRIES


def _from_root(text: str, url: str) -> str:
    start = _ROOT.search(text, 0, _MAX_JUNK)
    if start is None or _HTML.search(text, 0, start.start()):
        raise FeedError("not a feed", url)
    return text[start.start() :]


def _parse(text: str, now: datetime | None) -> FeedTree:
    try:
        root, is_sound = parse_xml(text)
        if is_sound:
            return FeedTree(root, left_out=0, repaired=False)
    except UnsafeXmlError as err:
        # Unclosed tags add up to depth too; cut entry by entry, a broken feed isn't deep.
        if err.reason != "too deep":
            raise
    root, left_out = repair_feed(text, now=now)
    return FeedTree(root, left_out, repaired=True)


def _drop_old_entries(root: Element, now: datetime | None) -> int:
    entries = [e for e in root.iter(etree.Element) if is_entry(e)]
    if len(entries) <= MAX_ENTRIES:
        return 0
    kept = set(newest_positions([_read_date(entry, now) for entry in entries]))
    for position, entry in enumerate(entries):
        parent = entry.getparent()
        if position not in kept and parent is not None:
            parent.remove(entry)
    return len(entries) - len(kept)


def _read_date(entry: Element, now: datetime | None) -> datetime | None:
    texts = {local_name(child): child.text for child in entry}
    return next((found for name in _DATES if (found := parse_date(texts.get(name), now=now))), None)
