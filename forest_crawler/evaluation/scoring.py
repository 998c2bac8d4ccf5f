"""An extraction and the page's gold → its scores by every measure that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from forest_crawler.errors import EmptyPageError, UnknownNameError
from forest_crawler.evaluation.measures import TEXT_MEASURES, set_score
from forest_crawler.evaluation.nodes import node_score
from forest_crawler.evaluation.score import Score
from forest_crawler.evaluation.subject import Subject
from forest_crawler.page.selection import Selection

NODES: Final = "nodes"
MEASURES: Final = (*TEXT_MEASURES, NODES)
DEFAULT_MEASURE: Final = "bigrams"
"""The Forest paper's own."""


def check_measures(names: Sequence[str]) -> None:
    """Raise `UnknownNameError` at the first name that is no measure's."""
    for name in names:
        if name not in MEASURES:
            raise UnknownNameError("measure", name, list(MEASURES))


def extracted_text(extracted: Selection | str) -> str:
    """The text of nodes, or the text that it is already."""
    return extracted.text if isinstance(extracted, Selection) else extracted


def score_page(
    subject: Subject, extracted: Selection | str, measures: Sequence[str]
) -> dict[str, Score]:
    """Score what was extracted from a page; a page without gold counts as one without article."""
    gold, text = subject.page.gold or "", extracted_text(extracted)
    return {
        name: _score_nodes(subject, gold, extracted)
        if name == NODES
        else TEXT_MEASURES[name](gold, text)
        for name in measures
    }


def _score_nodes(subject: Subject, gold: str, extracted: Selection | str) -> Score:
    try:
        tree = subject.tree
    except EmptyPageError:
        return set_score(gold, "")  # no nodes: right only where nothing is wanted
    if isinstance(extracted, Selection) and extracted.tree is not tree:
        extracted = extracted.text  # nodes of something else, such as a feed entry
    return node_score(tree, gold, extracted)
