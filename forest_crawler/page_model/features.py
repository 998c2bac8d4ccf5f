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
from forest_crawler.page_model.layout import Layout
from forest_crawler.page_model.page_traits import PAGE_COLUMNS, describe_page
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
    above = _climb(layout)
    near = _own_text(layout) | _agreement(layout, statement) | _position(layout)
    near |= _neighbours(layout)
    far = {"record place": record_positions(layout, records)} | _best_container(layout, above)
    headline = find_title_block(near["like title"], near["heading"])
    groups: list[tuple[Collection[str], Iterable[npt.NDArray[Any]]]] = [
        (_CONCEPT_COLUMNS, [layout.concepts]),
        (near, near.values()),
        (_WINDOW_COLUMNS, [_measure_windows(layout)]),
        (_CONTAINER_COLUMNS, _containers(layout, above)),
        (_REPETITION_COLUMNS, _repetition(layout, above)),
        (far, far.values()),
        (RELATION_COLUMNS, [relate_to_headline(layout, headline)]),
        (AROUND_COLUMNS, [share_around(layout, headline)]),
        (PAGE_COLUMNS, [np.array(describe_page(layout, statement, records))[:, None]]),
    ]
    columns = tuple(chain.from_iterable(names for names, _ in groups))
    by_column = np.empty((len(columns), len(layout.blocks)), np.float32)
    end = 0
    for values in chain.from_iterable(found for _, found in groups):
        start, end = end, end + (len(values) if values.ndim == 2 else 1)
        by_column[start:end] = values
    return Features(layout, columns, by_column.T)


def _climb(layout: Layout) -> Ints:
    """Return each block's own element, and those above it, a line per step."""
    above = np.empty((STEPS_UP, len(layout.blocks)), dtype=np.int64)
    above[0] = layout.blocks.owners
    for step in range(1, STEPS_UP):
        layout.parents.take(above[step - 1], out=above[step], mode="clip")
    return above


_CONCEPT_COLUMNS = tuple("in " + concept for concept in CONCEPTS)


def _own_text(layout: Layout) -> Columns:
    words = layout.blocks.words
    return {
        "words": words,
        "links": layout.links,
        "marks": layout.marks.punctuation / np.maximum(words, 1),
        "sentence": layout.marks.sentences,
        "date": layout.marks.dates,
        "heading": layout.markup.has_tag(_HEADINGS).take(layout.blocks.owners),
        "of longest": words / max(float(words.max(initial=0)), 1),
    }


_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def _agreement(layout: Layout, statement: Statement) -> Columns:
    """Compare each block with the stated title, description and article text."""
    titles = [frozenset(title.split()) for title in statement.titles]
    title_words = frozenset().union(*titles)
    description = frozenset(statement.description.split())
    body = statement.body.split()
    known = frozenset(zip(body, body[1:], body[2:], strict=False))
    min_described = MIN_COMPARED_WORDS if len(description) >= MIN_COMPARED_WORDS else np.inf
    min_stated = MIN_COMPARED_WORDS if known else np.inf
    texts, sizes = layout.blocks.texts, layout.blocks.words.tolist()
    title, summary = np.zeros(len(texts)), np.zeros(len(texts))
    stated = np.full(len(texts), -1.0)
    for i, (text, size) in enumerate(zip(texts, sizes, strict=True)):
        if size <= MAX_TITLE_WORDS or size >= min_described:
            words = text.lower().split(" ", COMPARED_WORDS)
            del words[COMPARED_WORDS:]
            if size <= MAX_TITLE_WORDS and not title_words.isdisjoint(words):
                own = frozenset(words)
                title[i] = max([_title_similarity(own, other) for other in titles])
            if size >= min_described:
                shared = len(description.intersection(words))
                summary[i] = shared / min(len(set(words)), len(description))
        if size >= min_stated:
            stated[i] = _stated_share(text.lower().split(), known)
    return {"like title": title, "like description": summary, "in stated body": stated}


def _stated_share(words: list[str], known: frozenset[tuple[str, str, str]]) -> float:
    found = sum(map(known.__contains__, zip(words, words[1:], words[2:], strict=False)))
    return found / max(len(words) - 2, 1)


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
        "depth": layout.levels.take(layout.blocks.owners) / layout.levels.max(),
    }


def _neighbours(layout: Layout) -> Columns:
    before_words, after_words = _shift(layout.blocks.words, 0)
    before_links, after_links = _shift(layout.links, 1)
    return {
        "words of previous": before_words,
        "links of previous": before_links,
        "words of next": after_words,
        "links of next": after_links,
    }


def _shift(values: Floats, fill: float) -> tuple[Floats, Floats]:
    """Return the values of the blocks before and of those after."""
    padded = np.full(len(values) + 2, fill, dtype=np.float64)
    padded[1:-1] = values
    return padded[:-2], padded[2:]


_REACHES = np.array(WINDOWS)[:, None]
_WINDOW_COLUMNS = tuple(
    f"{name} in {reach}" for reach in WINDOWS for name in ("text", "links", "words per block")
)


