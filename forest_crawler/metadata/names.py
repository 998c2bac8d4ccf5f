"""Split the names of several authors in one string, in the site's language.

For bylines, metadata and feeds: "Ann Lee and Bo Ek", "Ann Lee und Bo Ek, Nairobi".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

_CONJUNCTIONS = {
    "cs": "a", "da": "og", "de": "und", "el": "και", "en": "and", "es": "y|e", "fi": "ja",
    "fr": "et", "hu": "és", "it": "e|ed", "nb": "og", "nl": "en", "no": "og", "pl": "i|oraz",
    "pt": "e", "ro": "și|şi", "ru": "и", "sv": "och", "tr": "ve", "uk": "і|та|й",
}  # fmt: skip
_ANYWHERE = "and|und|et|with|mit|avec"
"""Words between names in any language: none is part of a name."""

_ORGANISATION = re.compile(r"\b(?:of|for|the|der|des|für|du|de la|del)\b", re.IGNORECASE)
_CREDENTIAL = re.compile(r"(?=.*\.|(?:[a-z]*[A-Z]){2})[A-Z][A-Za-z.®™-]{0,9}")
_BAR = re.compile(r"\||<[^<>]*>")
"""What separates a name from an outlet or a role; metadata may have tags in it."""

_EDGES = " ,;|([<>"
_ADDRESS = re.compile(r"\S+@\S+|https?://\S+|www\.\S+")
_HANDLE = re.compile(r"@?[a-z0-9]+(?:[._-][a-z0-9]+)*")
_PLACEHOLDERS = frozenset(
    "admin administrator author guest none null publisher root superuser undefined unknown user "
    "webmaster".split()
) | {"no author", "super user"}


def split_names(text: str, language: str | None = None) -> tuple[str, ...]:
    """Split a string into names; what follows the last one, such as a place, is dropped.

    "Reyes, Callum" is one name, and so is an organisation with a conjunction in it.

    >>> split_names("Ann Lee, Bo Ek and Cy Dee, Nairobi"), split_names("Ann Lee | The Gazette")
    (('Ann Lee', 'Bo Ek', 'Cy Dee'), ('Ann Lee',))
    >>> split_names("José Ortega y Gasset", "es")
    ('José Ortega y Gasset',)
    """
    text = next(filter(None, map(str.strip, _BAR.split(text))), text)
    text = " ".join((_ADDRESS.sub(" ", text).strip(" ,;") or text).split())
    if ";" in text:
        return _unique(name for part in text.split(";") for name in split_names(part, language))
    joined = [part.strip(" ,") for part in _between(language).split(text)]
    if len(joined) > 1 and _are_names(joined):
        listed = [name for part in joined[:-1] for name in _split_commas(part)]
        return _unique([*listed, joined[-1].split(",")[0]])
    return _unique(_split_commas(text))


def drop_handles(names: Iterable[str]) -> tuple[str, ...]:
    """Remove addresses and handles (`ann-lee`) beside names.

    >>> drop_handles(["Ann Lee", "ann-lee", "a.lee@gazette.example"])
    ('Ann Lee',)
    """
    found = tuple(names)
    people = (it for it in found if not is_handle(it))
    return tuple(people) or found[:1]


def is_handle(name: str) -> bool:
    """Whether a name is an address or a handle.

    >>> is_handle("ann-lee"), is_handle("Ann Lee")
    (True, False)
    """
    return bool(_ADDRESS.fullmatch(name) or _HANDLE.fullmatch(name))


def is_placeholder(name: str) -> bool:
    """Whether a name is what content management systems state if nobody has entered one.

    >>> is_placeholder("Admin"), is_placeholder("Ann Lee")
    (True, False)
    """
    return name.casefold() in _PLACEHOLDERS


@cache
def _between(language: str | None) -> re.Pattern[str]:
    words = "|".join(filter(None, (_ANYWHERE, _CONJUNCTIONS.get(language or ""))))
    return re.compile(rf"\s+(?:{words})\s+|\s*[&+]\s*", re.IGNORECASE)


def _are_names(parts: list[str]) -> bool:
    """Whether what conjunctions join are people: whole names, or single ones throughout."""
    if any(_ORGANISATION.search(part) for part in parts):
        return False
    if len(set(parts)) < len(parts):
        return False  # a firm, such as "Lee & Lee"
    lengths = {min(len(part.split(",")[0].split()), 2) for part in parts}
    return lengths in ({1}, {2})


def _split_commas(text: str) -> list[str]:
    """Split at commas; a single word after a whole name is a place or a title."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) < 2 or all(len(part.split()) > 1 for part in parts):
        return parts
    if len(parts[0].split()) == 1:
        return [text]  # "Reyes, Callum"
    if all(_CREDENTIAL.fullmatch(part) for part in parts[1:]):
        return [text]  # "Ann Lee, MS, Ph.D."
    return [part for part in parts if len(part.split()) > 1]


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    bare = (it[1:-1] if it[:1] == "(" and it[-1:] == ")" else it for it in names)
    return tuple(dict.fromkeys(name for name in (it.strip(_EDGES) for it in bare) if name))
