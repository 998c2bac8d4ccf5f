"""Distinguish tables of data from tables for layout.

The rows and cells of data are kept; a layout table is read as if it weren't there.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from lxml import etree

from forest_crawler.page.xpath import Element

MIN_ROWS = 2
MIN_COLUMNS = 2

MAX_CELL_BLOCKS = 3
"""Max paragraphs in a cell of data; a cell with more is a column of the page."""

_PARTS = frozenset("thead tbody tfoot tr colgroup col".split())
_CELLS = frozenset(["td", "th"])
# Elements too large for a cell of a Markdown table.
_LARGE = frozenset(
    "table ul ol dl menu dir blockquote pre listing xmp figure form article section hr "
    "h1 h2 h3 h4 h5 h6".split()
)


def find_data_tables(node: Element, stripped: Container[Element]) -> set[Element]:
    """Find the tables of data in an element that contain no other table."""
    nested: set[Element] = set()
    tables: list[Element] = []
    around: list[Element] = []
    for event, table in etree.iterwalk(node, events=("start", "end"), tag="table"):
        if event == "start":
            nested.update(around[-1:])
            around.append(table)
            tables.append(table)
        else:
            around.pop()
    return {it for it in tables if it not in nested and it not in stripped and _holds_data(it)}


def cell_elements(table: Element, stripped: Container[Element] = ()) -> Iterator[list[Element]]:
    """Yield the cells of each row that isn't stripped."""
    for row in table.iter("tr"):
        if not _is_within(row, table, stripped):
            yield [cell for cell in row if cell.tag in _CELLS]


def _is_within(row: Element, table: Element, stripped: Container[Element]) -> bool:
    part: Element | None = row
    while part is not None and part is not table:
        if part in stripped:
            return True
        part = part.getparent()
    return False


def _holds_data(table: Element) -> bool:
    rows = list(cell_elements(table))
    if sum(len(row) >= MIN_COLUMNS for row in rows) < MIN_ROWS:
        return False
    return _is_regular(table) and all(_is_small(cell) for row in rows for cell in row)


def _is_regular(table: Element) -> bool:
    """Check whether all text of a table is in its caption or in cells of its rows."""
    waiting = [table]
    while waiting:
        part = waiting.pop()
        if part.text and not part.text.isspace():
            return False
        for child in part:
            if child.tail and not child.tail.isspace():
                return False
            if child.tag in _PARTS:
                waiting.append(child)
            elif child.tag in _CELLS:
                if part.tag != "tr":
                    return False
            elif child.tag != "caption" or part is not table:
                return False
    return True


def _is_small(cell: Element) -> bool:
    blocks = 0
    for element in cell.iterdescendants():
        if element.tag in _LARGE or element.tag in _CELLS or element.tag == "caption":
            return False
        blocks += element.tag in ("p", "div")
    return blocks <= MAX_CELL_BLOCKS
