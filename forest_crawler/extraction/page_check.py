"""Check a wrapper's selection against the page model, on the page itself.

Sibling pages show what repeats; the page shows what it says. So on a wrapper's first pages, and on
a share of later ones, both judge: a strip rule does not take what the page model is sure about, a
young wrapper's selection is subject to the veto, and if the page model's own choice has the greater
expected F1 by both together, the wrapper does not fit the page.

On labelled sites, where the two differ the wrapper is mostly right, so it has the greater weight,
by how far it is trusted. The figures are in docs/explanation/evaluation.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from forest_crawler.extraction.page_veto import WRAPPER_WEIGHT, veto_blocks
from forest_crawler.induction.page_scores import score_sample
from forest_crawler.induction.sibling_evidence import (
    Floats,
    count_words,
    log_odds,
)
from forest_crawler.page.kept_parts import find_kept_leaves
from forest_crawler.page.outline import TextLeaf
from forest_crawler.page.selection import Selection, select_leaves
from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.choice import choose_blocks
from forest_crawler.page_model.model import score_blocks
from forest_crawler.page_model.odds import probability
from forest_crawler.wrapper.wrapper import Wrapper

SURELY_CONTENT = 0.7
"""Mean probability from which a strip rule does not take an element on this page."""

RESTORED_WORDS = 12
"""Min words of an element that a strip rule does not take: a line of running text."""

TRUST_WEIGHT = 6.0
"""Log-odds per trust above `NO_TRUST`: a wrapper of ten good pages has 3, twenty to one."""

NO_TRUST = 0.4
"""Trust up to which a wrapper's word counts for nothing against the page model's."""


@dataclass(frozen=True, slots=True, eq=False)
class PageCheck:
    """What a page says about its wrapper's selection."""

    selection: Selection  # the better one of the wrapper's and the page model's
    is_misfit: bool  # whether that is the page model's
    agreement: float  # F1 of the words that both select
    quality: float  # the F1 to expect of `selection`
    eaten_by: tuple[str, ...]  # strip rules that would have taken content


def check_selection(wrapper: Wrapper, selection: Selection, *, may_veto: bool = False) -> PageCheck:
    """Compare a wrapper's selection with the page model's choice.

    About captions, quotations and code inside the selection the page model's word does not count.
    """
    tree = selection.tree
    likely, words = _judge_leaves(tree), count_words(tree)
    selection, eaten_by = _restore(wrapper, selection, likely, words)
    if may_veto:
        selection = veto_blocks(selection) or selection
    mine = _leaf_mask(selection)
    kept_parts = mine * find_kept_leaves(tree.outline)
    chosen = np.maximum(_choose_leaves(tree), kept_parts)
    weight = max(TRUST_WEIGHT * (wrapper.trust - NO_TRUST), 0.0)
    odds = np.where(kept_parts > 0, WRAPPER_WEIGHT, log_odds(likely))
    joint = words * probability(odds + weight * (2 * mine - 1))
    f1, page_f1 = _expected_f1(mine, words, joint), _expected_f1(chosen, words, joint)
    agreement = _f1((words * mine * chosen).sum(), (words * mine).sum(), (words * chosen).sum())
    if is_misfit := page_f1 > f1:
        selection = select_leaves(tree, np.flatnonzero(chosen).tolist())
    return PageCheck(selection, is_misfit, agreement, max(f1, page_f1), eaten_by)


def estimate_quality(tree: PageTree) -> float:
    """Return the F1 to expect of the page model's own choice."""
    words = count_words(tree)
    return _expected_f1(_choose_leaves(tree), words, words * _judge_leaves(tree))


def _judge_leaves(tree: PageTree) -> Floats:
    (scores,) = score_sample([tree], [score_blocks(tree).features])
    return scores.per_leaf(scores.content)


def _choose_leaves(tree: PageTree) -> Floats:
    scored = score_blocks(tree)
    blocks = scored.features.layout.blocks
    if not len(blocks):
        return np.zeros(0)
    return np.repeat(choose_blocks(scored), np.diff(blocks.starts)).astype(np.float64)


def _restore(
    wrapper: Wrapper, selection: Selection, likely: Floats, words: Floats
) -> tuple[Selection, tuple[str, ...]]:
    """Keep what strip rules would take although the page model is sure that it is content."""
    outline, nodes = selection.tree.outline, set(selection.nodes)
    restored, eaten_by = set(), []
    for rule, elements in wrapper.find_stripped(selection.tree).items():
        for element in elements:
            index = outline.positions.get(element)
            if index is None or not any(above in nodes for above in element.iterancestors()):
                continue
            leaves = slice(outline.leaf_starts[index], outline.leaf_ends[index])
            total = float(words[leaves].sum())
            hits = float((words[leaves] * likely[leaves]).sum())
            if total >= RESTORED_WORDS and hits >= SURELY_CONTENT * total:
                restored.add(element)
                eaten_by.append(rule)
    if not restored:
        return selection, ()
    kept = replace(selection, stripped=selection.stripped - restored)
    return kept, tuple(dict.fromkeys(eaten_by))


def _leaf_mask(selection: Selection) -> Floats:
    """Return 1 for each text leaf that is selected, 0 for the others."""
    outline = selection.tree.outline
    selected = np.zeros(len(outline.leaf_texts))
    single = {(it.element, it.is_tail) for it in selection.nodes if isinstance(it, TextLeaf)}
    if single:
        leaves = enumerate(outline.leaves)
        selected[[i for i, leaf in leaves if (leaf.element, leaf.is_tail) in single]] = 1
    for elements, value in ((selection.nodes, 1), (selection.stripped, 0)):
        for element in elements:
            index = None if isinstance(element, TextLeaf) else outline.positions.get(element)
            if index is not None:
                selected[outline.leaf_starts[index] : outline.leaf_ends[index]] = value
    return selected


def _expected_f1(mask: Floats, words: Floats, hits: Floats) -> float:
    return _f1((mask * hits).sum(), (mask * words).sum(), hits.sum())


def _f1(common: float, size: float, other: float) -> float:
    return float(2 * common / (size + other)) if size + other > 0 else 0.0
