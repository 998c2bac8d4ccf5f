"""The page model: its weights, and the probability of each block to be content.

A few boosted trees look at every block, for each of two sorts of pages: articles, and all others
(forums, products, listings, documentation). A further few trees tell how likely a page is of which
sort, and a few more whether it is a forum thread, whose posts look much like readers' comments;
where the sort is unsure, both answer and their probabilities are mixed.

The weights, `model.json`, are made by `python -m benchmarks.train_page` from pages of the Web
Content eXtraction Benchmark (WCXB) by M. Foley, CC BY 4.0; the file names its source, too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
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

OTHER_ODDS = 0.7
"""What the odds of a page's not being an article are multiplied with.

The training pages hold seven kinds, hardly half of them articles; what a feed links to is mostly
one. Forum threads are told by trees of their own, whose word is taken as it is.
"""

KIND_TRUST = 0.6
"""The power that these odds are raised to: the trees that tell the kind are surer of themselves
than they are right on pages that are older than those they have learnt from."""

CLEAR = 0.15
"""Below this probability of a sort its trees are not asked: half the time for most pages."""


class ModelRecord(TypedDict):
    """The weights as JSON has them."""

    source: Mapping[str, object]
    kind: TreesRecord
    forum: TreesRecord
    article: TreesRecord
    other: TreesRecord


@dataclass(frozen=True, slots=True, eq=False)
class PageModel:
    """The trees: which sort of page, whether a forum thread, and the blocks of each sort."""

    kind: BoostedTrees
    forum: BoostedTrees
    article: BoostedTrees
    other: BoostedTrees


class Opinion(NamedTuple):
    """What the trees of one sort of page say of the blocks, and how likely the page is of it."""

    weight: float
    probabilities: Floats


@dataclass(frozen=True, slots=True, eq=False)
class ScoredBlocks:
    """A page's blocks, what speaks for and against them, and the probability to be content."""

    features: Features
    probabilities: Floats
    opinions: tuple[Opinion, ...]  # that the probabilities are the weighted mean of
    article: float  # the probability that the page is an article at all


def read_model(record: ModelRecord) -> PageModel:
    """Make the trees of a record."""
    return PageModel(
        kind=read_trees(record["kind"]),
        forum=read_trees(record["forum"]),
        article=read_trees(record["article"]),
        other=read_trees(record["other"]),
    )


@cache
def bundled_model() -> PageModel:
    """The model that comes with the library, read when first asked for."""
    text = files("forest_crawler.page_model").joinpath("model.json").read_text(encoding="utf-8")
    return read_model(json.loads(text))


@once_per_tree
def score_blocks(tree: PageTree) -> ScoredBlocks:
    """Divide a page into blocks and estimate how likely each is content, once per tree."""
    return score_evidence(gather_page(tree), bundled_model())


def gather_page(tree: PageTree) -> Features:
    """Divide a page into blocks and gather what speaks for and against each."""
    return compute_features(measure_layout(divide_blocks(tree)), read_statement(tree))


def score_evidence(
    features: Features, model: PageModel, other: float | None = None
) -> ScoredBlocks:
    """Weigh the evidence of a page's blocks; `other`, where known, is how far it is no article."""
    size = len(features.layout.blocks)
    if not size:
        return ScoredBlocks(features, np.zeros(0), (), 0.0)
    if other is None:
        other = other_probability(model, features)
    sorts = [
        (weight, trees)
        for weight, trees in ((1 - other, model.article), (other, model.other))
        if weight > CLEAR
    ]
    heard = sum(weight for weight, _ in sorts)
    opinions = tuple(
        Opinion(
            weight / heard,
            trees.probabilities(select_columns(features.columns, features.rows, trees.columns)),
        )
        for weight, trees in sorts
    )
    mixed = np.sum([weight * likely for weight, likely in opinions], axis=0)
    return ScoredBlocks(features, mixed, opinions, 1 - other)


def other_probability(model: PageModel, features: Features) -> float:
    """How likely a page is no article, with feeds' pages in mind."""
    columns, row = summarise_page(features)
    likely, forum = (
        float(trees.probabilities(select_columns(columns, row[None, :], trees.columns))[0])
        for trees in (model.kind, model.forum)
    )
    odds = math.pow(likely / max(1 - likely, 1e-9), KIND_TRUST) * OTHER_ODDS
    return 1 - (1 - forum) / (1 + odds)


def select_columns(
    known: tuple[str, ...], rows: npt.NDArray[np.float32], wanted: tuple[str, ...]
) -> npt.NDArray[np.float32]:
    """The wanted columns in their order."""
    return rows.T[_places(known, wanted)].T  # rows lie in memory by columns


@cache
def _places(known: tuple[str, ...], wanted: tuple[str, ...]) -> list[int]:
    return [known.index(name) for name in wanted]
