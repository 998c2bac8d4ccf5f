"""The features of each block: one row per block, one column per feature.

They combine what the classic methods measure: text density, link density, words per leaf, position,
runs of tags. Most are shares and ranks within the page rather than absolute numbers, so that pages
of any age and size are comparable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from forest_crawler.metadata.statement import Statement
from forest_crawler.page_model.division import Floats, Ints
from forest_crawler.page_model.headline import (
    AROUND_COLUMNS,
    RELATION_COLUMNS,
    find_title_block,
    relate_to_headline,
    share_around,
)
from forest_crawler.page_model.layout import Layout, prefix_sums
from forest_crawler.page_model.page_traits import describe_page
from forest_crawler.page_model.records import find_records, record_positions
from forest_crawler.page_model.vocabulary import CONCEPTS

Columns: TypeAlias = dict[str, npt.NDArray[Any]]

STEPS_UP = 5
"""Containers measured, from a block's own element upwards."""

CONTAINER_SHARES = (0.1, 0.3, 0.6)
"""Also measured: the smallest container with such a share of the page's words. Tables and `div`
soup need more steps than a tidy page; these shares find the same container in both."""

WINDOWS = (4, 12)
"""Blocks on either side that are measured together."""

MAX_TITLE_WORDS = 40
MIN_COMPARED_WORDS = 5
COMPARED_WORDS = 60
"""Words compared from a block's start: a description repeats a text's beginning, if anything."""


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The features of all blocks of a page."""

    layout: Layout
    columns: tuple[str, ...]
    rows: npt.NDArray[np.float32]

    def column(self, name: str) -> npt.NDArray[np.float32]:
        """Return one feature of every block."""
        return self.rows[:, self.columns.index(name)]


def compute_features(layout: Layout, statement: Statement) -> Features:
    """Compute the features of each block."""
    records = find_records(layout)
    page = describe_page(layout, statement, records)
    near = _own_text(layout) | _agreement(layout, statement) | _position(layout)
    near |= _neighbours(layout)
    far = _repetition(layout) | {"record place": record_positions(layout, records)}
    far |= _best_container(layout)
    headline = find_title_block(near["like title"], near["heading"])
    groups: list[tuple[Collection[str], Iterable[npt.NDArray[Any]]]] = [
        (_CONCEPT_COLUMNS, [layout.concepts]),
        (near, near.values()),
        (_CONTAINER_COLUMNS, _containers(layout)),
        (far, far.values()),
        (RELATION_COLUMNS, [relate_to_headline(layout, headline)]),
        (AROUND_COLUMNS, [share_around(layout, headline)]),
        (page, [np.array(list(page.values()))[:, None]]),
    ]
    columns = tuple(chain.from_iterable(names for names, _ in groups))
    by_column = np.empty((len(columns), len(layout.blocks)), np.float32)
    end = 0
    for values in chain.from_iterable(found for _, found in groups):
        start, end = end, end + (len(values) if values.ndim == 2 else 1)
        by_column[start:end] = values
    return Features(layout, columns, by_column.T)


_CONCEPT_COLUMNS = tuple("in " + concept for concept in CONCEPTS)


def _own_text(layout: Layout) -> Columns:
    words = layout.blocks.words
    return {
        "words": words,
        "links": layout.links,
        "marks": layout.marks.punctuation / np.maximum(words, 1),
        "sentence": layout.marks.sentences,
        "date": layout.marks.dates,
        "heading": layout.markup.has_tag(_HEADINGS)[layout.blocks.owners],
        "of longest": words / max(words.max(initial=0), 1),
    }


_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def _agreement(layout: Layout, statement: Statement) -> Columns:
    """Compare each block with the stated title, description and article text."""
    titles = [frozenset(title.split()) for title in statement.titles]
    title_words = frozenset().union(*titles)
    description = frozenset(statement.description.split())
    body = statement.body.split()
    known = frozenset(zip(body, body[1:], body[2:], strict=False))
    size = len(layout.blocks)
    title, summary, stated = np.zeros(size), np.zeros(size), np.full(size, -1.0)
    sizes = layout.blocks.words.tolist()
    is_described = len(description) >= MIN_COMPARED_WORDS
    for i, (text, size) in enumerate(zip(layout.blocks.texts, sizes, strict=True)):
        is_long, may_be_title = size >= MIN_COMPARED_WORDS, size <= MAX_TITLE_WORDS
        if may_be_title or (is_long and is_described):
            words = text.lower().split(" ", COMPARED_WORDS)[:COMPARED_WORDS]
            is_titled = may_be_title and not title_words.isdisjoint(words)
            own = frozenset(words) if is_titled or (is_long and is_described) else frozenset()
            if is_titled:
                title[i] = max([_title_similarity(own, other) for other in titles])
            if is_long and is_described:
                summary[i] = len(own & description) / min(len(own), len(description))
        if is_long and known:
            stated[i] = _stated_share(text.lower().split(), known)
    return {"like title": title, "like description": summary, "in stated body": stated}


def _stated_share(words: list[str], known: frozenset[tuple[str, str, str]]) -> float:
    grams = list(zip(words, words[1:], words[2:], strict=False))
    return sum(gram in known for gram in grams) / max(len(grams), 1)


def _title_similarity(words: frozenset[str], title: frozenset[str]) -> float:
    # The site's name often follows a title, which may be twice as long as the headline.
    return len(words & title) / max(len(words), min(len(title), 2 * len(words)), 1)


def _position(layout: Layout) -> Columns:
    size = len(layout.blocks)
    words, long = layout.sums.words, layout.sums.long
    return {
        "blocks before": np.arange(size) / max(size - 1, 1),
        "words before": words[:-1] / max(words[-1], 1),
        "text before": long[:-1] / max(long[-1], 1),
        "text words before": np.log1p(long[:-1]),
        "text words after": np.log1p(long[-1] - long[1:]),
        "depth": layout.levels[layout.blocks.owners] / layout.levels.max(),
    }


def _neighbours(layout: Layout) -> Columns:
    words, size = layout.blocks.words, len(layout.blocks)
    found: Columns = {}
    for name, step in (("previous", 1), ("next", -1)):
        found["words of " + name] = shift(words, step, 0)
        found["links of " + name] = shift(layout.links, step, 1)
    total, long, linked = layout.sums.words, layout.sums.long, layout.sums.linked
    for reach in WINDOWS:
        start, end = window(size, reach)
        around = np.maximum(total[end] - total[start], 1)
        found[f"text in {reach}"] = (long[end] - long[start]) / around
        found[f"links in {reach}"] = (linked[end] - linked[start]) / around
        found[f"words per block in {reach}"] = around / np.maximum(end - start, 1)
    return found


def shift(values: Floats, step: int, fill: float) -> Floats:
    """Take each block's neighbour's value: the one `step` blocks before."""
    moved = np.full(len(values), fill, dtype=np.float64)
    if abs(step) < len(values):
        if step > 0:
            moved[step:] = values[:-step]
        else:
            moved[:step] = values[-step:]
    return moved


def window(size: int, reach: int) -> tuple[Ints, Ints]:
    """Return the first block within reach of each, and the first one after the reach."""
    at = np.arange(size)
    return np.maximum(at - reach, 0), np.minimum(at + reach + 1, size)


def _containers(layout: Layout) -> Iterator[Floats]:
    """Measure the containers around each block: `_CONTAINER_COLUMNS`, one per line."""
    measures = _measure_elements(layout)
    stepped = measures[_STEPPED]
    at = layout.blocks.owners
    for _ in range(STEPS_UP):
        yield stepped[:, at]
        at = layout.parents[at]
    order = np.arange(len(layout.blocks))
    for min_share in CONTAINER_SHARES:
        at = _smallest_holding(layout, measures[0], min_share)
        first, last = layout.first[at], layout.last[at]
        yield measures[:, at]
        yield (order - first) / np.maximum(last - first, 1)


def _measure_elements(layout: Layout) -> Floats:
    """Measure each element, one line per name in `_MEASURES`."""
    words, count = layout.blocks.words, np.maximum(layout.last - layout.first, 1)
    held, long = layout.inside(layout.sums.words), layout.inside(layout.sums.long)
    words_held = np.maximum(held, 1)
    return np.array(
        [
            held / max(words.sum(), 1),
            layout.inside(layout.sums.linked) / words_held,
            held / count,
            layout.inside(prefix_sums(layout.marks.sentences)) / count,
            long / words_held,
            long / max(layout.long.sum(), 1),
            layout.inside(prefix_sums(layout.marks.punctuation)) / words_held,
        ]
    )


_MEASURES = ("share", "links", "words per block", "sentences", "text", "text share", "marks")
_STEPPED = [i for i, name in enumerate(_MEASURES) if name not in ("text", "marks")]
_CONTAINER_COLUMNS = (
    *(f"{_MEASURES[i]} {step} up" for step in range(STEPS_UP) for i in _STEPPED),
    *(
        f"{name} of {s:.0%}" if name != "place" else f"place in {s:.0%}"
        for s in CONTAINER_SHARES
        for name in (*_MEASURES, "place")
    ),
)


def _smallest_holding(layout: Layout, shares: Floats, min_share: float) -> Ints:
    """Find each block's lowest ancestor with a min share of the page, else body."""
    found = np.zeros(len(layout.blocks), dtype=np.int64)
    holding = np.flatnonzero(shares >= min_share)
    ranges = (holding, layout.first[holding], layout.last[holding])
    for element, first, last in zip(*(r.tolist() for r in ranges), strict=True):
        found[first:last] = element
    return found


