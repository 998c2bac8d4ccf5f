"""A page's records: the elements alike that hold most text, as posts of a thread or comments do.

Between `layout` and `features`. In a forum thread every post is a record, the first one, too; under
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
"""Blocks of a record: who wrote it, and what. A lone paragraph is none."""

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The elements with text that make the group, in document order, and what they hold."""

    elements: Ints
    text: Floats  # words of running text of each element, what it nests included
    total: float  # words of running text of all, nothing counted twice


NO_RECORDS = Records(np.zeros(0, dtype=np.int64), np.zeros(0), 0.0)


def find_records(layout: Layout) -> Records:
    """The group of elements that holds most text when its longest element is left out.

    So a wrapper around everything that happens to have a namesake is not taken for the records.
    """
    text = layout.inside(layout.sums.long)
    wanted = (layout.last - layout.first >= MIN_BLOCKS) & (text > 0)
    groups: dict[tuple[str, str, int], list[int]] = {}
    for element in np.flatnonzero(wanted).tolist()[1:]:  # body is the first
        groups.setdefault(_likeness(layout, element), []).append(element)
    best, most = NO_RECORDS, 0.0
    for elements in groups.values():
        if len(elements) > 1:
            found = _measure(layout, elements, text)
            repeated = found.total - float(found.text.max())
            if repeated > most:
                best, most = found, repeated
    return best


def _likeness(layout: Layout, element: int) -> tuple[str, str, int]:
    """What records share: a numbered id but for its number, else the first class name.

    Elements without either are alike only as siblings.
    """
    markup, _, (tag, name) = layout.markup[element]
    if markup.id and (numbered := _DIGITS.sub("", markup.id)) != markup.id:
        return tag, "#" + numbered, 0
    return tag, name, 0 if name else int(layout.parents[element])


def _measure(layout: Layout, elements: list[int], text: Floats) -> Records:
    end, total = 0, 0.0
    for element in elements:
        if element >= end:  # not within the one before
            end = int(layout.ends[element])
            total += float(text[element])
    members = np.array(elements, dtype=np.int64)
    return Records(members, text[members], total)


def name_share(layout: Layout, records: Records, concept: str) -> float:
    """The share of records whose own names speak of a concept."""
    wanted = CONCEPTS.index(concept)
    names = [layout.markup[element] for element in records.elements.tolist()]
    return sum(wanted in name.concepts for name in names) / max(len(names), 1)


def record_places(layout: Layout, records: Records) -> Floats:
    """Where each block lies from the records: -1 before them, 0 to 1 among them, 2 behind."""
    places = np.full(len(layout.blocks), -1.0)
    if len(records.elements):
        first, end = layout.first[records.elements], layout.last[records.elements].max()
        begun = np.searchsorted(first, np.arange(first[0], end), side="right")
        places[first[0] : end] = (begun - 1) / len(first)
        places[end:] = 2
    return places
