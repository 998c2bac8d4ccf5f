"""Compare sibling pages: is a block of text content or template?

Between the page-level scores and the fitting of locators. A page-level method judges each block by
its own page. Siblings add evidence:

- text that repeats at the same position on several pages is template, whatever it looks like;
- blocks at the same position are mostly of one kind, so they are judged together.

A *position* is a tag path with those ids and classes that several pages share. Of a class that a
build has made, the position has what is before the hash: a sample may have pages of two builds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from forest_crawler.page.leaf_tokens import leaf_tokens
from forest_crawler.page.tree import PageTree
from forest_crawler.page_model import odds
from forest_crawler.page_model.choice import best_threshold
from forest_crawler.page_model.odds import probability
from forest_crawler.text.terms import tokenize
from forest_crawler.wrapper.built_names import stable_prefix
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.locators import Test
from forest_crawler.wrapper.site_names import SiteNames

Floats = NDArray[np.float64]
_TagMark: TypeAlias = tuple[str, Test]
_Value = TypeVar("_Value", np.float64, np.bool_)

_LEAST = 0.02
_LONG_BLOCK = 12
"""Min words of a block that counts as evidence that two pages are copies of one article."""
_MAX_BLOCK_WEIGHT = 60
"""Max words by which a block is weighed at its position: a long text must not outvote the rest."""
_MARKING = ("id", "class")  # attributes that tell positions apart


@dataclass(frozen=True, slots=True)
class SiblingOptions:
    """Which evidence counts, and how much; the benchmarks vary it."""

    repetition: bool = True
    positions: bool = True
    repeated_content: float = 0.03  # probability of text repeated at the same position
    sharpness: float = 5.0  # factor of the joint log odds: pages that agree are surer than one


DEFAULTS = SiblingOptions()


@dataclass(frozen=True, slots=True, eq=False)
class BlockScores:
    """A page's blocks of text and the probability that each is content."""

    tree: PageTree
    bounds: Sequence[int]  # block b holds the leaves bounds[b] to bounds[b + 1]
    owners: Sequence[int]  # the element of each block, by index in the outline
    content: Floats

    def per_leaf(self, values: NDArray[_Value]) -> NDArray[_Value]:
        """Spread one value per block over the blocks' leaves."""
        return np.repeat(values, np.diff(np.asarray(self.bounds)))


@dataclass(frozen=True, slots=True, eq=False)
class JudgedBlocks:
    """What sibling pages together say about a page's blocks."""

    words: Floats
    content: Floats  # the probability that each is content
    repeated: NDArray[np.bool_]  # whether its text is at the same position on another page


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """A page's blocks with what is compared between siblings."""

    scores: BlockScores
    words: Floats
    texts: list[str]
    positions: NDArray[np.int64]


def count_words(tree: PageTree) -> Floats:
    """Count the words in each text leaf."""
    return np.array([len(tokens) for tokens in leaf_tokens(tree)], dtype=np.float64)


def join_evidence(
    pages: Sequence[BlockScores],
    names: Sequence[PageNames],
    options: SiblingOptions = DEFAULTS,
) -> list[JudgedBlocks]:
    """Judge whether each block is content, given all sample pages."""
    blocks = _compare(pages, names)
    known = [page.content for page in pages]
    repeated = [np.zeros(len(page.content), dtype=np.bool_) for page in pages]
    if options.repetition:
        repeated = _repeated(blocks)
        known = [
            np.where(again, options.repeated_content, content)
            for again, content in zip(repeated, known, strict=True)
        ]
    if options.positions:
        pooled = _pool(blocks, known)
        known = [
            np.where(again, content, probability((log_odds(content) + log_odds(position)) / 2))
            for again, content, position in zip(repeated, known, pooled, strict=True)
        ]
    return [
        JudgedBlocks(page.words, _decide(content, page.words, again, options), again)
        for content, page, again in zip(known, blocks, repeated, strict=True)
    ]


def _decide(
    content: Floats, words: Floats, repeated: NDArray[np.bool_], options: SiblingOptions
) -> Floats:
    """Shift the page's own threshold to one half, and sharpen the joint judgement.

    Every page of a sample has content. If a sidebar looked like it and turned out to be template,
    a lower probability is enough for the rest of the page.
    """
    threshold = log_odds(np.array([best_threshold(content, words)]))
    decided = probability(options.sharpness * (log_odds(content) - threshold))
    return np.where(repeated, options.repeated_content, decided)


def _compare(pages: Sequence[BlockScores], names: Sequence[PageNames]) -> list[_Blocks]:
    site = names[0].site if names else SiteNames()
    same = [page_names.on_site(site) for page_names in names]
    position_of = np.array(_number_positions(site, same), dtype=np.int64)
    joined = _JoinedTokens()
    found = []
    for page, page_names in zip(pages, same, strict=True):
        paths = page_names.paths
        positions = position_of[[paths[owner] for owner in page.owners]]
        texts = joined.join_blocks(leaf_tokens(page.tree), page.bounds)
        before = np.concatenate(([0.0], np.cumsum(count_words(page.tree))))
        words = np.diff(before[np.asarray(page.bounds)])
        found.append(_Blocks(page, words, texts, positions))
    return found


