"""Strings from a page's metadata → clean values, or nothing.

For `forest_crawler.metadata.page_metadata`: sources spell the same values in many ways, some of
them broken or hostile. Each function takes all strings that a source has for one field, and never
raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from urllib.parse import urljoin, urlsplit

from forest_crawler.metadata.names import is_placeholder
from forest_crawler.metadata.titles import fold_title
from forest_crawler.text.cleaning import SOFT_HYPHEN
from forest_crawler.text.dates import parse_date
from forest_crawler.text.language_codes import read_language

MAX_TEXT_LENGTH = 5000
"""Max characters kept of a description; other texts are shorter still."""

MAX_VALUES = 50
"""Max titles, authors and tags kept of a page, each."""

MAX_NAME_LENGTH = 200
"""Max characters of the name of an author, a tag or a site."""

_MAX_URL_LENGTH = 2000
# "von" and "par" also begin surnames, so at least two more words follow: "Von Ann Lee".
_BY = re.compile(
    r"^(?:(?:written|posted)\s)?by:?\s+|^(?:authors?|autor(?:in)?):\s*|"
    r"^(?:von|par|por)\s(?=(?-i:[^\W\d_a-zà-ÿ])\S*\s+\S)",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_TAG_SEPARATOR = re.compile("[,;、，]")


def pick_titles(strings: Iterable[str]) -> tuple[str, ...]:
    """Keep all titles, folded to one line."""
    return tuple(title for title in map(fold_title, strings) if title)[:MAX_VALUES]


def pick_text(strings: Iterable[str]) -> str | None:
    """Pick the first text that isn't blank."""
    return next((text for text in (fold(it[:MAX_TEXT_LENGTH]) for it in strings) if text), None)


def pick_name(strings: Iterable[str]) -> str | None:
    """Pick the first string that is short enough for a name."""
    return next(
        (name for name in map(fold, strings) if name and len(name) <= MAX_NAME_LENGTH), None
    )


def pick_authors(strings: Iterable[str]) -> tuple[str, ...]:
    """Keep the names of people, each once; URLs of profiles, handles and numbers aren't names."""
    short = (text for text in strings if len(text) <= MAX_NAME_LENGTH * MAX_VALUES)
    names = (_BY.sub("", fold(name)) for text in short for name in _split_authors(text))
    kept = (
        name
        for name in names
        if len(name) <= MAX_NAME_LENGTH and _LETTER.search(name) and _may_be_name(name)
    )
    return tuple(dict.fromkeys(kept))[:MAX_VALUES]


def pick_date(strings: Iterable[str]) -> datetime | None:
    """Pick the first string that is a date."""
    return next((date for date in map(parse_date, strings) if date), None)


def pick_tags(strings: Iterable[str]) -> tuple[str, ...]:
    """Keep all tags in order, each once whatever its case."""
    tags: dict[str, str] = {}
    for text in strings:
        for tag in map(fold, _TAG_SEPARATOR.split(text[:MAX_TEXT_LENGTH])):
            if tag and len(tag) <= MAX_NAME_LENGTH:
                tags.setdefault(tag.casefold(), tag)
    return tuple(tags.values())[:MAX_VALUES]


def pick_language(strings: Iterable[str]) -> str | None:
    """Pick the first language's base code."""
    return next(filter(None, map(read_language, strings)), None)


def pick_url(strings: Iterable[str], base: str | None) -> str | None:
    """Pick the first web URL, made absolute where the page's own URL is known.

    >>> pick_url(["data:image/gif;base64,R0lG", "/a.jpg"], "http://gazette.example/2026/")
    'http://gazette.example/a.jpg'
    """
    for text in map(str.strip, strings):
        if text and len(text) <= _MAX_URL_LENGTH:
            try:
                url = urljoin(base or "", text)
                scheme = urlsplit(url).scheme
            except ValueError:
                continue
            if scheme in ("http", "https", ""):
                return url
    return None


def fold(text: str) -> str:
    """Fold a text to one line, without soft hyphens."""
    return " ".join(text.replace(SOFT_HYPHEN, "").split())


def _split_authors(text: str) -> list[str]:
    """Split several names in one string; "Reyes, Callum" is a single one."""
    if ";" in text:
        return text.split(";")
    parts = text.split(",")
    return parts if all(len(part.split()) > 1 for part in parts) else [text]


def _may_be_name(name: str) -> bool:
    is_link = "://" in name or name.startswith(("@", "/", "www."))
    return not is_link and not is_placeholder(name)
