"""Which tables of a page a browser shows as they are in our tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from forest_crawler.page.xpath import Element

PARTS_WITHOUT_BOX = frozenset({"colgroup", "col"})

_ROWS = frozenset({"tr"})
_CHILDREN: Mapping[str, frozenset[str]] = {
    "table": frozenset({"caption", "colgroup", "thead", "tbody", "tfoot", "tr"}),
    "colgroup": frozenset({"col"}),
    "thead": _ROWS,
    "tbody": _ROWS,
    "tfoot": _ROWS,
    "tr": frozenset({"td", "th"}),
    "col": frozenset(),
}


def find_table_parts(elements: Iterable[Element]) -> set[Element]:
    """Return the tables in which everything is where it belongs, and their parts.

    A browser moves everything else out of a table, in front of it.
    """
    found: set[Element] = set()
    for element in elements:
        if element.tag == "table":
            found.update(_parts_of(element))
    return found


def _parts_of(table: Element) -> list[Element]:
    """Return a table with its rows and cells; nothing if something in it is misplaced."""
    parts = [table]
    for part in parts:  # grows while it is read
        allowed = _CHILDREN.get(str(part.tag))
        if allowed is None:
            continue
        if _has_text(part) or any(child.tag not in allowed for child in part):
            return []
        parts.extend(part)
    return parts


def _has_text(part: Element) -> bool:
    return any(text and not text.isspace() for text in (part.text, *(it.tail for it in part)))
