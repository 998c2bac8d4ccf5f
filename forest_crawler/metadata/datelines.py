"""Dates near a page's headline, for articles whose date no metadata states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from forest_crawler.metadata.headlines import find_headline_leaf
from forest_crawler.page.tree import PageTree
from forest_crawler.text.dates import find_day, parse_date

NEAR = 30
"""Max text leaves between headline and date line: kicker, lead, author, share buttons."""

MONTHS = 12

MAX_LINE_LENGTH = 150
"""Max characters of a date line, with author, place and reading time."""

BESIDE = 6
"""Max text leaves between headline and a lone date: farther ones are of events and posts below."""

MAX_LONE_LENGTH = 40
"""Max characters of a lone date: "6 September 2026 | 10:00"."""

MAX_LABEL_LENGTH = 40
"""Characters read before a date: "Last updated:"."""

_DIGIT = re.compile("[0-9]")
_MONTH = r"([^\W\d_]{3,10})\.?"
_DAY = r"([0-9]{1,2})(?:st|nd|rd|th|\.|er)?"
_YEAR = r"((?:19|20)[0-9]{2})(?![0-9])"
_DAY_FIRST = re.compile(
    rf"(?<![0-9]){_DAY}\s{{1,3}}(?:de\s|of\s)?{_MONTH},?\s{{1,3}}(?:de\s)?{_YEAR}"
)
_MONTH_FIRST = re.compile(rf"{_MONTH}\s{{1,3}}{_DAY},?\s{{1,3}}{_YEAR}")
# 2026-03-06, 2026/3/6, 2026.03.06 (but not version 2026.3.6), 2026年3月6日
_YEAR_FIRST = re.compile(
    rf"(?<![0-9]){_YEAR}(?:\s?[-/年]|\.(?=\s?[0-9]{{2}}\.))\s?([0-9]{{1,2}})\s?[-/.月]\s?"
    r"([0-9]{1,2})(?![0-9])"
)
# 06.03.2026, 6. 3. 2026, 3/6/2026, 6-3-2026
_YEAR_LAST = re.compile(rf"(?<![0-9./-])([0-9]{{1,2}})([./-])\s?([0-9]{{1,2}})\2\s?{_YEAR}")
_WORD = re.compile(r"[^\W\d_]{2,}")
_ANY_YEAR = re.compile(rf"(?<![0-9]){_YEAR}")
# 6–8 March, 6 March to 8 April; but not 10:00 – 6 March
_SPAN = re.compile(
    rf"(?<![0-9:.,/]){_DAY}(?:\s[^\W\d_]{{3,10}}\.?)?\s?(?:[-–—]|to|and|bis|und|au|et|al|y)\s?"
    r"[0-9]{1,2}\.?\s[^\W\d_]{3}"
)
_CHANGED = re.compile(
    r"updat|modif|revis|review|edit|chang|aktualisiert|geändert|bearbeitet|mise? à jour|"
    r"actuali[sz]|aggiorna|atualiz|bijgewerkt|uppdater|opdater|zaktualiz|обновл",
    re.IGNORECASE,
)


def read_dateline(tree: PageTree) -> datetime | None:
    """Read the first date near a page's headline, preferably not of a change.

    >>> from forest_crawler.page.tree import parse_page
    >>> read_dateline(parse_page("<h1>Rain</h1><p>By Ann Lee, 6 March 2026<p>It rained")).date()
    datetime.date(2026, 3, 6)
    """
    changed = None
    for _, _, moment, is_change in _dates_near(tree):
        if not is_change:
            return moment
        changed = changed or moment
    return changed


def read_other_date(tree: PageTree, known: datetime) -> datetime | None:
    """Read the date that a page shows beside its headline instead of a known one.

    It is alone in its text and not of a change; no text near the headline mentions the known one.

    >>> from forest_crawler.page.tree import parse_page
    >>> page = parse_page("<h1>Rain</h1><p>6 March 2026<p>It rained")
    >>> read_other_date(page, datetime(2026, 4, 9)).date()
    datetime.date(2026, 3, 6)
    """
    headline = find_headline_leaf(tree)
    if headline is None:
        return None
    beside = tree.outline.leaf_texts[max(0, headline - BESIDE) : headline + BESIDE + 1]
    dated = [it for it in beside if len(it) <= MAX_LINE_LENGTH and _DIGIT.search(it)]
    if any(find_day(text, {known.date()}) for text in dated):
        return None
    for distance, text, moment, is_change in _dates_near(tree):
        is_beside = -BESIDE // 3 <= distance <= BESIDE and distance != 0
        if is_beside and _is_lone(text.strip()) and not is_change:
            return moment
    return None


def is_timed(tree: PageTree, known: datetime) -> bool:
    """Whether a `<time>` beside the headline that shows no date ("3 hours ago") is of that day."""
    headline = find_headline_leaf(tree)
    if headline is None:
        return False
    outline = tree.outline
    first, last = max(0, headline - BESIDE), headline + BESIDE
    for leaf, text in enumerate(outline.leaf_texts[first : last + 1], first):
        owner = outline.elements[outline.leaf_owners[leaf]]
        if owner.tag == "time" and not _first_date(text, tree.language):
            moment = parse_date(owner.get("datetime", ""))
            if moment is not None and moment.date() == known.date():
                return True
    return False


def _is_lone(text: str) -> bool:
    """Whether a text is one date, with no word but the month's.

    "6–8 March 2026" is when something happens, and "Born 6 March 1999" whose date it is.
    """
    if len(text) > MAX_LONE_LENGTH or _SPAN.search(text) or len(_WORD.findall(text)) > 1:
        return False
    return len(_ANY_YEAR.findall(text)) == 1


def _dates_near(tree: PageTree) -> Iterator[tuple[int, str, datetime, bool]]:
    """Yield the dates around the headline: distance, text, moment, whether of a change."""
    headline = find_headline_leaf(tree)
    if headline is None:
        return
    texts = tree.outline.leaf_texts
    label = ""
    for leaf in range(max(0, headline - NEAR // 3), min(headline + NEAR, len(texts))):
        text = texts[leaf]
        moment = _first_date(text, tree.language) if len(text) <= MAX_LINE_LENGTH else None
        if moment:
            yield leaf - headline, text, moment, _CHANGED.search(f"{label} {text}") is not None
        label = "" if moment else text[-MAX_LABEL_LENGTH:]


def _first_date(text: str, language: str | None) -> datetime | None:
    if "19" not in text and "20" not in text:  # as every pattern demands
        return None
    if match := _DAY_FIRST.search(text):
        return parse_date(f"{match[1]} {match[2]} {match[3]}")
    if match := _MONTH_FIRST.search(text):
        return parse_date(f"{match[2]} {match[1]} {match[3]}")
    if match := _YEAR_FIRST.search(text):
        return parse_date(f"{match[1]}-{match[2]}-{match[3]}")
    match = _YEAR_LAST.search(text)
    return _order_numbers(match, language) if match else None


def _order_numbers(match: re.Match[str], language: str | None) -> datetime | None:
    """Read a date that ends with the year: English ones may begin with the day or the month.

    Dots follow the day in any language; else only numbers above twelve show which one it is.
    """
    first, mark, second, year = match.groups()
    if int(second) > MONTHS:
        return parse_date(f"{year}-{first}-{second}")
    is_day = mark == "." or int(first) > MONTHS or first == second
    if not is_day and language in (None, "en"):
        return None
    return parse_date(f"{year}-{second}-{first}")
