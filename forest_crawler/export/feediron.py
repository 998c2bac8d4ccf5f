"""FeedIron, a plug-in of tt-rss: one JSON object, XPaths without their leading slashes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from forest_crawler.export.rules import Export, Notes, SiteRules

FORMAT = "feediron"


def write_feediron(sites: Sequence[SiteRules]) -> Export:
    """The configuration of all sites, by their names, which FeedIron looks for in addresses."""
    notes = Notes(FORMAT)
    document = {}
    for rules in sites:
        wrapper = notes.first_wrapper(rules)
        if wrapper is None:
            continue
        notes.add(rules.site, f"{FORMAT} takes only the first element that each path selects")
        if len(wrapper.body) > 1:
            notes.add(rules.site, f"{FORMAT} joins paths in their order, not in the page's")
            what = "shows the whole page where the last path selects nothing"
            notes.add(rules.site, f"{FORMAT} {what}")
        notes.skip_fields(rules, wrapper, "title", "author", "date", "lead", "image")
        document[rules.site] = {
            "type": "xpath",
            "xpath": [path.removeprefix("//") for path in wrapper.body],
            "cleanup": [path.removeprefix("//") for path in wrapper.strip],
        }
    return Export({"": json.dumps(document, indent=2, ensure_ascii=True) + "\n"}, tuple(notes.said))
