"""What speaks for and against each block: a row a block, a column a kind of evidence.

The first look of the page model. Each of the classic methods sees something: text density, link
density, words per leaf, position, runs of tags. Here they stand side by side, as shares and ranks
within the page rather than absolute numbers, so that pages of any age and size compare.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from forest_crawler.blocks.division import Floats, Ints
from forest_crawler.blocks.layout import Layout, prefix_sums
from forest_crawler.blocks.page_traits import describe_page
from forest_crawler.blocks.records import find_records, record_places
from forest_crawler.blocks.statement import Statement
from forest_crawler.blocks.vocabulary import CONCEPTS, Markup

STEPS_UP = 5
"""Containers looked at, from a block's own element upwards."""

CONTAINER_SHARES = (0.1, 0.3, 0.6)
"""And the smallest ones that hold so much of the page's words: tables and `div` soup need more
steps than a tidy page, these find the same container in both."""

WINDOWS = (4, 12)
"""Blocks to either side that are looked at together."""

MOST_TITLE_WORDS = 40
LEAST_COMPARED_WORDS = 5
COMPARED_WORDS = 60
"""Of a block, from its start: a description repeats the beginning of a text, if any of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The rows of all blocks of a page."""

    layout: Layout
    columns: tuple[str, ...]
    rows: npt.NDArray[np.float32]

    def column(self, name: str) -> npt.NDArray[np.float32]:
        """One kind of evidence, for every block."""
        return self.rows[:, self.columns.index(name)]


def gather_evidence(layout: Layout, statement: Statement) -> Evidence:
    """Gather what speaks for and against each block."""
    records = find_records(layout)
    found: dict[str, npt.ArrayLike] = {}
    for concept, shares in zip(CONCEPTS, layout.concepts, strict=True):
        found["in " + concept] = shares
    found |= _own_text(layout)
    found |= _agreement(layout, statement)
    found |= _position(layout)
    found |= _neighbours(layout)
    found |= _containers(layout)
    found |= _repetition(layout)
    found["record place"] = record_places(layout, records)
    found |= _best_container(layout)
    found |= describe_page(layout, statement, records)
    by_column = np.empty((len(found), len(layout.blocks)), dtype=np.float32)
    for i, values in enumerate(found.values()):
        by_column[i] = values
    return Evidence(layout, tuple(found), by_column.T)


def _own_text(layout: Layout) -> dict[str, npt.ArrayLike]:
    words = layout.blocks.words
    return {
        "words": words,
        "links": layout.links,
        "marks": layout.marks.punctuation / np.maximum(words, 1),
        "sentence": layout.marks.sentences,
        "date": layout.marks.dates,
        "heading": layout.markup.tell(_is_heading)[layout.blocks.owners],
        "of longest": words / max(words.max(initial=0), 1),
    }


_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def _is_heading(markup: Markup) -> bool:
    return markup.tag in _HEADINGS


def _agreement(layout: Layout, statement: Statement) -> dict[str, npt.ArrayLike]:
    """How far a block's words are those of the stated title, description and article text."""
    titles = [frozenset(title.split()) for title in statement.titles]
    title_words = frozenset().union(*titles)
    description = frozenset(statement.description.split())
    body = statement.body.split()
    known = frozenset(zip(body, body[1:], body[2:], strict=False))
    size = len(layout.blocks)
    title, summary, stated = np.zeros(size), np.zeros(size), np.full(size, -1.0)
    sizes = layout.blocks.words.tolist()
    for i, (text, size) in enumerate(zip(layout.blocks.texts, sizes, strict=True)):
        words = text.lower().split()
        if size <= MOST_TITLE_WORDS and not title_words.isdisjoint(words):
            title[i] = max([_title_likeness(frozenset(words), other) for other in titles])
        if size < LEAST_COMPARED_WORDS:
            continue
        if len(description) >= LEAST_COMPARED_WORDS:
            own = frozenset(words[:COMPARED_WORDS])
            summary[i] = len(own & description) / min(len(own), len(description))
        if known:
            grams = list(zip(words, words[1:], words[2:], strict=False))
            stated[i] = sum(gram in known for gram in grams) / max(len(grams), 1)
    return {"like title": title, "like description": summary, "in stated body": stated}


def _title_likeness(words: frozenset[str], title: frozenset[str]) -> float:
    # A title is often followed by the site's name: it may be twice as long as the headline.
    return len(words & title) / max(len(words), min(len(title), 2 * len(words)), 1)


def _position(layout: Layout) -> dict[str, npt.ArrayLike]:
    size = len(layout.blocks)
    words, long = prefix_sums(layout.blocks.words), prefix_sums(layout.long)
    return {
        "blocks before": np.arange(size) / max(size - 1, 1),
        "words before": words[:-1] / max(words[-1], 1),
        "text before": long[:-1] / max(long[-1], 1),
        "text words before": np.log1p(long[:-1]),
        "text words after": np.log1p(long[-1] - long[1:]),
        "depth": layout.levels[layout.blocks.owners] / layout.levels.max(),
    }


def _neighbours(layout: Layout) -> dict[str, npt.ArrayLike]:
    words, size = layout.blocks.words, len(layout.blocks)
    found: dict[str, npt.ArrayLike] = {}
    for name, step in (("previous", 1), ("next", -1)):
        found["words of " + name] = shift(words, step, 0)
        found["links of " + name] = shift(layout.links, step, 1)
    total, long = prefix_sums(words), prefix_sums(layout.long)
    linked = prefix_sums(words * layout.links)
    for reach in WINDOWS:
        start, end = window(size, reach)
        around = np.maximum(total[end] - total[start], 1)
        found[f"text in {reach}"] = (long[end] - long[start]) / around
        found[f"links in {reach}"] = (linked[end] - linked[start]) / around
        found[f"words per block in {reach}"] = around / np.maximum(end - start, 1)
    return found


