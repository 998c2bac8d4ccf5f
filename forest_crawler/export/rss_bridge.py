"""Write feed URLs for RSS-Bridge's CssSelectorFeedExpander, with rules as query."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from forest_crawler.export.rules import Export, Notes, SiteRules, css_list

FORMAT = "rss-bridge"
BRIDGE_URL = "https://rss-bridge.example/"
"""Placeholder for the user's own RSS-Bridge."""


def write_rss_bridge(sites: Sequence[SiteRules]) -> Export:
    """Write a line per feed: the URL to subscribe to instead."""
    notes = Notes(FORMAT)
    lines = []
    for rules in sites:
        wrapper = notes.first_wrapper(rules)
        notes.need_feeds(rules)
        if wrapper is None:
            continue
        notes.add(rules.site, f"{FORMAT} uses only the first element that the selector matches")
        notes.skip_fields(rules, wrapper, "title", "author", "date", "lead", "image")
        for feed in rules.feeds:
            query = {
                "action": "display",
                "bridge": "CssSelectorFeedExpanderBridge",
                "feed": feed,
                "content_selector": css_list(wrapper.body, rules.site),
                "content_cleanup": css_list(wrapper.strip, rules.site),
                "limit": "20",
                "format": "Atom",
            }
            lines.append(f"{BRIDGE_URL}?{urlencode(query, errors='replace')}\n")
    return Export({"": "".join(lines)}, tuple(notes.messages))
