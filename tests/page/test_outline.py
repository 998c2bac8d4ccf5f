"""Elements and text leaves are numbered depth-first."""

from __future__ import annotations

from forest_crawler.page.tree import parse_page

HAND_TREE = "<div id=a><p>one <b>two</b> three</p><ul><li>four</li></ul></div>five"


def test_elements_are_numbered_depth_first_from_body() -> None:
    outline = parse_page(HAND_TREE).outline
    # dfs:                              1       2      3    4    5     6
    assert [e.tag for e in outline.elements] == ["body", "div", "p", "b", "ul", "li"]
    assert outline.levels == [1, 2, 3, 4, 3, 4]
    assert outline.parents == [-1, 0, 1, 2, 1, 4]
    assert outline.ends == [6, 6, 4, 4, 6, 6]
    assert outline.path(5) == [0, 1, 4, 5]
    assert list(outline.children(1)) == [2, 4]
    assert outline.positions[outline.elements[3]] == 3


def test_every_element_has_a_range_of_text_leaves() -> None:
    outline = parse_page(HAND_TREE).outline
    assert outline.leaf_texts == ["one ", "two", " three", "four", "five"]
    assert [leaf.text for leaf in outline.leaves] == outline.leaf_texts
    assert [leaf.element.tag for leaf in outline.leaves] == ["p", "b", "b", "li", "div"]
    assert [leaf.is_tail for leaf in outline.leaves] == [False, False, True, False, True]
    assert outline.leaf_owners == [2, 3, 2, 5, 0]
    assert outline.leaf_starts == [0, 0, 0, 1, 3, 3]
    assert outline.leaf_ends == [5, 4, 3, 2, 4, 4]


def test_elements_and_text_leaves_follow_each_other_in_document_order() -> None:
    outline = parse_page(HAND_TREE).outline
    # body div p "one" b "two" " three" ul li "four" "five"; the six elements come before the leaves
    assert list(outline.document_order()) == [0, 1, 2, 6, 3, 7, 8, 4, 5, 9, 10]
