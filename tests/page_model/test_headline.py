"""Blocks relative to the headline, with expected values counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from forest_crawler.metadata.statement import read_statement
from forest_crawler.page.tree import parse_page
from forest_crawler.page_model.division import divide_blocks
from forest_crawler.page_model.features import Features, compute_features
from forest_crawler.page_model.headline import find_title_block
from forest_crawler.page_model.layout import NOWHERE, measure_layout

TITLE = "<title>The ferry is back</title>"
# Words of the blocks: 4 + 4 + 2 + 10 = 20.
PAGE = (
    TITLE
    + "<div class=story><h1>The ferry is back</h1><div><p>It runs every hour.</p></div></div>"
    + "<div class=related-stories><article><h1>Other news</h1>"
    + "<p>a b c d e f g h i j</p></article></div>"
)


def features_of(html: str) -> Features:
    tree = parse_page(html)
    return compute_features(measure_layout(divide_blocks(tree)), read_statement(tree))


def column(html: str, name: str) -> list[float]:
    return [round(value, 2) for value in map(float, features_of(html).column(name))]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Common ancestors: h1 itself, .story for the paragraph (1 up), body for the rest (2 up).
        ("up from headline", [0, 1, 2, 2]),
        # From .story through div to p: 2; from body through .related-stories, article, h1: 3.
        ("down to block", [0, 2, 3, 3]),
        # h1 has 4 of 20 words, .story 8, body all.
        ("share with headline", [0.2, 0.4, 1, 1]),
        ("alike headings", [0, 0, 1, 1]),
    ],
)
def test_a_block_is_measured_by_its_common_ancestor_with_the_headline(
    name: str, expected: list[float]
) -> None:
    assert column(PAGE, name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("around related", [NOWHERE, NOWHERE, 0.6, 0.6]),
        ("around article", [NOWHERE, NOWHERE, 0.6, 0.6]),
        ("around comment", [NOWHERE] * 4),
    ],
)
def test_a_block_is_measured_by_the_part_around_it(name: str, expected: list[float]) -> None:
    assert column(PAGE, name) == expected


def test_the_outermost_part_counts_and_not_the_nearest() -> None:
    inner = "<div class=comment><p>a b c</p></div><div class=comment><p>d</p></div>"
    page = TITLE + f"<h1>The ferry is back</h1><div id=comments>{inner}</div>"
    # #comments has 4 of 8 words; each .comment less.
    assert column(page, "around comment") == [NOWHERE, 0.5, 0.5]


def test_an_element_with_the_headline_is_not_a_part() -> None:
    page = TITLE + "<div class=related><h1>The ferry is back</h1><p>a b c d</p></div><p>e"
    assert column(page, "around related") == [NOWHERE] * 3


def test_without_a_headline_small_elements_are_parts() -> None:
    page = "<ul class=comments><li>a b</ul><div class=comments-page><p>c d e f g h i j</p></div>"
    # Of ten words, the first has 0.2, the second 0.8: no more than the max share of a part.
    assert column(page, "around comment") == [0.2, 0.8]
    page = "<div class=comments><p>a b c d e</p></div><p>f"
    # Five of six words are more than that share.
    assert column(page, "around comment") == [NOWHERE, NOWHERE]
    assert column(page, "up from headline") == [-1, -1]
    assert column(page, "share with headline") == [NOWHERE, NOWHERE]


def test_a_heading_is_preferred_to_a_menu_entry_with_the_same_text() -> None:
    assert find_title_block(np.array([1.0, 1.0]), np.array([0.0, 1.0])) == 1
    assert find_title_block(np.array([0.9, 0.5]), np.array([0.0, 1.0])) == 0  # 0.75 with its tag
    assert find_title_block(np.array([0.4, 0.0]), np.array([1.0, 1.0])) is None
    assert find_title_block(np.zeros(0), np.zeros(0)) is None
