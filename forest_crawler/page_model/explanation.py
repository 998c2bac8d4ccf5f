"""Explain why each block of a page was chosen or not, for `--explain`."""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.choice import choose_blocks
from forest_crawler.page_model.model import bundled_model, score_blocks, select_columns

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

    The reasons are those of the page's more likely kind, article or other.

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
    explained = []
    for i, kept in enumerate(choose_blocks(scored).tolist()):
        strongest = abs(weights[i]).argsort()[::-1][:MAX_REASONS].tolist()
        reasons = [
            Reason(trees.columns[j], float(rows[i, j]), float(weights[i, j])) for j in strongest
        ]
        text, score = features.layout.blocks.texts[i], float(scored.probabilities[i])
        explained.append(ExplainedBlock(text, score, kept, tuple(reasons)))
    return explained
