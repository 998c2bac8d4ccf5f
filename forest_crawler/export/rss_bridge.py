"""RSS-Bridge's CssSelectorFeedExpander: the rules are the query of the feed's new address."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from forest_crawler.export.rules import Export, Notes, SiteRules, css_list

FORMAT = "rss-bridge"
PLACE = "https://rss-bridge.example/"
"""Stands for the user's own RSS-Bridge."""


def write_rss_bridge(sites: Sequence[SiteRules]) -> Export:
    """A line for each feed: the address to subscribe to in its place."""
    notes = Notes(FORMAT)
    lines = []
    for rules in sites:
        wrapper = notes.first_wrapper(rules)
        notes.need_feeds(rules)
        if wrapper is None:
            continue
        notes.add(rules.site, f"{FORMAT} takes only the first element that the selector matches")
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
            lines.append(f"{PLACE}?{urlencode(query, errors='replace')}\n")
    return Export({"": "".join(lines)}, tuple(notes.said))
