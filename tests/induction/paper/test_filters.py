"""Filters: leaves in which signifiers don't count."""

from __future__ import annotations

from types import MappingProxyType

from forest_crawler.induction.paper.filters import ignore_anchors, ignore_comments, ignore_copies
from forest_crawler.induction.significant_paths import (
    SignificantPage,
    locate_signifiers,
    page_terms,
)
from forest_crawler.induction.signifiers import Signifiers
from forest_crawler.page.tree import parse_page
from forest_crawler.text.terms import analyzer_for


def locate(html: str, *signifiers: str) -> SignificantPage:
    terms = page_terms(parse_page(f"<html lang=xx>{html}"), analyzer_for("xx"))
    return locate_signifiers(terms, Signifiers(MappingProxyType(dict.fromkeys(signifiers, 1.0))))


def test_a_leaf_of_which_half_is_the_entry_is_a_copy() -> None:
    page = locate("<h1>ferry pier</h1><p>ferry sank</p><p>ferry sank slowly</p>", "ferry")
    assert page.hits == [1, 1, 1]
    assert ignore_copies(page, {"ferry", "pier"}).hits == [0, 0, 1]


def test_terms_of_the_entry_that_are_not_signifiers_make_a_copy_too() -> None:
    page = locate("<p>ferry left early today</p><p>ferry sank near town</p>", "ferry")
    assert ignore_copies(page, {"ferry", "left", "early"}).hits == [0, 1]


def test_copies_count_if_the_page_has_nothing_else() -> None:
    page = locate("<h1>ferry pier</h1><p>sank</p>", "ferry")
    assert ignore_copies(page, {"ferry", "pier"}).hits == [1, 0]


def test_signifiers_do_not_count_in_lists_of_anchors() -> None:
    # One link in a sentence, or alone, is no list.
    page = locate(
        "<ul><li><a href=1>ferry sails</a><li><a href=2>ferry</a></ul>"
        "<p>the <a href=3>ferry</a> sank yesterday</p><div><a href=4>ferry</a></div>",
        "ferry",
    )
    assert page.hits == [1, 1, 0, 1, 0, 1]
    assert ignore_anchors(page).hits == [0, 0, 0, 1, 0, 1]


def test_signifiers_do_not_count_below_a_value_with_comment() -> None:
    page = locate(
        "<p>ferry</p><div id=Comments-2><p>ferry</p></div><p data-x='x comment'>ferry</p>", "ferry"
    )
    assert ignore_comments(page).hits == [1, 0, 0]
