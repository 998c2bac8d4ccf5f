"""The measure of text blocks, on a page whose blocks are labelled by hand."""

from __future__ import annotations

import pytest

from forest_crawler.evaluation.blocks import (
    BLOCK_MEASURES,
    BlockLabels,
    label_blocks,
    score_block_accuracy,
    score_block_words,
    score_blocks,
)
from forest_crawler.evaluation.score import Score
from forest_crawler.page.selection import Selection, select_elements
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath import ElementPath
from tests.support.growth import assert_linear

# Leaves with their words: 0 Home (1), 1 Ferry timetable (2), 2 Ferry returns (2), 3 The ferry is
# (3), 4 back (1), 5 at last (2), 6 a dash, which isn't a block, 7 Crowds cheered (2).
PAGE = """<body><ul><li>Home</li><li>Ferry timetable</li></ul>
<h1>Ferry returns</h1><p>The ferry is <b>back</b> at last.</p><hr>&ndash;
<p>Crowds cheered.</p></body>"""
GOLD = "Ferry returns\nThe ferry is back at last.\nCrowds cheered."
# Web2Text's labels of this page: 2, 3, 4, 5 and 7 are content, with 10 of 13 words.


@pytest.fixture
def tree() -> PageTree:
    return parse_page(PAGE)


def select(tree: PageTree, xpath: str) -> Selection:
    return select_elements(tree, ElementPath(xpath)(tree.body))


def test_blocks_are_the_leaves_with_words(tree: PageTree) -> None:
    labels = label_blocks(tree, GOLD, "")
    assert labels.words == {0: 1, 1: 2, 2: 2, 3: 3, 4: 1, 5: 2, 7: 2}
    assert labels.gold == {2, 3, 4, 5, 7}
    assert not labels.extracted


@pytest.mark.parametrize(
    ("text", "is_content"),
    [
        # "abcdef ghi" has 9 characters in words: 6 are exactly two thirds.
        pytest.param("abcdef", False, id="exactly-two-thirds"),
        pytest.param("abcdef ghi", True, id="all"),
        pytest.param("ghi", False, id="a-third"),
    ],
)
def test_block_is_content_above_two_thirds_of_its_characters(text: str, is_content: bool) -> None:
    labels = label_blocks(parse_page("<p>abcdef ghi"), text, "")
    assert bool(labels.gold) == is_content


def test_most_characters_count_and_not_most_words() -> None:
    # 13 of 15 characters, but one word of three
    labels = label_blocks(parse_page("<p>extraordinary a b"), "extraordinary", "")
    assert labels.gold == {0}


@pytest.mark.parametrize(
    ("xpath", "blocks", "words", "accuracy"),
    [
        pytest.param(
            "//body", Score(5 / 7, 1, 10 / 12), Score(10 / 13, 1, 20 / 23), 5 / 7, id="all"
        ),
        # Leaves 2 to 5 of the five: 8 of 10 words. Leaf 7 has the wrong label.
        pytest.param(
            "//h1|//p[1]", Score(1, 4 / 5, 8 / 9), Score(1, 8 / 10, 16 / 18), 6 / 7, id="no-end"
        ),
        # Leaves 0, 1 and 2: one of five, 2 of 10 words. Leaves 0, 1, 3, 4, 5 and 7 are wrong.
        pytest.param(
            "//ul|//h1", Score(1 / 3, 1 / 5, 2 / 8), Score(2 / 5, 2 / 10, 4 / 15), 1 / 7, id="top"
        ),
        pytest.param("//table", Score(0, 0, 0), Score(0, 0, 0), 2 / 7, id="nothing"),
    ],
)
def test_blocks_are_scored(
    tree: PageTree, xpath: str, blocks: Score, words: Score, accuracy: float
) -> None:
    labels = label_blocks(tree, GOLD, select(tree, xpath))
    assert score_blocks(labels) == blocks
    assert score_block_words(labels) == words
    assert score_block_accuracy(labels).f1 == pytest.approx(accuracy)


def test_text_of_a_method_without_nodes_is_aligned(tree: PageTree) -> None:
    labels = label_blocks(tree, GOLD, "Ferry returns. The ferry is back at last")
    assert labels.extracted == {2, 3, 4, 5}


def test_labelled_nodes_come_before_the_gold_text(tree: PageTree) -> None:
    # body 1, ul 2, li 3, li 4, h1 5, p 6, b 7: the text of p without that of b
    labels = label_blocks(tree, GOLD, "", frozenset([6]))
    assert labels.gold == {3, 5}


@pytest.mark.parametrize("measure", BLOCK_MEASURES)
def test_page_without_blocks_is_right(measure: str) -> None:
    labels = label_blocks(parse_page("<p><img>"), "", "")
    assert BLOCK_MEASURES[measure](labels) == Score(1, 1, 1)


def test_blocks_are_labelled_in_linear_time() -> None:
    def label(size: int) -> BlockLabels:
        story = " ".join(f"word{i}" for i in range(size))
        paragraphs = "".join(f"<p>word{i}" for i in range(size))
        return label_blocks(parse_page(f"<ul>{'<li>menu' * size}</ul>{paragraphs}"), story, story)

    assert_linear(lambda size: lambda: label(size), 5_000)
