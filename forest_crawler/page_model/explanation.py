"""Explain why each block of a page was chosen or not, for `--explain`."""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.choice import choose_blocks
from forest_crawler.page_model.division import Floats
from forest_crawler.page_model.features import Features
from forest_crawler.page_model.model import bundled_model, score_blocks, select_columns
from forest_crawler.page_model.odds import log_odds, probability
from forest_crawler.page_model.positions import (
    MIN_ODDS,
    SHARE,
    average_positions,
    number_positions,
)

MAX_REASONS = 3


@dataclass(frozen=True, slots=True)
class Reason:
    """A feature, its value for a block, and how far it moved the block's log-odds."""

    column: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class ExplainedBlock:
    """A block, its probability to be content, and the strongest reasons.

    The headline is kept whatever its probability.
    """

    text: str
    score: float
    kept: bool
    reasons: tuple[Reason, ...]


def explain_page(tree: PageTree) -> list[ExplainedBlock]:
    """Explain for every block, in document order, why it is content or not.

    The reasons are those of the page's more likely kind, article or other; `position` is how far
    the blocks at the same position moved the score, by their mean probability.

    >>> from forest_crawler.page.tree import parse_page
    >>> [block.text for block in explain_page(parse_page("<p>One<p>Two"))]
    ['One', 'Two']
    """
    scored = score_blocks(tree)
    features = scored.features
    if not len(features.layout.blocks):
        return []
    model = bundled_model()
    trees = model.article if scored.article >= 0.5 else model.other
    rows = select_columns(features.columns, features.rows, trees.columns)
    weights = trees.contributions(rows)
    positions = _explain_positions(features, trees.probabilities(rows))
    explained = []
    for i, kept in enumerate(choose_blocks(scored).tolist()):
        strongest = abs(weights[i]).argsort()[::-1][:MAX_REASONS].tolist()
        reasons = [
            Reason(trees.columns[j], float(rows[i, j]), float(weights[i, j])) for j in strongest
        ]
        reasons = sorted((*reasons, positions[i]), key=lambda it: -abs(it.weight))[:MAX_REASONS]
        text, score = features.layout.blocks.texts[i], float(scored.probabilities[i])
        explained.append(ExplainedBlock(text, score, kept, tuple(reasons)))
    return explained


def _explain_positions(features: Features, likely: Floats) -> list[Reason]:
    """Say for each block what the others at its position are, and how far that moved it."""
    words = features.layout.blocks.words
    means = average_positions(likely, number_positions(features.layout), words)
    shifts = SHARE * (means - log_odds(likely, MIN_ODDS))
    pairs = zip(probability(means).tolist(), shifts.tolist(), strict=True)
    return [Reason("position", mean, shift) for mean, shift in pairs]
