"""What each page of a sample by itself says of its blocks: the page model's judgement.

Between the page model (`forest_crawler.page_model`) and the joint evidence of a sample. What sort
of pages they are, the siblings decide together: one page of a news site that looks like a forum for
its readers' comments is an article among articles.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from forest_crawler.induction.sibling_evidence import BlockScores
from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.choice import best_threshold, choose_headline
from forest_crawler.page_model.features import Features
from forest_crawler.page_model.model import (
    bundled_model,
    compute_page_features,
    other_probability,
    score_features,
)

HEADLINE = 0.9
"""Probability of a headline: the title is part of the article wherever it stands."""

SURELY_OTHER = 0.8
"""How likely no articles pages must be to be judged as others: feeds lead to articles, and blogs
with long threads of comments look like forums."""


def score_sample(
    trees: Sequence[PageTree], gathered: Sequence[Features | None] | None = None
) -> list[BlockScores]:
    """The probability of each block to be content, by the page model and as headline.

    `gathered` is the evidence of those pages of which somebody has gathered it before.
    """
    known = gathered or [None] * len(trees)
    pages = [page or compute_page_features(tree) for tree, page in zip(trees, known, strict=True)]
    other = _other_share(pages)
    return [_score_page(tree, page, other) for tree, page in zip(trees, pages, strict=True)]


def _other_share(pages: Sequence[Features]) -> float:
    """How far the pages are judged as no articles: not at all unless they leave little doubt."""
    model = bundled_model()
    likely = fmean([other_probability(model, page) for page in pages if len(page.rows)] or [0.0])
    return likely if likely > SURELY_OTHER else 0.0


def _score_page(tree: PageTree, page: Features, other: float) -> BlockScores:
    scored = score_features(page, bundled_model(), other)
    blocks, likely = scored.features.layout.blocks, scored.probabilities
    content = likely.copy()
    headline = choose_headline(
        likely,
        likely > best_threshold(likely, blocks.words),
        blocks.words,
        scored.features.column("like title").astype(np.float64),
        scored.features.column("heading").astype(np.float64),
    )
    if headline is not None:
        content[headline] = max(content[headline], HEADLINE)
    return BlockScores(tree, blocks.starts.tolist(), blocks.owners.tolist(), content)
