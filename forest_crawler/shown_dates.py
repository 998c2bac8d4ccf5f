"""The last resort for an article's date: htmldate, which looks at markup, addresses and texts."""

from __future__ import annotations

import logging
from datetime import datetime
from functools import cache
from typing import Any

from lxml import etree

from forest_crawler.dates import parse_date
from forest_crawler.tree import PageTree

LARGEST_PAGE = 2**20
"""Characters of markup that are searched: its patterns run over all of it, several times."""


def guess_date(tree: PageTree, latest: datetime | None = None) -> datetime | None:
    """The day on which a page was first published, as far as htmldate finds one; never raises."""
    markup = etree.tostring(tree.html, method="html", encoding="unicode")[:LARGEST_PAGE]
    try:
        found = _finder()(
            markup,
            extensive_search=False,
            original_date=True,
            url=tree.url,
            max_date=latest,
            deferred_url_extractor=True,
        )
    except (ValueError, TypeError, LookupError, RecursionError, OverflowError):
        return None  # a guess that fails on an odd page is no guess
    return parse_date(found) if isinstance(found, str) else None


@cache
def _finder() -> Any:
    from htmldate import find_date  # its parsers of dates take a second to load

    logging.getLogger("htmldate").setLevel(logging.CRITICAL)
    return find_date
