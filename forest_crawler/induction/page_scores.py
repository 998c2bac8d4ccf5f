"""Score each page's blocks by the page model, before siblings are compared.

Between the page model (`forest_crawler.page_model`) and the sample's `sibling_evidence`. The page
type is decided for the whole sample: a news article whose long comment thread makes it look like a
forum is still an article among articles.
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
"""Min probability of the headline: the title is part of the article wherever it is."""

SURELY_OTHER = 0.8
"""Mean probability above which a sample's pages are judged as something other than articles. High,
because feeds lead to articles, and blogs with long comment threads look like forums."""


def score_sample(
    trees: Sequence[PageTree], gathered: Sequence[Features | None] | None = None
) -> list[BlockScores]:
    """Score how likely each block is content; raise the headline's score.

    `gathered` has the features of pages for which they are already computed, `None` for others.
    """
    known = gathered or [None] * len(trees)
    pages = [page or compute_page_features(tree) for tree, page in zip(trees, known, strict=True)]
    other = _other_share(pages)
    return [_score_page(tree, page, other) for tree, page in zip(trees, pages, strict=True)]


def _other_share(pages: Sequence[Features]) -> float:
    """Return how far the pages aren't articles: 0 unless there is little doubt."""
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
