"""Let the page model veto blocks that a wrapper of few pages selects.

Ten sibling pages show a template and all the boxes that must be stripped from it; three pages may
lack a box that the fourth one has. Until a wrapper is induced from enough pages to be trusted
alone, the page model may remove some of the blocks that it selects.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from urllib.parse import urlsplit

import numpy as np

from forest_crawler.induction.page_scores import score_sample
from forest_crawler.induction.sibling_evidence import (
    BlockScores,
    Floats,
    count_words,
    log_odds,
)
from forest_crawler.page.kept_parts import find_kept_leaves
from forest_crawler.page.outline import Outline, TextLeaf
from forest_crawler.page.selection import Node, Selection, select_leaves
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.page_model.choice import best_threshold
from forest_crawler.page_model.odds import probability
from forest_crawler.text.ad_labels import is_ad_label

WRAPPER_WEIGHT = 2.0
"""Log-odds that a block is content if a wrapper selects it: seven to one."""

LINKED_WEIGHT = 1.0
"""The same for a block of links: a template's rows of further articles differ from page to page."""

MIN_LINKED_SHARE = 0.6
"""Share of a block's words in links from which it is a block of links: a label and a headline."""

MAX_LABEL_LEAVES = 5
"""Max text leaves of a label: a block of text has more."""

VETOED = -10.0
"""Log-odds of a line that only says that an advertisement follows."""

MIN_SELECTED_SHARE = 0.5
"""Share of a block's leaves from which the block counts as selected."""


def veto_blocks(selection: Selection) -> Selection:
    """Remove the blocks from a wrapper's selection that the page model rejects.

    About captions, quotations and code its word does not count. What the wrapper strips stays
    stripped, also inside a block that is kept, and what has no text (pictures) stays selected.

    The page model adds no blocks: to it, a sidebar that repeats looks like text. (Letting it add
    blocks gained nothing on any labelled set.)
    """
    tree = selection.tree
    (scores,) = score_sample([tree])
    if not len(scores.content):
        return selection
    leaves = _selected_leaves(selection)
    selected = _per_block(leaves, scores)
    starts = np.asarray(scores.bounds[:-1])
    words = np.add.reduceat(count_words(tree), starts)
    linked = np.add.reduceat(count_words(tree) * _linked_leaves(tree), starts)
    is_linked = linked >= np.maximum(MIN_LINKED_SHARE * words, 1)
    weight = np.where(is_linked, LINKED_WEIGHT, WRAPPER_WEIGHT)
    combined = log_odds(scores.content) + weight * (2 * selected - 1)
    combined[_find_ad_labels(tree.outline, scores)] = VETOED
    kept_parts = np.array(find_kept_leaves(tree.outline), dtype=np.float64)
    combined = np.where(_per_block(kept_parts, scores) > 0, WRAPPER_WEIGHT, combined)
    content = np.where(selected >= MIN_SELECTED_SHARE, probability(combined), 0.0)
    chosen = scores.per_leaf((content > best_threshold(content, words)).astype(np.float64))
    return _without(selection, leaves, leaves * (1 - chosen))


def _without(selection: Selection, selected: Floats, vetoed: Floats) -> Selection:
    """Strip the vetoed leaves; single leaves of an element only by selecting the others."""
    if not vetoed.any():
        return selection
    outline = selection.tree.outline
    kept = selected * (1 - vetoed)
    removed = select_leaves(selection.tree, np.flatnonzero(vetoed).tolist()).nodes
    elements = [node for node in removed if not isinstance(node, TextLeaf)]
    if not kept.any() or len(elements) < len(removed):
        return select_leaves(selection.tree, np.flatnonzero(kept).tolist())
    boxes = [_box_around(element, selection, kept) for element in elements]
    stripped = selection.stripped.union(boxes)
    nodes = [node for node in selection.nodes if _has_leaves(node, kept, outline)]
    return replace(selection, nodes=tuple(nodes), stripped=stripped)


def _box_around(element: Element, selection: Selection, kept: Floats) -> Element:
    """Return the outermost element inside a node without kept text: its pictures go, too."""
    outline, nodes = selection.tree.outline, set(selection.nodes)
    for above in element.iterancestors():
        if element in nodes or above in nodes or _has_leaves(above, kept, outline):
            break
        element = above
    return element


def _has_leaves(node: Node, kept: Floats, outline: Outline) -> bool:
    if isinstance(node, TextLeaf):
        return True
    index = outline.positions[node]
    return bool(kept[outline.leaf_starts[index] : outline.leaf_ends[index]].any())


def _selected_leaves(selection: Selection) -> Floats:
    """Return 1 for each text leaf that is selected, 0 for the others."""
    outline = selection.tree.outline
    selected = np.zeros(len(outline.leaf_texts))
    for element in selection.nodes:
        if not isinstance(element, TextLeaf):  # wrappers select elements only
            position = outline.positions[element]
            selected[outline.leaf_starts[position] : outline.leaf_ends[position]] = 1
    for element in selection.stripped:
        if (index := outline.positions.get(element)) is not None:
            selected[outline.leaf_starts[index] : outline.leaf_ends[index]] = 0
    return selected


def _linked_leaves(tree: PageTree) -> Floats:
    """Return 1 for each text leaf in a link to another page of the site, 0 for the others."""
    outline, own_host = tree.outline, urlsplit(tree.url or "").hostname
    linked = np.zeros(len(outline.leaf_texts))
    for index, element in enumerate(outline.elements):
        if element.tag == "a" and _leads_to(own_host, element.get("href") or "#"):
            linked[outline.leaf_starts[index] : outline.leaf_ends[index]] = 1
    return linked


def _leads_to(own_host: str | None, href: str) -> bool:
    """Whether a link leads to another page of the host: a relative one does."""
    try:
        parts = urlsplit(href.strip())
    except ValueError:
        return False
    if parts.scheme not in ("", "http", "https") or not (parts.netloc or parts.path):
        return False
    return not parts.netloc or parts.hostname == own_host


def _find_ad_labels(outline: Outline, scores: BlockScores) -> list[int]:
    """Return the blocks that are nothing but the label of an advertisement."""
    bounds = pairwise(scores.bounds)
    return [
        block
        for block, (start, end) in enumerate(bounds)
        if end - start <= MAX_LABEL_LEAVES and is_ad_label(" ".join(outline.leaf_texts[start:end]))
    ]


def _per_block(leaves: Floats, scores: BlockScores) -> Floats:
    """Return the selected share of each block's leaves; every block has leaves."""
    starts = np.asarray(scores.bounds[:-1])
    shares: Floats = np.add.reduceat(leaves, starts) / np.diff(np.asarray(scores.bounds))
    return shares