class _JoinedTokens:
    """The tokens of text leaves as strings, made once for the leaves that siblings share."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}  # by identity of the tokens, which the trees keep

    def join_blocks(self, leaves: Sequence[Sequence[str]], bounds: Sequence[int]) -> list[str]:
        """Join the tokens of each block."""
        known = self._known
        texts = []
        for tokens in leaves:
            text = known.get(id(tokens))
            if text is None:
                text = known[id(tokens)] = " ".join(tokens)
            texts.append(text)
        return [
            texts[start] if end == start + 1 else " ".join(filter(None, texts[start:end]))
            for start, end in pairwise(bounds)
        ]


@lru_cache(maxsize=20_000)  # the same names recur on every page
def _mark(test: Test) -> Test:
    """Return a test without the hash of a build; the mark isn't an XPath, it only compares."""
    name, value = test
    prefix = stable_prefix(value) if name == "class" else None
    return test if prefix is None else (name, prefix)


def _number_positions(site: SiteNames, pages: Sequence[PageNames]) -> list[int]:
    """Number the position of each path of a site: its tags, and the marks that pages share."""
    marks = _number_marks(site, pages)
    steps: dict[tuple[str, frozenset[int]], int] = {}
    step_of = [
        steps.setdefault((kind.tag, frozenset(map(marks.__getitem__, kind.names))), len(steps))
        for kind in site.kinds
    ]
    found: list[int] = []
    numbers: dict[tuple[int, int], int] = {}
    for above, kind in site.paths:  # parents come before their children
        key = (found[above] if above >= 0 else -1, step_of[kind])
        found.append(numbers.setdefault(key, len(numbers)))
    return found


def _number_marks(site: SiteNames, pages: Sequence[PageNames]) -> list[int]:
    """Number the mark of each name; -1 if it is none, or one that too few pages have."""
    marks = [
        (tag, _mark(test)) if test and test[0] in _MARKING else None for tag, test in site.names
    ]
    on_pages: dict[_TagMark, int] = defaultdict(int)  # a bit per page: builds share a mark
    for mark, bits in zip(marks, site.find_pages(page.kinds for page in pages), strict=True):
        if mark is not None:
            on_pages[mark] |= bits
    min_pages = min(2, len(pages))
    shared = [mark for mark, bits in on_pages.items() if bits.bit_count() >= min_pages]
    numbers = {mark: number for number, mark in enumerate(shared)}
    return [-1 if mark is None else numbers.get(mark, -1) for mark in marks]


def _repeated(pages: Sequence[_Blocks]) -> list[NDArray[np.bool_]]:
    """Mark the blocks whose text repeats at the same position on another page."""
    first: dict[tuple[int, str], int] = {}
    again: set[tuple[int, str]] = set()
    keys = [list(zip(page.positions.tolist(), page.texts, strict=True)) for page in pages]
    for original, own in zip(_originals(pages), keys, strict=True):
        for key in own:
            if first.setdefault(key, original) != original and key[1]:
                again.add(key)
    return [np.array([key in again for key in own], dtype=np.bool_) for own in keys]


def _originals(pages: Sequence[_Blocks]) -> list[int]:
    """Return the first copy of each page: one article may have two URLs.

    What two copies share isn't template. Copies have the same title and share more than half of the
    long content of both, so their order does not matter; what pages with different titles share is
    a sidebar, however long. Compares every pair of the sample's pages.
    """
    titles = [_title(page.scores.tree) for page in pages]
    contents = [_long_content(page) for page in pages]
    halves = [sum(content.values()) / 2 for content in contents]
    originals: list[int] = []
    for number, content in enumerate(contents):
        copies = {
            originals[earlier]
            for earlier in range(number)
            if titles[number] == titles[earlier]
            and _common(content, contents[earlier]) > max(halves[number], halves[earlier])
        }
        first = min(copies, default=number)
        originals = [first if original in copies else original for original in originals]
        originals.append(first)
    return originals


def _title(tree: PageTree) -> list[str]:
    return tokenize(tree.html.findtext("head/title") or "")


def _common(content: dict[str, float], other: dict[str, float]) -> float:
    return sum(size for text, size in content.items() if text in other)


def _long_content(page: _Blocks) -> dict[str, float]:
    rows = zip(page.texts, page.words.tolist(), page.scores.content.tolist(), strict=True)
    return {text: size for text, size, chance in rows if size >= _LONG_BLOCK and chance >= 0.5}


def _pool(pages: Sequence[_Blocks], contents: Sequence[Floats]) -> list[Floats]:
    """Return the mean probability at each block's position, its own if unshared."""
    positions = np.concatenate([page.positions for page in pages])
    weights = np.minimum(np.concatenate([page.words for page in pages]), _MAX_BLOCK_WEIGHT)
    hits = np.bincount(positions, weights * np.concatenate(contents))
    total = np.bincount(positions, weights)
    holders = np.bincount(np.concatenate([np.unique(page.positions) for page in pages]))
    is_shared = (total > 0) & (holders > 1)
    means = np.divide(hits, total, out=np.zeros(len(hits)), where=is_shared)
    return [
        np.where(is_shared[page.positions], means[page.positions], page.scores.content)
        for page in pages
    ]


def log_odds(content: Floats) -> Floats:
    """Return the log odds; no single judgement counts as more than 98 % sure."""
    return odds.log_odds(content, _LEAST)
