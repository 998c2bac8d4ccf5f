"""Write feed URLs for RSS-Bridge's CssSelectorFeedExpander, with rules as query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from forest_crawler.export.feed import FeedHead
from forest_crawler.export.rules import Export, Notes, SiteRules
from forest_crawler.export.source_feeds import write_index
from forest_crawler.export.targets import RSS_BRIDGE, CssRules

FORMAT = "rss-bridge"
BRIDGE_URL = "https://rss-bridge.example/"
"""Placeholder for the user's own RSS-Bridge."""


def write_rss_bridge(sites: Sequence[SiteRules], bridge: str = BRIDGE_URL) -> Export:
    """Write a line per feed: the URL to subscribe to instead."""
    notes = Notes(FORMAT)
    lines = [f"{address}\n" for _, address in _addresses(sites, bridge, notes)]
    return Export({"": "".join(lines)}, tuple(notes.messages), tuple(notes.checks))


def write_bridge_list(sites: Sequence[SiteRules], bridge: str = BRIDGE_URL) -> Export:
    """Write OPML of these URLs, to subscribe to all at once."""
    notes = Notes(FORMAT)
    feeds = [
        (FeedHead(rules.title or rules.site, rules.home or f"http://{rules.site}/"), address)
        for rules, address in _addresses(sites, bridge, notes)
    ]
    document = write_index(feeds).decode("utf-8") if feeds else ""
    return Export({"": document}, tuple(notes.messages), tuple(notes.checks))


def _addresses(
    sites: Sequence[SiteRules], bridge: str, notes: Notes
) -> Iterator[tuple[SiteRules, str]]:
    for rules in sites:
        choice = notes.choose(RSS_BRIDGE, rules)
        notes.need_feeds(rules)
        if choice is None:
            continue
        if choice.share is None:
            notes.add(rules.site, f"{FORMAT} uses only the first element that the selector matches")
        notes.skip_fields(rules, rules.portable[0], "title", "author", "date", "lead", "image")
        for feed in rules.feeds:
            yield rules, bridge_url(bridge, feed, choice.written)


def bridge_url(bridge: str, feed: str, rules: CssRules) -> str:
    """Return the address at which RSS-Bridge serves a feed in full."""
    query = {
        "action": "display",
        "bridge": "CssSelectorFeedExpanderBridge",
        "feed": feed,
        "content_selector": rules.body,
        "content_cleanup": rules.strip,
        "limit": "20",
        "format": "Atom",
    }
    return f"{bridge}?{urlencode(query, errors='replace')}"
