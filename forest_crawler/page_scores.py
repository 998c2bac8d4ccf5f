"""What a page by itself says of its blocks, as the siblings take it: the page model's judgement.

Between the page model (`forest_crawler.blocks`) and the joint evidence of a sample.
"""

from __future__ import annotations

import numpy as np

from forest_crawler.blocks.choice import best_threshold, find_headline
from forest_crawler.blocks.model import score_blocks
from forest_crawler.evidence import BlockScores
from forest_crawler.tree import PageTree

HEADLINE = 0.9
"""Probability of a headline: the title is part of the article wherever it stands."""


def score_page(tree: PageTree) -> BlockScores:
    """The probability of each block to be content, by the page model and as headline."""
    scored = score_blocks(tree)
    blocks, likely = scored.evidence.layout.blocks, scored.probabilities
    content = likely.copy()
    headline = find_headline(
        likely,
        likely > best_threshold(likely, blocks.words),
        blocks.words,
        scored.evidence.column("like title").astype(np.float64),
        scored.evidence.column("heading").astype(np.float64),
    )
    if headline is not None:
        content[headline] = max(content[headline], HEADLINE)
    return BlockScores(tree, blocks.starts.tolist(), blocks.owners.tolist(), content)