def shift(values: Floats, step: int, fill: float) -> Floats:
    """Each block's neighbour's value: the one before for step 1, the one behind for -1."""
    moved = np.full(len(values), fill, dtype=np.float64)
    if abs(step) < len(values):
        if step > 0:
            moved[step:] = values[:-step]
        else:
            moved[:step] = values[-step:]
    return moved


def window(size: int, reach: int) -> tuple[Ints, Ints]:
    """The first block within reach of each, and the first one behind."""
    at = np.arange(size)
    return np.maximum(at - reach, 0), np.minimum(at + reach + 1, size)


def _containers(layout: Layout) -> dict[str, npt.ArrayLike]:
    words, count = layout.blocks.words, np.maximum(layout.last - layout.first, 1)
    held = layout.inside(prefix_sums(words))
    least = np.maximum(held, 1)
    long = layout.inside(prefix_sums(layout.long))
    measures = {
        "share": held / max(words.sum(), 1),
        "links": layout.inside(prefix_sums(words * layout.links)) / least,
        "words per block": held / count,
        "sentences": layout.inside(prefix_sums(layout.marks.sentences)) / count,
        "text": long / least,
        "text share": long / max(layout.long.sum(), 1),
        "marks": layout.inside(prefix_sums(layout.marks.punctuation)) / least,
    }
    at = layout.blocks.owners
    found: dict[str, npt.ArrayLike] = {}
    for step in range(STEPS_UP):
        for name, values in measures.items():
            if name not in ("text", "marks"):
                found[f"{name} {step} up"] = values[at]
        at = layout.parents[at]
    order = np.arange(len(words))
    for least_share in CONTAINER_SHARES:
        at = _smallest_holding(layout, measures["share"], least_share)
        for name, values in measures.items():
            found[f"{name} of {least_share:.0%}"] = values[at]
        found[f"place in {least_share:.0%}"] = (order - layout.first[at]) / count[at]
    return found


def _smallest_holding(layout: Layout, shares: Floats, least: float) -> Ints:
    """For each block the lowest ancestor that holds so much of the page; body if none does."""
    found = np.zeros(len(layout.blocks), dtype=np.int64)
    for element in np.flatnonzero(shares >= least).tolist():
        found[layout.first[element] : layout.last[element]] = element
    return found


def _repetition(layout: Layout) -> dict[str, npt.ArrayLike]:
    """Whether a block is one of many alike: in its siblings, and anywhere on the page."""
    words, owners = layout.blocks.words, layout.blocks.owners
    alike = count_alike(layout.parents * (layout.signatures.max() + 1) + layout.signatures)
    found: dict[str, npt.ArrayLike] = {}
    at = owners
    for step in range(4):
        found[f"alike {step} up"] = alike[at]
        at = layout.parents[at]
    group = group_alike(layout)
    held, count = np.bincount(group, words), np.bincount(group)
    least = np.maximum(held, 1)
    found["group size"] = count[group]
    found["group words"] = (held / np.maximum(count, 1))[group]
    found["group links"] = (np.bincount(group, words * layout.links) / least)[group]
    found["group share"] = (held / max(words.sum(), 1))[group]
    found["group text"] = (np.bincount(group, layout.long) / least)[group]
    return found


def count_alike(keys: Ints) -> Ints:
    """How often each key occurs."""
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse])


def group_alike(layout: Layout) -> Ints:
    """Number the blocks' groups: alike in signature, and in that of the two elements above."""
    parent = layout.parents[layout.blocks.owners]
    size = int(layout.signatures.max()) + 1
    keys = layout.signatures[layout.blocks.owners] * size + layout.signatures[parent]
    keys = keys * size + layout.signatures[layout.parents[parent]]
    return np.asarray(np.unique(keys, return_inverse=True)[1])


def _best_container(layout: Layout) -> dict[str, npt.ArrayLike]:
    """Where a block lies from the element with most running text close beneath it."""
    words, size = layout.blocks.words, len(layout.parents)
    weight = np.minimum(words, 100) / 20 + np.minimum(layout.marks.punctuation, 10) / 2
    weight = np.where(layout.long > 0, weight, 0.0)
    score, at = np.zeros(size), layout.blocks.owners
    for factor in (1, 0.6, 0.3, 0.15, 0.075):  # half of it a step up, as readers of articles do
        score += np.bincount(at, weight * factor, minlength=size)
        at = layout.parents[at]
    held = np.maximum(layout.inside(prefix_sums(words)), 1)
    score *= 1 - layout.inside(prefix_sums(words * layout.links)) / held
    best = int(score.argmax())
    up, down, off = distances(layout, best)
    return {
        "up to best": up,
        "down from best": down,
        "off best": off,
        "place in best": (np.arange(len(words)) - layout.first[best])
        / max(layout.last[best] - layout.first[best], 1),
        "of best score": score[layout.blocks.owners] / max(score[best], 1e-6),
        "share of best": held[best] / max(words.sum(), 1),
    }


def distances(layout: Layout, element: int) -> tuple[Ints, Ints, Ints]:
    """Steps up from an element to where it meets each block, steps down, blocks in between."""
    meeting = np.zeros(len(layout.parents), dtype=np.int64)
    for index in layout.blocks.tree.outline.path(element):
        meeting[index : layout.ends[index]] = layout.levels[index]
    met = meeting[layout.blocks.owners]
    at = np.arange(len(layout.blocks))
    first, last = layout.first[element], layout.last[element]
    off = np.minimum(at - first, 0) + np.maximum(at - last + 1, 0)
    return layout.levels[element] - met, layout.levels[layout.blocks.owners] - met, off
