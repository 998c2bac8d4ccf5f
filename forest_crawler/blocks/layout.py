"""How a page's text lies in its tree: sums over subtrees, concepts around blocks, repetition.

Made once a page; `evidence` and `context` read from it. Every sum over a subtree is a difference
of prefix sums over blocks, so all of it is linear in elements and blocks (times depth at worst).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from forest_crawler.blocks.division import Blocks, Floats, Ints
from forest_crawler.blocks.vocabulary import CONCEPTS, Markup, find_concepts, read_markup

LINK_TAGS = frozenset({"a", "button", "select", "option"})

LONG_WORDS = 12
"""Words from which a block that is not mostly links reads as running text."""

LONG_LINKS = 0.4
"""The share of link text up to which it does."""

NOWHERE = 1.5
"""Stands for the share of an ancestor that does not exist: more than the whole page."""

_PUNCTUATION = re.compile(r"[,;:.!?…。、，；：！？؟،।]")
_SENTENCE_ENDS = frozenset(".!?…。！？؟।:")
_CLOSERS = "\"'”’»)]"
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Blocks (k), elements (n) and what they hold, as arrays."""

    blocks: Blocks
    markup: list[Markup]  # n: what elements are called
    parents: Ints  # body is its own parent here
    levels: Ints
    ends: Ints
    first: Ints  # n: the blocks that begin in an element are first[i] to last[i], exclusive
    last: Ints
    signatures: Ints  # n: elements alike in tag and first class name have the same number
    links: Floats  # k: share of a block's words that are in links
    punctuation: Floats  # k: marks
    sentences: Floats  # k: 1 where a block ends as a sentence does
    long: Floats  # k: a block's words if it is running text, else 0
    concepts: npt.NDArray[np.float32]  # concept x k: share of the nearest ancestor that has it
    concept_counts: Ints  # elements that have a concept

    def inside(self, sums: Floats) -> Floats:
        """Sums over each element, from prefix sums over blocks."""
        return sums[self.last] - sums[self.first]


def prefix_sums(values: Floats) -> Floats:
    """Sums over the first 0, 1, … values.

    >>> prefix_sums(np.array([2.0, 3.0])).tolist()
    [0.0, 2.0, 5.0]
    """
    return np.concatenate(([0.0], np.cumsum(values)))


def measure_layout(blocks: Blocks) -> Layout:
    """Measure how the blocks lie in their page's tree."""
    outline = blocks.tree.outline
    starts = blocks.starts[:-1]
    first = np.searchsorted(starts, np.asarray(outline.leaf_starts))
    last = np.searchsorted(starts, np.asarray(outline.leaf_ends))
    links = _link_shares(blocks)
    markup = read_markup(outline.elements)
    concepts, counts = _spread_concepts(blocks, markup, first, last)
    parents = np.array(outline.parents, dtype=np.int64)
    parents[0] = 0
    return Layout(
        blocks,
        markup,
        parents,
        np.array(outline.levels, dtype=np.int64),
        np.array(outline.ends, dtype=np.int64),
        first,
        last,
        _number_signatures(markup),
        links,
        np.array([len(_PUNCTUATION.findall(text)) for text in blocks.texts], dtype=np.float64),
        np.array([_ends_sentence(text) for text in blocks.texts], dtype=np.float64),
        blocks.words * ((blocks.words >= LONG_WORDS) & (links < LONG_LINKS)),
        concepts,
        counts,
    )


def _link_shares(blocks: Blocks) -> Floats:
    outline = blocks.tree.outline
    in_link = np.zeros(len(outline.elements), dtype=bool)
    end = 0
    for i in [i for i, element in enumerate(outline.elements) if element.tag in LINK_TAGS]:
        if i >= end:  # not within another link
            end = outline.ends[i]
            in_link[i:end] = True
    chars = np.array([len(text.strip()) for text in outline.leaf_texts], dtype=np.float64)
    linked = chars * in_link[np.array(outline.leaf_owners, dtype=np.int64)]
    starts = blocks.starts[:-1]
    if not len(starts):
        return np.zeros(0)
    return np.asarray(np.add.reduceat(linked, starts) / np.add.reduceat(chars, starts))


def _spread_concepts(
    blocks: Blocks, markup: list[Markup], first: Ints, last: Ints
) -> tuple[npt.NDArray[np.float32], Ints]:
    """For each concept and block, how much of the page the nearest ancestor with it holds.

    One number tells both whether there is such an ancestor and whether it is about this block
    (a small one) or about the page (a wrapper around everything).
    """
    sums = prefix_sums(blocks.words)
    shares = (sums[last] - sums[first]) / max(sums[-1], 1.0)
    found = [find_concepts(named) for named in markup]
    found[:1] = [()]  # what body is called speaks of the site
    concepts = np.array([concept for each in found for concept in each], dtype=np.int64)
    elements = np.repeat(np.arange(len(found)), [len(each) for each in found])
    spread = np.full((len(CONCEPTS), len(blocks)), NOWHERE, dtype=np.float32)
    held = (last - first)[elements]
    of_many = held > 1
    ranges = (concepts, first[elements], last[elements], shares[elements])
    for concept, start, end, share in zip(*(r[of_many].tolist() for r in ranges), strict=True):
        spread[concept, start:end] = share  # deeper elements come later and overwrite
    # What holds one block lies within all that hold it and more, and most elements are such.
    of_one = held == 1
    spread[concepts[of_one], first[elements[of_one]]] = shares[elements[of_one]]
    return spread, np.bincount(concepts, minlength=len(CONCEPTS))


def _number_signatures(markup: list[Markup]) -> Ints:
    numbers: dict[tuple[str, str], int] = {}
    known: dict[tuple[str, str | None], int] = {}
    found = []
    for named in markup:
        key = named[:2]
        number = known.get(key)
        if number is None:
            name = _DIGITS.sub("", (named.class_ or "").partition(" ")[0])
            number = known[key] = numbers.setdefault((named.tag, name), len(numbers))
        found.append(number)
    return np.array(found, dtype=np.int64)


def _ends_sentence(text: str) -> bool:
    return text[-1] in _SENTENCE_ENDS or text.rstrip(_CLOSERS)[-1:] in _SENTENCE_ENDS
