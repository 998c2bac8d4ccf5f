"""Dates near a page's headline, for articles whose date no metadata states."""

from __future__ import annotations

import re
from datetime import datetime

from forest_crawler.metadata.headlines import find_headline_leaf
from forest_crawler.page.tree import PageTree
from forest_crawler.text.dates import parse_date

NEAR = 30
"""Max text leaves between headline and date line: kicker, lead, author, share buttons."""

MAX_LINE_LENGTH = 150
"""Max characters of a date line, with author, place and reading time."""

_MONTH = r"([^\W\d_]{3,10})\.?"
_DAY = r"([0-9]{1,2})(?:st|nd|rd|th|\.|er)?"
_YEAR = r"((?:19|20)[0-9]{2})(?![0-9])"
_DAY_FIRST = re.compile(
    rf"(?<![0-9]){_DAY}\s{{1,3}}(?:de\s|of\s)?{_MONTH},?\s{{1,3}}(?:de\s)?{_YEAR}"
)
_MONTH_FIRST = re.compile(rf"{_MONTH}\s{{1,3}}{_DAY},?\s{{1,3}}{_YEAR}")
_NUMBERS = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}(?![0-9])")
_CHANGED = re.compile(r"updat|modif|revis|review|edit|chang|aktualisiert|mis à jour", re.IGNORECASE)


def read_dateline(tree: PageTree) -> datetime | None:
    """Read the first date near a page's headline, preferably not of a change.

    >>> from forest_crawler.page.tree import parse_page
    >>> read_dateline(parse_page("<h1>Rain</h1><p>By Ann Lee, 6 March 2026<p>It rained")).date()
    datetime.date(2026, 3, 6)
    """
    headline = find_headline_leaf(tree)
    if headline is None:
        return None
    changed = None
    texts = tree.outline.leaf_texts[max(0, headline - NEAR // 3) : headline + NEAR]
    for before, text in zip(["", *texts], texts, strict=False):
        if len(text) <= MAX_LINE_LENGTH and (moment := _first_date(text)):
            label = "" if _first_date(before) else before[-40:]
            if not _CHANGED.search(f"{label} {text}"):
                return moment
            changed = changed or moment
    return changed


def _first_date(text: str) -> datetime | None:
    if "19" not in text and "20" not in text:  # as every pattern demands
        return None
    if match := _DAY_FIRST.search(text):
        return parse_date(f"{match[1]} {match[2]} {match[3]}")
    if match := _MONTH_FIRST.search(text):
        return parse_date(f"{match[2]} {match[1]} {match[3]}")
    match = _NUMBERS.search(text)
    return parse_date(match.group()) if match else None
