"""Write feed URLs for RSS-Bridge's CssSelectorFeedExpander, with rules as query."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from forest_crawler.export.rules import Export, Notes, SiteRules
from forest_crawler.export.targets import RSS_BRIDGE, CssRules

FORMAT = "rss-bridge"
BRIDGE_URL = "https://rss-bridge.example/"
"""Placeholder for the user's own RSS-Bridge."""


def write_rss_bridge(sites: Sequence[SiteRules], bridge: str = BRIDGE_URL) -> Export:
    """Write a line per feed: the URL to subscribe to instead."""
    notes = Notes(FORMAT)
    lines = []
    for rules in sites:
        choice = notes.choose(RSS_BRIDGE, rules)
        notes.need_feeds(rules)
        if choice is None:
            continue
        if choice.share is None:
            notes.add(rules.site, f"{FORMAT} uses only the first element that the selector matches")
        notes.skip_fields(rules, rules.portable[0], "title", "author", "date", "lead", "image")
        lines += [bridge_url(bridge, feed, choice.written) + "\n" for feed in rules.feeds]
    return Export({"": "".join(lines)}, tuple(notes.messages), tuple(notes.checks))


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
