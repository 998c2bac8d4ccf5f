"""Single values out of feedparser's dictionaries, of a feed or of an entry.

For `forest_crawler.feed.xml_feed` and `forest_crawler.feed.parsed_entries`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urljoin

from forest_crawler.feed.records import MAX_TITLE_LENGTH
from forest_crawler.page.plain_text import plain_text
from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.comparison import comparable

_RELATIONS = "http://www.iana.org/assignments/relation/"

Parsed = dict[str, Any]
"""A dictionary of feedparser; `dict.get` reads it without its deprecated fallbacks."""


def read_plain(parsed: Parsed, field: str, is_atom: bool) -> str:
    """Read a text without its markup; what looks like a tag in plain text isn't one."""
    text: str = dict.get(parsed, field) or ""
    if is_plain(dict.get(parsed, f"{field}_detail") or {}, is_atom):
        return " ".join(clean_text(text).split())
    return plain_text(text)


def is_plain(detail: Parsed, is_atom: bool) -> bool:
    """Check whether a text is plain. Only Atom has such; RSS has markup wherever it likes."""
    return is_atom and detail.get("type") == "text/plain"


def read_text(parsed: Parsed, field: str) -> str | None:
    """Read a text as it is; `None` if it is empty or has a structure."""
    value = dict.get(parsed, field)
    return clean_text(value).strip() or None if isinstance(value, str) else None


def list_links(parsed: Parsed) -> Iterable[Parsed]:
    """List the links that lead anywhere."""
    return (row for row in dict.get(parsed, "links") or () if row.get("href"))


def list_relations(link: Parsed) -> list[str]:
    """List a link's relations, which may be URLs of IANA's list (RFC 4287, 4.2.7.2)."""
    return [name.removeprefix(_RELATIONS) for name in (link.get("rel") or "alternate").split()]


def find_page(parsed: Parsed) -> str | None:
    """Read the URL of the page that a feed or an entry is about."""
    alternates = [row for row in list_links(parsed) if "alternate" in list_relations(row)]
    pages = [row for row in alternates if "html" in (row.get("type") or "html")]
    return next((clean_text(row["href"]).strip() for row in [*pages, *alternates]), None)


def find_related(parsed: Parsed, relation: str) -> str | None:
    """Find the first link with a relation."""
    return next(
        (row["href"] for row in list_links(parsed) if relation in list_relations(row)), None
    )


def make_absolute(link: str | None, base: str) -> str | None:
    """Resolve a link; one that is beyond repair stays as it is."""
    try:
        return urljoin(base, link) if link else None
    except ValueError:
        return link


def list_authors(parsed: Parsed) -> list[str]:
    """List the names of authors."""
    names = (person.get("name") or "" for person in dict.get(parsed, "authors") or ())
    return list(filter(None, map(plain_text, names)))


def inherited_authors(head: Parsed, title: str) -> Iterator[str]:
    """Yield the authors of a feed's entries that name none; the feed's own name isn't one."""
    return (name for name in list_authors(head) if comparable(name) != comparable(title))


def list_tags(entry: Parsed) -> Iterator[str]:
    """Yield the labels of categories, or else their terms."""
    for tag in dict.get(entry, "tags") or ():
        label = tag.get("label") or tag.get("term") or ""
        if text := plain_text(label, MAX_TITLE_LENGTH):
            yield text


def read_number(text: str | None) -> int | None:
    """Read a whole number that is not absurdly large."""
    return int(text) if text and re.fullmatch(r"[0-9]{1,12}", text.strip()) else None
