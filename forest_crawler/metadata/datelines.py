"""Dates that a page shows: near the headline, or wherever htmldate finds one.

For articles whose date no metadata states. A date line is near the headline; htmldate, the last
resort, searches markup, the URL and all the text.
"""

from __future__ import annotations

import copy
import logging
import re
from datetime import datetime
from functools import cache
from typing import Any

from lxml import etree

from forest_crawler.metadata.microdata import find_headline_leaf
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
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

MAX_PAGE = 2**20
"""Max characters of markup that htmldate searches: its patterns pass over it several times."""


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


def guess_date(tree: PageTree, latest: datetime | None = None) -> datetime | None:
    """Guess with htmldate the day on which a page was first published; never raises."""
    find_date, parser = _finder()
    try:
        found = find_date(
            _searched(tree, parser),
            extensive_search=False,
            original_date=True,
            url=tree.url,
            max_date=latest,
            deferred_url_extractor=True,
        )
    except (ValueError, TypeError, LookupError, RecursionError, OverflowError, etree.LxmlError):
        return None  # htmldate fails on some odd pages
    return parse_date(found) if isinstance(found, str) else None


def _searched(tree: PageTree, parser: etree.HTMLParser) -> Element:
    """Copy a page without scripts and styles: they are read already, or worthless.

    The copy's elements are those of the parser, which htmldate may change without another copy.
    A large page is written, cut and parsed again.
    """
    root = parser.makeelement("html")
    for part in tree.html:
        duplicate = copy.deepcopy(part)
        if part is not tree.body:  # which has neither
            etree.strip_elements(duplicate, "script", "style", with_tail=False)
        root.append(duplicate)
    if len(tree.source) <= MAX_PAGE:
        return root
    markup = etree.tostring(root, method="html", encoding="unicode")[:MAX_PAGE]
    return etree.fromstring(markup, parser)


@cache
def _finder() -> tuple[Any, etree.HTMLParser]:
    """Return htmldate's function, and a parser like its own.

    The parser makes all elements of one class: htmldate's would look up a class per tag in Python,
    which takes a third of its time.
    """
    from htmldate import find_date  # its date parsers take a second to load
    from lxml.html import HtmlElement

    class OwnElement(HtmlElement):  # type: ignore[misc]  # lxml-stubs lacks it
        """An element of a copy: htmldate copies what it is given once more, before it prunes."""

        def __deepcopy__(self, memo: object) -> OwnElement:
            return self

    logging.getLogger("htmldate").setLevel(logging.CRITICAL)
    parser = etree.HTMLParser(encoding="utf-8", collect_ids=False, remove_pis=True)
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=OwnElement))
    return find_date, parser
