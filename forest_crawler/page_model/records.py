"""A page's records: similar elements with text, such as posts or comments.

Between `layout` and `features`. In a forum thread every post is a record, the first one too; under
an article the records begin where its text ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from forest_crawler.page_model.division import Floats, Ints
from forest_crawler.page_model.layout import Layout
from forest_crawler.page_model.vocabulary import CONCEPTS

MIN_BLOCKS = 2
"""Min blocks of a record, such as its author and its text; a lone paragraph isn't a record."""

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The records' elements in document order, and their text."""

    elements: Ints
    text: Floats  # words of running text per element, including nested records
    total: float  # words of running text of all, counted once


NO_RECORDS = Records(np.zeros(0, dtype=np.int64), np.zeros(0), 0.0)


def find_records(layout: Layout) -> Records:
    """Find the group of similar elements with most text besides its longest element.

    Without the longest, a wrapper around everything with a small namesake isn't a group of records.
    """
    text = layout.held.long
    wanted = (layout.last - layout.first >= MIN_BLOCKS) & (text > 0)
    groups: dict[tuple[str, str, int], list[int]] = {}
    for element in np.flatnonzero(wanted).tolist()[1:]:  # body is the first
        groups.setdefault(_group_key(layout, element), []).append(element)
    best, max_repeated = NO_RECORDS, 0.0
    for elements in groups.values():
        if len(elements) > 1:
            found = _measure(layout, elements, text)
            repeated = found.total - float(found.text.max())
            if repeated > max_repeated:
                best, max_repeated = found, repeated
    return best


def _group_key(layout: Layout, element: int) -> tuple[str, str, int]:
    """Return a group's key: an id without its number, else the first class name.

    Elements with neither are similar only as siblings.
    """
    markup, _, (tag, name), _ = layout.markup[element]
    if markup.id and (numbered := _DIGITS.sub("", markup.id)) != markup.id:
        return tag, "#" + numbered, 0
    return tag, name, 0 if name else int(layout.parents[element])


def _measure(layout: Layout, elements: list[int], text: Floats) -> Records:
    end, total = 0, 0.0
    for element in elements:
        if element >= end:  # not inside the one before
            end = int(layout.ends[element])
            total += float(text[element])
    members = np.array(elements, dtype=np.int64)
    return Records(members, text[members], total)


def name_share(layout: Layout, records: Records, concept: str) -> float:
    """Compute the share of records whose own names have a concept."""
    wanted = CONCEPTS.index(concept)
    names = [layout.markup[element] for element in records.elements.tolist()]
    return sum(wanted in name.concepts for name in names) / max(len(names), 1)


def record_positions(layout: Layout, records: Records) -> Floats:
    """Locate each block: -1 before the records, 0 to 1 among them, 2 after them."""
    positions = np.full(len(layout.blocks), -1.0)
    if len(records.elements):
        first, end = layout.first[records.elements], layout.last[records.elements].max()
        begun = np.searchsorted(first, np.arange(first[0], end), side="right")
        positions[first[0] : end] = (begun - 1) / len(first)
        positions[end:] = 2
    return positions
