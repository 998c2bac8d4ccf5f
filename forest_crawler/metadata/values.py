"""What a page claims of itself, string by string → values that can be believed, or nothing.

Beneath `forest_crawler.metadata.page_metadata`: sources say the same things in many spellings, some
of them broken or hostile. Each function takes all strings a source has for one field, and never
raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from urllib.parse import urljoin, urlsplit

from forest_crawler.metadata.titles import fold_title
from forest_crawler.text.dates import parse_date

MAX_TEXT_LENGTH = 5000
"""Characters of a description that are kept; other texts are shorter still."""

MAX_VALUES = 50
"""Titles, authors or tags that are kept of a page."""

MAX_NAME_LENGTH = 200
"""Characters of an author, a tag or a site; what is longer is no name."""

_MAX_ADDRESS_LENGTH = 2000
_BY = re.compile(r"^(?:(?:written|posted)\s)?by:?\s+|^authors?:\s*", re.IGNORECASE)
_TAG_SEPARATOR = re.compile("[,;、，]")


def pick_titles(said: Iterable[str]) -> tuple[str, ...]:
    """All titles, folded."""
    return tuple(title for title in map(fold_title, said) if title)[:MAX_VALUES]


def pick_text(said: Iterable[str]) -> str | None:
    """The first text that is not blank."""
    return next((text for text in (fold(it[:MAX_TEXT_LENGTH]) for it in said) if text), None)


def pick_name(said: Iterable[str]) -> str | None:
    """The first string that is short enough for a name."""
    return next((name for name in map(fold, said) if name and len(name) <= MAX_NAME_LENGTH), None)


def pick_authors(said: Iterable[str]) -> tuple[str, ...]:
    """Names of people, each once; addresses of profiles and handles are none."""
    strings = (text for text in said if len(text) <= MAX_NAME_LENGTH * MAX_VALUES)
    names = (_BY.sub("", fold(name)) for text in strings for name in _split_authors(text))
    kept = (
        name for name in names if name and len(name) <= MAX_NAME_LENGTH and not _is_address(name)
    )
    return tuple(dict.fromkeys(kept))[:MAX_VALUES]


def pick_date(said: Iterable[str]) -> datetime | None:
    """The first string that is a date."""
    return next((date for date in map(parse_date, said) if date), None)


def pick_tags(said: Iterable[str]) -> tuple[str, ...]:
    """All tags in the order they stand in, each once whatever its case."""
    tags: dict[str, str] = {}
    for text in said:
        for tag in map(fold, _TAG_SEPARATOR.split(text[:MAX_TEXT_LENGTH])):
            if tag and len(tag) <= MAX_NAME_LENGTH:
                tags.setdefault(tag.casefold(), tag)
    return tuple(tags.values())[:MAX_VALUES]


def pick_language(said: Iterable[str]) -> str | None:
    """The first language's base code."""
    codes = (re.split("[-_]", text.strip().lower())[0] for text in said)
    return next((code for code in codes if re.fullmatch("[a-z]{2,3}", code)), None)


def pick_address(said: Iterable[str], base: str | None) -> str | None:
    """The first web address, made absolute where the page's own address is known.

    >>> pick_address(["data:image/gif;base64,R0lG", "/a.jpg"], "http://gazette.example/2026/")
    'http://gazette.example/a.jpg'
    """
    for text in map(str.strip, said):
        if text and len(text) <= _MAX_ADDRESS_LENGTH:
            try:
                address = urljoin(base or "", text)
                scheme = urlsplit(address).scheme
            except ValueError:
                continue
            if scheme in ("http", "https", ""):
                return address
    return None


def fold(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def _split_authors(text: str) -> list[str]:
    """Several names in one string; "Reyes, Callum" is a single one."""
    if ";" in text:
        return text.split(";")
    parts = text.split(",")
    return parts if all(len(part.split()) > 1 for part in parts) else [text]


def _is_address(name: str) -> bool:
    return "://" in name or name.startswith(("@", "/", "www."))