def _measure_windows(layout: Layout) -> Floats:
    """Measure the blocks around each block, one line per column of `_WINDOW_COLUMNS`."""
    at = np.arange(len(layout.blocks))
    start = np.maximum(at - _REACHES, 0)
    end = np.minimum(at + (_REACHES + 1), len(at))
    words, linked, long = (
        sums.take(end) - sums.take(start)
        for sums in (layout.sums.words, layout.sums.linked, layout.sums.long)
    )
    around = np.maximum(words, 1)
    found = np.array([long / around, linked / around, around / np.maximum(end - start, 1)])
    return found.transpose(1, 0, 2).reshape(len(_WINDOW_COLUMNS), len(at))


def _containers(layout: Layout, above: Ints) -> Iterator[Floats]:
    """Measure the containers around each block: `_CONTAINER_COLUMNS`, some lines at a time."""
    measures = _measure_elements(layout)
    stepped = measures.take(_STEPPED, axis=0)
    for at in above:
        yield stepped.take(at, axis=1)
    order = np.arange(len(layout.blocks))
    for at in _smallest_holding(layout):
        first, last = layout.first.take(at), layout.last.take(at)
        yield measures.take(at, axis=1)
        yield (order - first) / np.maximum(last - first, 1)


def _measure_elements(layout: Layout) -> Floats:
    """Measure each element, one line per name in `_MEASURES`."""
    count = np.maximum(layout.last - layout.first, 1)
    held, words_held = layout.held, np.maximum(layout.held.words, 1)
    return np.array(
        [
            layout.shares,
            held.linked / words_held,
            held.words / count,
            held.sentences / count,
            held.long / words_held,
            held.long / max(layout.sums.long[-1], 1),
            held.punctuation / words_held,
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


def _smallest_holding(layout: Layout) -> Ints:
    """Find each block's lowest ancestors with min shares of the page, else body."""
    found = np.zeros((len(CONTAINER_SHARES), len(layout.blocks)), dtype=np.int64)
    holding = (layout.shares >= min(CONTAINER_SHARES)).nonzero()[0]
    ranges = (holding, layout.first[holding], layout.last[holding], layout.shares[holding])
    for element, first, last, share in zip(*(r.tolist() for r in ranges), strict=True):
        count = sum(share >= min_share for min_share in CONTAINER_SHARES)
        found[:count, first:last] = element
    return found


_ALIKE_STEPS = 4
_REPETITION_COLUMNS = (
    *(f"alike {step} up" for step in range(_ALIKE_STEPS)),
    *("group " + name for name in ("size", "words", "links", "share", "text")),
)


def _repetition(layout: Layout, above: Ints) -> Iterator[npt.NDArray[Any]]:
    """Measure how many blocks are like each, among its siblings and on the page."""
    words = layout.blocks.words
    alike = count_alike(layout.parents * (layout.signatures.max() + 1) + layout.signatures)
    yield alike.take(above[:_ALIKE_STEPS])
    group = group_alike(layout, above)
    count, held = np.bincount(group), np.bincount(group, words)
    linked, long = np.bincount(group, words * layout.links), np.bincount(group, layout.long)
    words_held = np.maximum(held, 1)
    share = held / max(layout.sums.words[-1], 1)
    measures = (count, held / np.maximum(count, 1), linked / words_held, share, long / words_held)
    yield np.array(measures).take(group, axis=1)


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


def group_alike(layout: Layout, above: Ints) -> Ints:
    """Number groups of blocks with equal signatures, also of two elements above."""
    own, parent, grandparent = layout.signatures.take(above[:3])
    size = int(layout.signatures.max()) + 1
    return number_keys((own * size + parent) * size + grandparent)


_NEARNESS = np.array([1, 0.6, 0.3, 0.15, 0.075])[:, None]
"""The weight of a block's text for the elements above it: about half per step up."""


def _best_container(layout: Layout, above: Ints) -> Columns:
    """Locate each block relative to the element with most running text near it."""
    words, size, count = layout.blocks.words, len(layout.parents), len(layout.blocks)
    weight = np.minimum(words, 100) / 20 + np.minimum(layout.marks.punctuation, 10) / 2
    weight = np.where(layout.long > 0, weight, 0.0)
    lines = above + np.arange(STEPS_UP)[:, None] * size
    score = np.bincount(lines.ravel(), (weight * _NEARNESS).ravel(), minlength=STEPS_UP * size)
    score = score.reshape(STEPS_UP, size).sum(axis=0)
    held = np.maximum(layout.held.words, 1)
    score = score * (1 - layout.held.linked / held)
    best = int(score.argmax())
    first, last = int(layout.first[best]), int(layout.last[best])
    up, down = distances(layout, best)
    at = np.arange(count)
    return {
        "up to best": up,
        "down from best": down,
        "off best": np.minimum(at - first, 0) + np.maximum(at - last + 1, 0),
        "place in best": (at - first) / max(last - first, 1),
        "of best score": score.take(above[0]) / max(score[best], 1e-6),
        "share of best": np.full(count, held[best] / max(layout.sums.words[-1], 1)),
    }


def distances(layout: Layout, element: int) -> tuple[Ints, Ints]:
    """Count the steps from an element up to its common ancestor with each block, and down."""
    meeting = np.zeros(len(layout.parents), dtype=np.int64)
    for above in layout.blocks.outline.path(element):
        meeting[above : layout.ends[above]] = layout.levels[above]
    met = meeting.take(layout.blocks.owners)
    return layout.levels[element] - met, layout.levels.take(layout.blocks.owners) - met
