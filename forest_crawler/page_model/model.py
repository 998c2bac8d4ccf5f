"""The page model: its weights, and the probability of each block to be content.

There are boosted trees over blocks for each of two kinds of pages: articles, and all others
(forums, products, listings, documentation). Two further ensembles estimate a page's kind, and
whether it is a forum thread, whose posts look much like readers' comments. Where the kind is
unsure, the probabilities of both are mixed.

`python -m benchmarks.train_page` makes the weights, `model.json`, from pages of the Web Content
eXtraction Benchmark (WCXB) by M. Foley, CC BY 4.0; the file names its source too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from forest_crawler.metadata.statement import read_statement
from forest_crawler.page.once_per_tree import once_per_tree
from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.boosting import BoostedTrees, TreesRecord, read_trees
from forest_crawler.page_model.division import Floats, divide_blocks
from forest_crawler.page_model.features import Features, compute_features
from forest_crawler.page_model.kinds import summarise_page
from forest_crawler.page_model.layout import measure_layout
from forest_crawler.page_model.positions import number_positions, pool_positions

OTHER_ODDS = 0.7
"""Factor of the odds that a page isn't an article.

Hardly half of the training pages are articles, but most pages that feeds link to are. Forum threads
have trees of their own, whose probability is used unchanged.
"""

KIND_TRUST = 0.6
"""Exponent of these odds: on pages older than the training pages, the trees of the kind are more
confident than they are right."""

MIN_KIND = 0.15
"""Min probability of a kind for its trees to be evaluated: halves the time of most pages."""

MAX_ROWS = 512
"""Blocks evaluated together; a page of more, some megabytes long, would need its size ten times."""


class ModelRecord(TypedDict):
    """The weights as in JSON."""

    source: Mapping[str, object]
    kind: TreesRecord
    forum: TreesRecord
    article: TreesRecord
    other: TreesRecord


@dataclass(frozen=True, slots=True, eq=False)
class PageModel:
    """The trees for a page's kind, for forum threads, and for each kind's blocks."""

    kind: BoostedTrees
    forum: BoostedTrees
    article: BoostedTrees
    other: BoostedTrees


class Opinion(NamedTuple):
    """The blocks' probabilities if the page is of one kind, and that kind's weight."""

    weight: float
    probabilities: Floats


@dataclass(frozen=True, slots=True, eq=False)
class ScoredBlocks:
    """A page's blocks with their features and their probabilities to be content."""

    features: Features
    probabilities: Floats
    opinions: tuple[Opinion, ...]  # their weighted mean is `probabilities`
    article: float  # the probability that the page is an article


def read_model(record: ModelRecord) -> PageModel:
    """Read the trees of a record."""
    return PageModel(
        kind=read_trees(record["kind"]),
        forum=read_trees(record["forum"]),
        article=read_trees(record["article"]),
        other=read_trees(record["other"]),
    )


@cache
def bundled_model() -> PageModel:
    """Load the model that comes with the library, once."""
    text = files("forest_crawler.page_model").joinpath("model.json").read_text(encoding="utf-8")
    return read_model(json.loads(text))


@once_per_tree
def score_blocks(tree: PageTree) -> ScoredBlocks:
    """Estimate how likely each block of a page is content, once per tree."""
    return judge_positions(score_features(compute_page_features(tree), bundled_model()))


def compute_page_features(tree: PageTree) -> Features:
    """Divide a page into blocks and compute the features of each."""
    return compute_features(measure_layout(divide_blocks(tree)), read_statement(tree))


def score_features(
    features: Features, model: PageModel, other: float | None = None
) -> ScoredBlocks:
    """Score a page's blocks by the model's trees.

    `other`, if known, is the probability that the page isn't an article.
    """
    size = len(features.layout.blocks)
    if not size:
        return ScoredBlocks(features, np.zeros(0), (), 0.0)
    if other is None:
        other = other_probability(model, features)
    kinds = [
        (weight, trees)
        for weight, trees in ((1 - other, model.article), (other, model.other))
        if weight > MIN_KIND
    ]
    total = sum(weight for weight, _ in kinds)
    opinions = tuple(Opinion(weight / total, _evaluate(trees, features)) for weight, trees in kinds)
    return ScoredBlocks(features, mix_opinions(opinions, size), opinions, 1 - other)


def judge_positions(scored: ScoredBlocks) -> ScoredBlocks:
    """Judge blocks at one position together, as is right on a page without siblings."""
    layout = scored.features.layout
    positions, words = number_positions(layout), layout.blocks.words
    opinions = tuple(
        Opinion(weight, pool_positions(likely, positions, words))
        for weight, likely in scored.opinions
    )
    return replace(scored, opinions=opinions, probabilities=mix_opinions(opinions, len(words)))


def mix_opinions(opinions: Sequence[Opinion], size: int) -> Floats:
    """Compute the weighted mean of the opinions about some blocks."""
    mixed = np.zeros(size)
    for weight, likely in opinions:
        mixed += weight * likely
    return mixed


def _evaluate(trees: BoostedTrees, features: Features) -> Floats:
    trees, rows = _reading(trees, features.columns), features.rows
    parts = [trees.probabilities(rows[at : at + MAX_ROWS]) for at in range(0, len(rows), MAX_ROWS)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def other_probability(model: PageModel, features: Features) -> float:
    """Estimate the probability that a page from a feed isn't an article."""
    columns, row = summarise_page(features)
    likely, forum = (
        float(_reading(trees, columns).probabilities(row[None, :])[0])
        for trees in (model.kind, model.forum)
    )
    odds = math.pow(likely / max(1 - likely, 1e-9), KIND_TRUST) * OTHER_ODDS
    return 1 - (1 - forum) / (1 + odds)


def select_columns(
    known: tuple[str, ...], rows: npt.NDArray[np.float32], wanted: tuple[str, ...]
) -> npt.NDArray[np.float32]:
    """Select the wanted columns, in their order."""
    return rows[:, [known.index(name) for name in wanted]]


@lru_cache(maxsize=16)
def _reading(trees: BoostedTrees, known: tuple[str, ...]) -> BoostedTrees:
    return trees.reading(known)