def _repetition(layout: Layout) -> Columns:
    """Measure how many blocks are like each, among its siblings and on the page."""
    words, owners = layout.blocks.words, layout.blocks.owners
    alike = count_alike(layout.parents * (layout.signatures.max() + 1) + layout.signatures)
    found: Columns = {}
    at = owners
    for step in range(4):
        found[f"alike {step} up"] = alike[at]
        at = layout.parents[at]
    group = group_alike(layout)
    held, count = np.bincount(group, words), np.bincount(group)
    words_held = np.maximum(held, 1)
    found["group size"] = count[group]
    found["group words"] = (held / np.maximum(count, 1))[group]
    found["group links"] = (np.bincount(group, words * layout.links) / words_held)[group]
    found["group share"] = (held / max(words.sum(), 1))[group]
    found["group text"] = (np.bincount(group, layout.long) / words_held)[group]
    return found


def count_alike(keys: Ints) -> Ints:
    """Count how often each key occurs."""
    numbers = number_keys(keys)
    return np.bincount(numbers)[numbers]


def number_keys(keys: Ints) -> Ints:
    """Number the distinct keys in ascending order, twice as fast as `np.unique`.

    >>> number_keys(np.array([7, 3, 7, 9])).tolist()
    [1, 0, 1, 2]
    """
    order = keys.argsort()
    ordered = keys[order]
    numbers = np.zeros(len(keys), dtype=np.int64)
    numbers[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return numbers


def group_alike(layout: Layout) -> Ints:
    """Number groups of blocks with equal signatures, also of two elements above."""
    parent = layout.parents[layout.blocks.owners]
    size = int(layout.signatures.max()) + 1
    keys = layout.signatures[layout.blocks.owners] * size + layout.signatures[parent]
    keys = keys * size + layout.signatures[layout.parents[parent]]
    return number_keys(keys)


def _best_container(layout: Layout) -> Columns:
    """Locate each block relative to the element with most running text near it."""
    words, size = layout.blocks.words, len(layout.parents)
    weight = np.minimum(words, 100) / 20 + np.minimum(layout.marks.punctuation, 10) / 2
    weight = np.where(layout.long > 0, weight, 0.0)
    score, at = np.zeros(size), layout.blocks.owners
    for factor in (1, 0.6, 0.3, 0.15, 0.075):  # about half per step up
        score += np.bincount(at, weight * factor, minlength=size)
        at = layout.parents[at]
    held = np.maximum(layout.inside(layout.sums.words), 1)
    score *= 1 - layout.inside(layout.sums.linked) / held
    best = int(score.argmax())
    up, down, off = distances(layout, best)
    return {
        "up to best": up,
        "down from best": down,
        "off best": off,
        "place in best": (np.arange(len(words)) - layout.first[best])
        / max(layout.last[best] - layout.first[best], 1),
        "of best score": score[layout.blocks.owners] / max(score[best], 1e-6),
        "share of best": np.full(len(words), held[best] / max(words.sum(), 1)),
    }


def distances(layout: Layout, element: int) -> tuple[Ints, Ints, Ints]:
    """Measure the path from an element to each block.

    Steps up to their common ancestor, steps down to the block, and the blocks in between.
    """
    meeting = np.zeros(len(layout.parents), dtype=np.int64)
    for index in layout.blocks.outline.path(element):
        meeting[index : layout.ends[index]] = layout.levels[index]
    met = meeting[layout.blocks.owners]
    at = np.arange(len(layout.blocks))
    first, last = layout.first[element], layout.last[element]
    off = np.minimum(at - first, 0) + np.maximum(at - last + 1, 0)
    return layout.levels[element] - met, layout.levels[layout.blocks.owners] - met, off
