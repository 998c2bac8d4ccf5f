"""The headline is compared as the gold treats it, whatever the method does with it."""

from __future__ import annotations

import pytest

from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.evaluation.scoring import score_page
from forest_crawler.evaluation.subject import Subject
from forest_crawler.evaluation.titles import join_title

TITLES = ["Ferry returns", "Ferry returns | Gazette"]
LONG = "The ferry came back to the old pier on Monday morning, as it had been told. " * 4


@pytest.mark.parametrize(
    ("text", "gold", "joined"),
    [
        ("It sails.", "Ferry returns\n\nIt sails.", "Ferry returns\nIt sails."),
        ("It sails.", "It sails.", "It sails."),
        ("Ferry returns\nIt sails.", "FERRY RETURNS\nIt sails.", "Ferry returns\nIt sails."),
        ("Ferry returns\nIt sails.", "It sails.", "It sails."),
        ("Harbour\nFerry returns!\nIt sails.", "It sails.", "Harbour\nIt sails."),
        ("It sails.", "Harbour: Ferry returns\nIt sails.", "Ferry returns\nIt sails."),
        ("It sails.", f"{LONG}\nFerry returns\nIt sails.", "It sails."),
        ("It sails.", f"Ferry returns | Gazette {LONG}", "Ferry returns\nIt sails."),
        ("Ferry returns", "Something else", "Ferry returns"),
        ("", "Ferry returns\nIt sails.", ""),
    ],
    ids="added neither both removed kicker label in-the-body one-line nothing-left no-text".split(),
)
def test_title_and_text_are_joined_where_the_gold_has_the_title(
    text: str, gold: str, joined: str
) -> None:
    assert join_title(text, gold, TITLES) == joined


def test_a_page_without_a_title_is_compared_as_it_is() -> None:
    assert join_title("It sails.", "Ferry returns\nIt sails.", []) == "It sails."


@pytest.mark.parametrize("text", ["It sails again.", "Ferry returns\nIt sails again."])
@pytest.mark.parametrize("gold", ["It sails again.", "Ferry returns\nIt sails again."])
def test_a_score_does_not_depend_on_where_a_method_has_the_title(text: str, gold: str) -> None:
    source = "<title>Ferry returns</title><p>It sails again."
    subject = Subject(LabelledPage("a", "s", None, source, gold))
    assert score_page(subject, text, ["bigrams"])["bigrams"].f1 == 1


def test_a_page_without_a_tree_is_scored_by_its_text() -> None:
    subject = Subject(LabelledPage("a", "s", None, "", "It sails again."))
    assert score_page(subject, "It sails again.", ["bigrams"])["bigrams"].f1 == 1
