"""Why each block of a page was taken or left: what `--explain` prints of the page model."""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.choice import choose_blocks
from forest_crawler.page_model.model import bundled_model, score_blocks, select_columns

MAX_REASONS = 3


@dataclass(frozen=True, slots=True)
class Reason:
    """A kind of features, what it was for a block, and how far it moved the log-odds."""

    features: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class ExplainedBlock:
    """A block, its probability to be content, whether it was kept, and the weightiest reasons.

    A block may be kept in spite of its probability: as the headline.
    """

    text: str
    score: float
    kept: bool
    reasons: tuple[Reason, ...]


def explain_page(tree: PageTree) -> list[ExplainedBlock]:
    """Tell of every block, in document order, why it is content or not.

    Where a page may be an article or not, the reasons are those of the likelier sort.

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
        weightiest = abs(weights[i]).argsort()[::-1][:MAX_REASONS].tolist()
        reasons = [
            Reason(trees.columns[j], float(rows[i, j]), float(weights[i, j])) for j in weightiest
        ]
        text, score = features.layout.blocks.texts[i], float(scored.probabilities[i])
        explained.append(ExplainedBlock(text, score, kept, tuple(reasons)))
    return explained
