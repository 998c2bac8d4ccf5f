"""What a page says of itself, in its head, in JSON-LD and as microdata.

Evidence to be checked, never trusted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from forest_crawler.page.tree import PageTree

MIN_BODY = 200
"""Characters below which a stated `articleBody` is a teaser, not the article."""

MAX_RECORDS = 500
"""JSON-LD records looked at: a page may hold any number of them."""

_NESTING_KEYS = ("@graph", "mainEntity", "hasPart", "acceptedAnswer", "suggestedAnswer", "comment")
_ITEM_TYPES = etree.XPath(".//@itemtype", smart_strings=False)
_METAS = ("og:title", "og:type", "description", "og:description")


@dataclass(frozen=True, slots=True)
class Statement:
    """Titles, description, article text and types, in lower case; empty where not stated."""

    titles: tuple[str, ...]
    description: str
    body: str
    types: frozenset[str]


def read_statement(tree: PageTree) -> Statement:
    """Read what a page's head and its JSON-LD say the page is.

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
    open_values: list[object] = []
    for script in tree.structured:
        try:
            open_values.append(json.loads(script, strict=False))
        except (ValueError, RecursionError):
            continue
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
    """The last part of each microdata type's address."""
    found = _ITEM_TYPES(tree.body)
    for addresses in found if isinstance(found, list) else ():
        for address in str(addresses).lower().split():
            yield address.rpartition("/")[2]


def _strings(records: list[dict[str, object]], *keys: str) -> list[str]:
    return [v for record in records for key in keys if isinstance(v := record.get(key), str)]


def _types(record: dict[str, object]) -> list[str]:
    stated = record.get("@type")
    values = stated if isinstance(stated, list) else [stated]
    return [value for value in values if isinstance(value, str)]
