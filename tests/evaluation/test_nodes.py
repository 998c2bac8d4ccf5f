"""The measure of DOM nodes, on pages whose nodes are counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.evaluation.nodes import aligned_leaves, node_score, selected_leaves
from forest_crawler.evaluation.score import Score
from forest_crawler.page.selection import Selection, select_elements, select_leaves
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath import ElementPath

# body: div#menu (a, a), div#story (h1, p (b), img, p), 9 elements; leaves in brackets.
PAGE = """<body><div id=menu><a>Home</a><a>Ferry timetable</a></div>
<div id=story><h1>Ferry returns</h1><p>The ferry is <b>back</b> at last.</p><img src=x>
<p>Crowds cheered.</p></div></body>"""
GOLD = "Ferry returns\nThe ferry is back at last.\nCrowds cheered."
# The content: div#story, h1, p, b, img, p (6 elements) and 5 leaves.
CONTENT = 11


@pytest.fixture
def tree() -> PageTree:
    return parse_page(PAGE)


def select(tree: PageTree, xpath: str, stripped: str = "./nothing") -> Selection:
    return select_elements(tree, ElementPath(xpath)(tree.body), ElementPath(stripped)(tree.body))


def leaf_texts(tree: PageTree, gold: str) -> list[str]:
    return [tree.outline.leaves[i].text.strip() for i in aligned_leaves(tree, gold)]


def test_gold_is_aligned_with_its_leaves_and_not_with_the_same_words_elsewhere(
    tree: PageTree,
) -> None:
    assert leaf_texts(tree, GOLD) == [
        "Ferry returns",
        "The ferry is",
        "back",
        "at last.",
        "Crowds cheered.",
    ]


def test_leaf_is_content_when_more_than_half_of_its_words_are_gold() -> None:
    tree = parse_page("<p>one two three four</p><p>five six</p>")
    assert leaf_texts(tree, "one two three five") == ["one two three four"]


def test_wordless_leaf_is_content_only_between_content() -> None:
    tree = parse_page("<p>*</p><p>one two</p><p>-</p><p>three four</p><p>+</p><p>five</p>")
    assert leaf_texts(tree, "one two three four") == ["one two", "-", "three four"]


@pytest.mark.parametrize(
    ("xpath", "expected"),
    [
        pytest.param("//div[@id='story']", Score(1, 1, 1), id="the-story"),
        # body, div#menu, a, a and two leaves more: 17 nodes
        pytest.param("//div", Score(11 / 17, 1, 22 / 28), id="both-blocks-are-the-body"),
        # h1 and its leaf
        pytest.param("//h1", Score(1, 2 / CONTENT, 4 / 13), id="headline"),
        # a and its leaf, nothing of it content
        pytest.param("//a[1]", Score(0, 0, 0), id="menu"),
        pytest.param("//table", Score(0, 0, 0), id="nothing"),
    ],
)
def test_selected_nodes_are_counted(tree: PageTree, xpath: str, expected: Score) -> None:
    assert node_score(tree, GOLD, select(tree, xpath)) == expected


def test_stripped_nodes_are_not_retrieved(tree: PageTree) -> None:
    # Without h1, div#story is incomplete. p, b, p and 4 leaves remain of 11; img was in the div.
    selection = select(tree, "//div[@id='story']", "//h1")
    assert node_score(tree, GOLD, selection) == Score(1, 7 / CONTENT, 14 / 18)


def test_selecting_the_children_is_selecting_the_parent(tree: PageTree) -> None:
    assert node_score(tree, GOLD, select(tree, "//h1|//p")) == Score(1, 1, 1)


def test_text_of_a_method_without_nodes_is_aligned_too(tree: PageTree) -> None:
    # h1 with its leaf, and the first p with b and three leaves: 7 nodes, all content
    text = "Ferry returns The ferry is back at last"
    assert node_score(tree, GOLD, text) == Score(1, 7 / CONTENT, 14 / 18)


@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        pytest.param("", "", Score(1, 1, 1), id="both-empty"),
        pytest.param("", GOLD, Score(0, 0, 0), id="empty-gold"),
        pytest.param(GOLD, "", Score(0, 0, 0), id="empty-extraction"),
        pytest.param("words of another page", "", Score(1, 1, 1), id="gold-not-in-the-page"),
    ],
)
def test_empty_sets_of_nodes_are_right_only_together(
    tree: PageTree, gold: str, text: str, expected: Score
) -> None:
    assert node_score(tree, gold, text) == expected


@given(st.sets(st.integers(0, 6)))
def test_selected_leaves_are_those_of_the_selection(leaves: set[int]) -> None:
    tree = parse_page(PAGE)
    assert selected_leaves(select_leaves(tree, leaves)) == sorted(leaves)


# dfs numbers: body 1, div#menu 2, a 3, a 4, div#story 5, h1 6, p 7, b 8, img 9, p 10
STORY = frozenset(range(5, 11))


@pytest.mark.parametrize(
    ("xpath", "expected"),
    [
        pytest.param("//div[@id='story']", Score(1, 1, 1), id="the-story"),
        # All but the div itself and img: h1, p, b, p and 5 leaves.
        pytest.param("//h1|//p", Score(1, 9 / CONTENT, 18 / 20), id="children-are-not-the-parent"),
        pytest.param("//img", Score(1, 1 / CONTENT, 2 / 12), id="image-alone"),
        pytest.param("//div", Score(11 / 16, 1, 22 / 27), id="both-blocks-are-not-the-body"),
        pytest.param("//table", Score(0, 0, 0), id="nothing"),
    ],
)
def test_labelled_nodes_are_compared_with_the_selected_ones(
    tree: PageTree, xpath: str, expected: Score
) -> None:
    assert node_score(tree, "", select(tree, xpath), STORY) == expected


def test_stripped_nodes_are_not_among_the_selected_ones(tree: PageTree) -> None:
    # Without h1 and its leaf, 9 of 11 nodes are left.
    selection = select(tree, "//div[@id='story']", "//h1")
    assert node_score(tree, "", selection, STORY) == Score(1, 9 / CONTENT, 18 / 20)


def test_missed_image_costs_recall_against_labelled_nodes(tree: PageTree) -> None:
    selection = select(tree, "//div[@id='story']", "//img")
    assert node_score(tree, "", selection, STORY) == Score(1, 10 / CONTENT, 20 / 21)


def test_text_is_aligned_before_it_is_compared_with_labelled_nodes(tree: PageTree) -> None:
    # The text covers div#story, and with it the image.
    assert node_score(tree, "", GOLD, STORY) == Score(1, 1, 1)
    # Of the image, the last p and its leaf, the text covers two.
    assert node_score(tree, "", "Crowds cheered", frozenset([9, 10])) == Score(1, 2 / 3, 4 / 5)
