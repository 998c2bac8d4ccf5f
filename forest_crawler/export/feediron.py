"""Write rules for FeedIron, a plug-in of tt-rss: JSON with XPaths.

The paths have no leading slashes: FeedIron adds them. `all_xpath` with `index: all` takes every
element of the path, in the order of the page.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from forest_crawler.export.rules import Export, Notes, SiteRules
from forest_crawler.export.targets import FEEDIRON

FORMAT = "feediron"


def write_feediron(sites: Sequence[SiteRules]) -> Export:
    """Write one configuration for all sites, by name, which FeedIron finds in URLs."""
    notes = Notes(FORMAT)
    document = {}
    for rules in sites:
        choice = notes.choose(FEEDIRON, rules)
        if choice is None:
            continue
        notes.skip_fields(rules, rules.portable[0], "title", "author", "date", "lead", "image")
        document[rules.site] = choice.written
    text = json.dumps(document, indent=2, ensure_ascii=True) + "\n"
    return Export({"": text}, tuple(notes.messages), tuple(notes.checks))
