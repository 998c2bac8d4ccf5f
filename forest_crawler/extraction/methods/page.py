"""`page`: select the blocks that the page model chooses; the default fallback.

The blocks, their features and the model are in `forest_crawler.page_model`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from forest_crawler.extraction.methods.registry import register
from forest_crawler.page.selection import Selection, select_leaves
from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.choice import choose_blocks
from forest_crawler.page_model.model import score_blocks


@dataclass(frozen=True, slots=True)
class PageModelExtractor:
    """Selects the blocks that maximise the expected F1, and the headline."""

    def extract(self, tree: PageTree) -> Selection:
        """Select the text of the chosen blocks."""
        scored = score_blocks(tree)
        blocks = scored.features.layout.blocks
        if not len(blocks):
            return Selection(tree)
        chosen = np.repeat(choose_blocks(scored), np.diff(blocks.starts))
        return select_leaves(tree, np.flatnonzero(chosen).tolist())


register("page", PageModelExtractor())
