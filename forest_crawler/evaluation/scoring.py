"""Score an extraction by several measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from forest_crawler.errors import EmptyPageError, UnknownNameError
from forest_crawler.evaluation.blocks import BLOCK_MEASURES, label_blocks
from forest_crawler.evaluation.captions import drop_captions
from forest_crawler.evaluation.measures import TEXT_MEASURES, set_score
from forest_crawler.evaluation.nodes import node_score
from forest_crawler.evaluation.score import Score
from forest_crawler.evaluation.subject import Subject
from forest_crawler.evaluation.titles import join_title
from forest_crawler.page.selection import Selection

NODES: Final = "nodes"
MEASURES: Final = (*TEXT_MEASURES, NODES, *BLOCK_MEASURES)
DEFAULT_MEASURE: Final = "bigrams"
"""That of the Forest paper."""


def check_measures(names: Sequence[str]) -> None:
    """Raise `UnknownNameError` for the first name that isn't a measure."""
    for name in names:
        if name not in MEASURES:
            raise UnknownNameError("measure", name, list(MEASURES))


def extracted_text(extracted: Selection | str) -> str:
    """Return the text of selected nodes, or the text itself."""
    return extracted.text if isinstance(extracted, Selection) else extracted


def score_page(
    subject: Subject, extracted: Selection | str, measures: Sequence[str]
) -> dict[str, Score]:
    """Score the extraction of a page; without gold, an empty text is right.

    The measures of texts compare title and text together where the gold has the title, and captions
    where it has them.
    """
    gold = subject.page.gold or ""
    text = join_title(extracted_text(extracted), gold, subject.titles)
    text = drop_captions(text, gold, subject.captions)
    scores = {name: TEXT_MEASURES[name](gold, text) for name in measures if name in TEXT_MEASURES}
    if others := [name for name in measures if name not in TEXT_MEASURES]:
        scores |= _score_on_tree(subject, gold, extracted, others)
    return {name: scores[name] for name in measures}


def _score_on_tree(
    subject: Subject, gold: str, extracted: Selection | str, measures: Sequence[str]
) -> dict[str, Score]:
    """Score by the measures that compare nodes or blocks of the page."""
    try:
        tree = subject.tree
    except EmptyPageError:  # without nodes, only an empty gold is right
        return dict.fromkeys(measures, set_score(gold, ""))
    if isinstance(extracted, Selection) and extracted.tree is not tree:
        extracted = extracted.text  # nodes of another tree, such as that of a feed entry
    nodes = subject.page.gold_nodes
    scores = {}
    if NODES in measures:
        scores[NODES] = node_score(tree, gold, extracted, nodes)
    if by_blocks := [name for name in measures if name in BLOCK_MEASURES]:
        labels = label_blocks(tree, gold, extracted, nodes)
        scores |= {name: BLOCK_MEASURES[name](labels) for name in by_blocks}
    return scores
