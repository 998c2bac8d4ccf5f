"""What every site method shares: the sample's language, and refused input."""

from __future__ import annotations

import pytest

from forest_crawler.errors import SampleError, UnknownNameError
from forest_crawler.induction import explain_induction, induce
from forest_crawler.page.tree import parse_page

PAGES = [parse_page(f"<html lang=xx><p>{word}") for word in ("ferry", "bakery")]


def test_the_samples_language_is_that_of_most_pages() -> None:
    # English stems 'ferries' to 'ferri' and drops 'the'; xx, which isn't a language, keeps both.
    pages = [
        parse_page(f"<html lang={language}><p>the {word}")
        for language, word in (("en", "ferries"), ("xx", "bakeries"), ("en-GB", "galleries"))
    ]
    found = explain_induction(pages, method="forest-paper")
    signifiers = [list(page.signifiers.weights) for page in found.pages]
    assert signifiers == [["ferri"], ["bakeri"], ["galleri"]]


def test_the_language_is_detected_if_pages_do_not_declare_it() -> None:
    pages = [
        parse_page(f"<p>Die {things} standen gestern noch in der alten Straße am Hafen.")
        for things in ("Häuser", "Bäume")
    ]
    found = explain_induction(pages, method="forest-paper")
    assert "haus" in found.pages[0].signifiers


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_pages_are_refused(count: int) -> None:
    with pytest.raises(SampleError, match="at least 2") as caught:
        induce(PAGES[:count], site="gazette")
    assert caught.value.site == "gazette"


def test_an_unknown_method_is_refused_with_a_list_of_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown site method 'x'; known: "):
        induce(PAGES, method="x")
