"""A wrapper of few pages and the page's own evidence, heard together.

Between `extraction` and the page model: ten siblings know a template and all that is to be
stripped from it, three have not met every box that the fourth page shows. Until a wrapper has seen
enough pages to be trusted alone, a page may deny some of what it selects.
"""

from __future__ import annotations

import numpy as np

from forest_crawler.induction.page_scores import score_sample
from forest_crawler.induction.sibling_evidence import (
    BlockScores,
    Floats,
    count_words,
    log_odds,
    probability,
)
from forest_crawler.page.outline import TextLeaf
from forest_crawler.page.selection import Selection, select_leaves
from forest_crawler.page_model.choice import best_threshold

WRAPPERS_SAY = 2.0
"""Log-odds that a wrapper's word is worth: seven to one."""

SELECTED = 0.5
"""Share of a block's leaves from which the block counts as selected."""


def veto_blocks(selection: Selection) -> Selection:
    """What a wrapper selected on a page, less what the page denies.

    What else is content the page does not say: a sidebar that repeats looks like text to it. (Where
    it was heard on that, too, nothing was gained on any labelled set.)
    """
    tree = selection.tree
    (scores,) = score_sample([tree])
    if not len(scores.content):
        return selection
    said = _per_block(_selected_leaves(selection), scores)
    likely = np.where(
        said >= SELECTED, probability(log_odds(scores.content) + WRAPPERS_SAY * (2 * said - 1)), 0.0
    )
    words = np.add.reduceat(count_words(tree), np.asarray(scores.bounds[:-1]))
    chosen = scores.per_leaf((likely > best_threshold(likely, words)).astype(np.float64))
    return select_leaves(tree, np.flatnonzero(chosen).tolist())


def _selected_leaves(selection: Selection) -> Floats:
    """1 for each text leaf of the page that is selected."""
    outline = selection.tree.outline
    selected = np.zeros(len(outline.leaf_texts))
    for element in selection.nodes:
        if not isinstance(element, TextLeaf):  # wrappers select elements only
            index = outline.positions[element]
            selected[outline.leaf_starts[index] : outline.leaf_ends[index]] = 1
    for element in selection.stripped:
        if (place := outline.positions.get(element)) is not None:
            selected[outline.leaf_starts[place] : outline.leaf_ends[place]] = 0
    return selected


def _per_block(leaves: Floats, scores: BlockScores) -> Floats:
    """The share of each block's leaves that is selected; no block is without leaves."""
    starts = np.asarray(scores.bounds[:-1])
    shares: Floats = np.add.reduceat(leaves, starts) / np.diff(np.asarray(scores.bounds))
    return shares
