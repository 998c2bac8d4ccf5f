"""The Forest ranker over portable patterns, with numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from forest_crawler.induction.informativeness import signifier_density, unexpectedness
from forest_crawler.induction.ranking import RankerOptions, rank_locators
from forest_crawler.induction.scored_page import LeafEvidence, ScoredPage
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.locators import Locator, Step

STORY: Locator = (Step("//", "div", (("id", "story"),)),)
PARAGRAPHS: Locator = (*STORY, Step("/", "p"))
BODY: Locator = (Step("//", "body"),)
ABSENT: Locator = (Step("//", "article"),)

# body 1, ul 2, div 2, p 3: leaves menu | first | second
PAGE = "<ul>menu</ul><div id=story><p>first</p><p>second</p></div>"


def scored(signifiers: list[int], terms: list[int], source: str = PAGE) -> ScoredPage:
    names = PageNames(parse_page(source).outline)
    ones = np.ones(len(terms))
    return ScoredPage(names, ones, LeafEvidence.of_leaves(ones), signifiers, terms)


def test_relevance_is_informativeness_times_pages_times_level() -> None:
    # X = 4, Y = 8. The story has x = 4, y = 2:
    # J = (4.5 - sqrt(4.5 · 2.5 / 6)) / 7 = 0.4472, U = 6 ln 12 - 4 ln 4 - 2 ln 8 = 5.2054
    pages = [scored([0, 3, 1], [6, 4, 2])] * 2
    (row,) = rank_locators([STORY], pages)
    assert (row.x, row.y, row.pages, row.level) == (8, 4, 2, 2)
    assert row.j == pytest.approx(0.4472, abs=1e-4)
    assert row.u == pytest.approx(5.2054, abs=1e-4)
    assert row.informativeness == pytest.approx(2 * 0.4472 * 5.2054, abs=1e-3)
    assert row.relevance == pytest.approx(2 * 0.4472 * 5.2054 * 2 * 2, abs=1e-2)


def test_all_elements_of_a_pattern_on_a_page_count_together() -> None:
    (row,) = rank_locators([PARAGRAPHS], [scored([0, 3, 1], [6, 4, 2])])
    assert (row.x, row.y, row.level) == (4, 2, 3)


def test_the_level_is_the_mean_over_the_pages_that_have_the_pattern() -> None:
    deeper = f"<main>{PAGE}</main>"
    pages = [scored([0, 3, 1], [6, 4, 2]), scored([0, 3, 1], [6, 4, 2], deeper)]
    (row,) = rank_locators([STORY], pages)
    assert row.level == 2.5


def test_patterns_are_sorted_by_relevance_with_absent_ones_last() -> None:
    rows = rank_locators([ABSENT, BODY, STORY, PARAGRAPHS], [scored([0, 3, 1], [6, 4, 2])])
    assert [row.locator for row in rows] == [PARAGRAPHS, STORY, BODY, ABSENT]
    assert (rows[-1].relevance, rows[-1].pages) == (0, 0)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param(RankerOptions(measure="J"), signifier_density(4, 2) * 2, id="J"),
        pytest.param(RankerOptions(measure="U"), unexpectedness(4, 2, 4, 8) * 2, id="U"),
        pytest.param(
            RankerOptions(level_factor=False),
            signifier_density(4, 2) * unexpectedness(4, 2, 4, 8),
            id="without-level",
        ),
    ],
)
def test_each_factor_can_be_left_out(options: RankerOptions, expected: float) -> None:
    (row,) = rank_locators([STORY], [scored([0, 3, 1], [6, 4, 2])], options)
    assert row.relevance == pytest.approx(expected)


def test_the_number_of_pages_can_be_left_out() -> None:
    pages = [scored([0, 3, 1], [6, 4, 2])] * 3
    (with_it,) = rank_locators([STORY], pages)
    (without,) = rank_locators([STORY], pages, RankerOptions(frequency_factor=False))
    assert with_it.relevance == pytest.approx(3 * without.relevance)
