"""Write rules for FeedIron, a plug-in of tt-rss: JSON with XPaths.

The paths have no leading slashes: FeedIron adds them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from forest_crawler.export.rules import Export, Notes, SiteRules

FORMAT = "feediron"


def write_feediron(sites: Sequence[SiteRules]) -> Export:
    """Write one configuration for all sites, by name, which FeedIron finds in URLs."""
    notes = Notes(FORMAT)
    document = {}
    for rules in sites:
        wrapper = notes.first_wrapper(rules)
        if wrapper is None:
            continue
        notes.add(rules.site, f"{FORMAT} uses only the first element that each path selects")
        if len(wrapper.body) > 1:
            notes.add(
                rules.site, f"{FORMAT} joins elements in the order of the paths, not of the page"
            )
            what = "shows the whole page if the last path selects nothing"
            notes.add(rules.site, f"{FORMAT} {what}")
        notes.skip_fields(rules, wrapper, "title", "author", "date", "lead", "image")
        document[rules.site] = {
            "type": "xpath",
            "xpath": [path.removeprefix("//") for path in wrapper.body],
            "cleanup": [path.removeprefix("//") for path in wrapper.strip],
        }
    return Export(
        {"": json.dumps(document, indent=2, ensure_ascii=True) + "\n"}, tuple(notes.messages)
    )
