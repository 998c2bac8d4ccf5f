"""What a page states about itself: title, description, article text and types.

Input of the page model, which learnt how far to trust it: these strings are exactly what it was
trained on, so they come from valid scripts alone and follow other keys than `structured_data`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from forest_crawler.metadata.structured_data import read_structured_data
from forest_crawler.page.tree import PageTree

MIN_BODY = 200
"""Characters up to which a stated `articleBody` is a teaser, not the article."""

MAX_RECORDS = 500
"""Max JSON-LD records visited: a page may hold any number of them."""

_NESTING_KEYS = ("@graph", "mainEntity", "hasPart", "acceptedAnswer", "suggestedAnswer", "comment")
_ITEM_TYPES = etree.XPath("descendant-or-self::*/@itemtype", smart_strings=False)
_METAS = ("og:title", "og:type", "description", "og:description")


@dataclass(frozen=True, slots=True)
class Statement:
    """Titles, description, article text and types, in lower case; absent is empty."""

    titles: tuple[str, ...]
    description: str
    body: str
    types: frozenset[str]


def read_statement(tree: PageTree) -> Statement:
    """Read what a page's head, JSON-LD and microdata state about it.

    >>> from forest_crawler.page.tree import parse_page
    >>> read_statement(parse_page("<title>Ferry returns</title><p>It is back")).titles
    ('ferry returns',)
    """
    metas = _read_metas(tree)
    records = list(_read_records(tree))
    titles = [metas["title"], metas.get("og:title", ""), *_strings(records, "headline")[:2]]
    bodies = [b for b in _strings(records, "articleBody", "text") if len(b) > MIN_BODY]
    types = {kind.lower() for record in records for kind in _types(record)}
    types.update(_item_types(tree))
    if metas.get("og:type"):
        types.add("og:" + metas["og:type"].lower())
    return Statement(
        tuple(dict.fromkeys(title.lower() for title in titles if title.strip())),
        (metas.get("description") or metas.get("og:description") or "").lower(),
        max(bodies, key=len, default="").lower(),
        frozenset(types),
    )


def _read_metas(tree: PageTree) -> dict[str, str]:
    found = {"title": ""}
    head = tree.html.find("head")
    for element in head.iter("title", "meta") if head is not None else ():
        if element.tag == "title":
            found["title"] = found["title"] or element.text or ""
            continue
        name = (element.get("property") or element.get("name") or "").lower()
        if name in _METAS:
            found.setdefault(name, element.get("content") or "")
    return found


def _read_records(tree: PageTree) -> Iterator[dict[str, object]]:
    """Visit the records of all valid scripts, the last one first."""
    scripts = read_structured_data(tree).scripts
    open_values = [value for script in scripts for value in script.valid]
    for _ in range(MAX_RECORDS):
        if not open_values:
            return
        value = open_values.pop()
        if isinstance(value, list):
            open_values.extend(value[:MAX_RECORDS])
        elif isinstance(value, dict):
            yield value
            open_values.extend(value[key] for key in _NESTING_KEYS if key in value)


def _item_types(tree: PageTree) -> Iterator[str]:
    """Yield the last part of each microdata type's URL, in lower case."""
    found = _ITEM_TYPES(tree.body)
    for attribute in found if isinstance(found, list) else ():
        for url in str(attribute).lower().split():
            yield url.rpartition("/")[2]


def _strings(records: list[dict[str, object]], *keys: str) -> list[str]:
    return [v for record in records for key in keys if isinstance(v := record.get(key), str)]


def _types(record: dict[str, object]) -> list[str]:
    value = record.get("@type")
    values = value if isinstance(value, list) else [value]
    return [kind for kind in values if isinstance(kind, str)]
