"""Significant paths, element types and structural patterns of trees counted by hand."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from forest_crawler.induction.paper.patterns import (
    ElementType,
    Occurrence,
    StructuralPattern,
    exact_type,
    find_patterns,
    tolerant_form,
    tolerant_type,
)
from forest_crawler.induction.significant_paths import (
    SignificantPage,
    locate_signifiers,
    page_terms,
    significant_elements,
)
from forest_crawler.induction.signifiers import Signifiers
from forest_crawler.page.tree import parse_page
from forest_crawler.text.terms import analyzer_for

# Without a language, terms are the words themselves.
WORDS = analyzer_for("xx")


def significant_page(page: str, **weights: float) -> SignificantPage:
    terms = page_terms(parse_page(page), WORDS)
    return locate_signifiers(terms, Signifiers(MappingProxyType(weights)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("post wrapper-02", "post"),  # the paper's example
        ("post wrapper-09", "post"),
        ("story-4711", "story-"),
        ("4711", ""),
        ("  first second", "first"),
        ("a1b2c3", "abc"),
        ("", ""),
        (" \n ", ""),
        ("text-align:justify;", "text-align:justify;"),  # the paper's figure 3
    ],
)
def test_the_tolerant_form_is_the_first_token_without_digits(value: str, expected: str) -> None:
    assert tolerant_form(value) == expected


@pytest.mark.parametrize(
    ("markup", "tolerant", "exact"),
    [
        pytest.param(
            "<div id=container class='post wrapper-02'>",
            ElementType("div", (("class", "post"), ("id", "container"))),
            ElementType("div", (("class", "post wrapper-02"), ("id", "container"))),
            id="sorted-attributes",
        ),
        pytest.param("<p>", ElementType("p", dfs=2), ElementType("p", dfs=2), id="no-attributes"),
        pytest.param(
            "<p id=12>",
            ElementType("p", (("id", ""),)),
            ElementType("p", (("id", "12"),)),
            id="value-of-digits",
        ),
        pytest.param(
            "<p dfs=9 level=x>", ElementType("p", dfs=2), ElementType("p", dfs=2), id="own-dfs"
        ),
        pytest.param(
            "<p {{x}} @click=go>",
            ElementType("p", (("@click", "go"), ("{{x}}", ""))),
            ElementType("p", (("@click", "go"), ("{{x}}", ""))),
            id="odd-names",
        ),
    ],
)
def test_the_element_type_is_tag_and_attributes_or_tag_and_dfs(
    markup: str, tolerant: ElementType, exact: ElementType
) -> None:
    element = parse_page(f"{markup}x").outline.elements[1]
    assert tolerant_type(element, 2) == tolerant
    assert exact_type(element, 2) == exact


# body 1, div 2, p 3, b 4, p 5, ul 6, li 7
PAGE = (
    "<div class=story><p>ferry pier <b>ferry</b> sails</p><p>ferry today</p></div>"
    "<ul><li>home</li></ul>pier"
)


def test_leaves_that_hold_a_signifier_are_significant() -> None:
    page = significant_page(PAGE, ferry=0.8, pier=0.4)
    # leaves: 'ferry pier', 'ferry', 'sails', 'ferry today', 'home', 'pier'
    assert page.hits == [2, 1, 0, 1, 0, 1]
    assert (page.x, page.y) == (5, 3)


def test_significant_paths_lead_from_body_to_significant_leaves() -> None:
    page = significant_page(PAGE, ferry=0.8, pier=0.4)
    # indices, dfs - 1: body, div, p, b, p; neither ul nor li
    assert significant_elements(page) == [0, 1, 2, 3, 4]
    assert significant_elements(significant_page(PAGE, sails=1)) == [0, 1, 2]
    assert significant_elements(significant_page(PAGE, absent=1)) == []


def test_terms_are_counted_in_every_element_on_a_significant_path() -> None:
    found = find_patterns([significant_page(PAGE, ferry=0.75, pier=0.5)])
    story = ElementType("div", (("class", "story"),))
    assert found == {
        # ferry · 3, pier · 2; sails, today, home
        StructuralPattern(ElementType("body", dfs=1), 1): [Occurrence(0, 1, 5, 3, 1.25)],
        # ferry · 3, pier; sails, today
        StructuralPattern(story, 2): [Occurrence(0, 2, 4, 2, 1.25)],
        # ferry · 2, pier; sails
        StructuralPattern(ElementType("p", dfs=3), 3): [Occurrence(0, 3, 3, 1, 1.25)],
        StructuralPattern(ElementType("b", dfs=4), 4): [Occurrence(0, 4, 1, 0, 0.75)],
        StructuralPattern(ElementType("p", dfs=5), 3): [Occurrence(0, 5, 1, 1, 0.75)],
    }


def test_an_element_on_two_levels_is_two_patterns() -> None:
    # The paper's figure 3: div.idem at dfs 21 and 29 is counted apart, since the levels differ.
    found = find_patterns([significant_page("<div class=idem>x<div class=idem>x", x=1)])
    idem = ElementType("div", (("class", "idem"),))
    assert [p.level for p in found if p.type == idem] == [2, 3]


def test_pages_with_the_same_element_type_and_level_share_a_pattern() -> None:
    pages = [
        significant_page("<br><div class='post wrapper-02'>x", x=1),
        significant_page("<div class='post wrapper-09'>x y", y=1),
    ]
    post = StructuralPattern(ElementType("div", (("class", "post"),)), 2)
    assert find_patterns(pages)[post] == [Occurrence(0, 3, 1, 0, 1), Occurrence(1, 2, 1, 1, 1)]
    exact = find_patterns(pages, exact_type)
    assert post not in exact
    assert len([p for p in exact if p.type.tag == "div"]) == 2


def test_elements_of_one_pattern_on_one_page_are_all_found() -> None:
    found = find_patterns([significant_page("<p class=a>x<p class=a>y<p class=a>x x", x=1)])
    occurrences = found[StructuralPattern(ElementType("p", (("class", "a"),)), 2)]
    # dfs 3 has no signifier
    assert [(it.dfs, it.x) for it in occurrences] == [(2, 1), (4, 2)]


def test_a_signifier_counts_once_towards_coverage() -> None:
    found = find_patterns([significant_page("<p>a a<b>a b</b>", a=0.5, b=0.25)])
    covered = {p.type.tag: occurrences[0].covered for p, occurrences in found.items()}
    assert covered == {"body": 0.75, "p": 0.75, "b": 0.75}
    found = find_patterns([significant_page("<p>a<b>b</b><i>b</i>", a=0.5, b=0.25)])
    covered = {p.type.tag: occurrences[0].covered for p, occurrences in found.items()}
    assert covered == {"body": 0.75, "p": 0.75, "b": 0.25, "i": 0.25}
