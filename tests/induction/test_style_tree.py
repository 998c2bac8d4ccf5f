"""A site's pages merge into a style tree; its unimportant nodes are noise."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lxml import etree

from forest_crawler.induction.style_tree import ElementNode, StyleTree, build_style_tree
from forest_crawler.page.tree import PageTree, parse_page
from tests.support.growth import Work, assert_linear

MENU = "<ul><li>Home</li></ul>"
FERRY = f"{MENU}<div><p>the ferry</p></div>"
OVEN = f"{MENU}<div><p>the oven</p></div>"
VASE = f"{MENU}<div><p>the vase</p><p>again</p></div>"
DEEP = 5000


def build(*sources: str, threshold: float = 0.5) -> StyleTree:
    return build_style_tree([parse_page(source) for source in sources], threshold)


def child(element: ElementNode, *path: tuple[int, int]) -> ElementNode:
    """Walk down the tree by numbers of style and of element."""
    for style, position in path:
        element = list(element.styles.values())[style].elements[position]
    return element


def tags(element: ElementNode) -> list[list[str]]:
    return [[it.label[0] for it in style.elements] for style in element.styles.values()]


def left(tree: StyleTree, source: str) -> str:
    return tree.select(parse_page(source)).text


def test_pages_share_the_styles_that_they_have_in_common() -> None:
    body = build(FERRY, OVEN, VASE).nodes[0]
    assert tags(body) == [["ul", "div"]]
    assert tags(child(body, (0, 1))) == [["p"], ["p", "p"]]
    assert [style.pages for style in child(body, (0, 1)).styles.values()] == [2, 1]
    assert [style.pages for style in body.styles.values()] == [3]


# The menu's text is "home" on all 3 pages: H = log3(3) = 1, importance 1 - 1/1 = 0.
# The first text of the first style, on 2 pages: H(the) = log2(2) = 1, H(ferry) = H(oven) = 0;
# 1 - 1/3 = 0.6667. Its p has one style: 0.1 * 0 + 0.9 * 0.6667 = 0.6.
# The second style is on one page: its texts, its p and it have importance 1.
# div: NodeImp = -(2/3 log3 2/3 + 1/3 log3 1/3) = 0.6667 * 0.3691 + 0.3333 = 0.5794;
# 0.9^2 = 0.81; 0.19 * 0.5794 + 0.81 * (2/3 * 0.6 + 1/3 * 1) = 0.1101 + 0.5940 = 0.7041.
# body: NodeImp = 0; 0.9 * (0 + 0.7041) / 2 = 0.3168.
@pytest.mark.parametrize(
    ("path", "importance"),
    [
        pytest.param([(0, 0), (0, 0), (0, 0)], 0.0, id="menu text"),
        pytest.param([(0, 0), (0, 0)], 0.0, id="menu item"),
        pytest.param([(0, 1), (0, 0), (0, 0)], 0.6667, id="text on two pages"),
        pytest.param([(0, 1), (0, 0)], 0.6, id="paragraph on two pages"),
        pytest.param([(0, 1), (1, 0)], 1.0, id="paragraph on one page"),
        pytest.param([(0, 1)], 0.7041, id="container"),
        pytest.param([], 0.3168, id="body"),
    ],
)
def test_importance_is_that_of_the_definition(
    path: list[tuple[int, int]], importance: float
) -> None:
    element = child(build(FERRY, OVEN, VASE).nodes[0], *path)
    assert element.importance == pytest.approx(importance, abs=5e-5)


def test_node_importance_is_the_entropy_of_the_styles() -> None:
    body = build(FERRY, OVEN, VASE).nodes[0]
    assert child(body, (0, 1)).node_importance == pytest.approx(0.5794, abs=5e-5)
    assert body.node_importance == 0


# H(tea) = -(2/3 log2 2/3 + 1/3 log2 1/3) = 0.9183
@pytest.mark.parametrize(
    ("first", "second", "importance"),
    [
        pytest.param("<p>tea tea", "<p>tea", 0.0817, id="words by their number"),
        pytest.param("<p>Tea", "<p>TEA", 0.0, id="words in any case"),
        pytest.param("<p><img src=a.gif>", "<p><img src=b.gif>", 1.0, id="image files"),
        pytest.param("<p><img src=a.gif>", "<p><img src=a.gif>", 0.0, id="the same image"),
        pytest.param("<a href=/x>more</a>", "<a href=/y>more</a>", 0.6667, id="link targets"),
        pytest.param("<a href=/x><b>more", "<a href=/y><b>more", 0.6667, id="links further up"),
        pytest.param("<hr>", "<hr>", 0.0, id="nothing"),
    ],
)
def test_leaves_weigh_what_varies_in_them(first: str, second: str, importance: float) -> None:
    leaf = build(first, second).nodes[-1]
    assert leaf.importance == pytest.approx(importance, abs=5e-5)


def test_a_single_page_is_important_throughout() -> None:
    assert {element.importance for element in build(FERRY).nodes} == {1.0}
    assert left(build(FERRY), FERRY) == "Home\nthe ferry"


def test_what_repeats_is_removed() -> None:
    tree = build(FERRY, OVEN, VASE)
    assert left(tree, FERRY) == "the ferry"
    assert left(tree, VASE) == "the vase\nagain"


def test_an_element_with_important_content_is_not_noise() -> None:
    tree = build(
        FERRY, OVEN, VASE, threshold=0.65
    )  # above the 0.6 of p, below the 0.67 of its text
    assert left(tree, FERRY) == "the ferry"


def test_the_threshold_decides_what_is_noise() -> None:
    tree = build(FERRY, OVEN, VASE, threshold=0.7)
    assert left(tree, FERRY) == ""
    assert left(tree, VASE) == "the vase\nagain"


def test_text_between_elements_is_judged_by_itself() -> None:
    tree = build("<p>Share<br>ferry late</p>", "<p>Share<br>oven cold</p>")
    assert left(tree, "<p>Share<br>ferry late</p>") == "ferry late"


def test_a_page_outside_the_sample_loses_the_same_noise() -> None:
    page = "<ul><li>Home</li><li>News</li></ul><div><p>late snow</p></div>"
    assert left(build(FERRY, OVEN, VASE), page) == "late snow"


def test_styles_that_the_sample_lacks_are_content() -> None:
    assert left(build(FERRY, OVEN, VASE), f"{FERRY}<hr>") == "Home\nthe ferry"


@pytest.mark.parametrize(
    ("first", "second", "styles"),
    [
        pytest.param("<p align=left>a", "<p align=right>b", 2, id="display"),
        pytest.param("<p width=1 align=left>a", "<p align=left width=1>b", 1, id="order"),
        pytest.param("<p id=a>a", "<p id=b>b", 1, id="id"),
        pytest.param("<body bgcolor=red><p>a", "<body bgcolor=blue><p>b", 1, id="body"),
    ],
)
def test_display_attributes_distinguish_styles(first: str, second: str, styles: int) -> None:
    assert len(build(first, second).nodes[0].styles) == styles


def test_an_element_that_is_empty_on_some_pages_has_an_empty_style() -> None:
    # NodeImp = 1, two styles on one page each: 0.19 * 1 + 0.81 * 1 = 1
    element = build("<div></div>", "<div><p>ferry</p></div>").nodes[1]
    assert tags(element) == [[], ["p"]]
    assert element.importance == pytest.approx(1.0)


def test_no_pages_make_no_tree() -> None:
    assert not build()
    assert build(FERRY)


def deep(*words: str) -> PageTree:
    """Make a tree deeper than the parser would, which stops at 2,047 levels."""
    html = etree.Element("html")
    body = inner = etree.SubElement(html, "body")
    for _ in range(DEEP):
        inner = etree.SubElement(inner, "div")
    for text in words:
        etree.SubElement(inner, "p").text = text
    return replace(parse_page("<p>shallow"), html=html, body=body)


def test_pages_may_nest_thousands_deep() -> None:
    ferry, oven = deep("Menu", "ferry sails"), deep("Menu", "oven bakes")
    assert max(ferry.outline.levels) > DEEP
    tree = build_style_tree([ferry, oven])
    assert len(tree.nodes) == 1 + DEEP + 2 + 2
    assert tree.select(ferry).text == "ferry sails"


def test_the_tree_grows_by_what_pages_do_not_share() -> None:
    # body, ul, li, #text; div, p, #text; then a div's second style with two p and their texts
    assert [len(build(*[FERRY, OVEN, VASE][:count]).nodes) for count in (1, 2, 3)] == [7, 7, 11]
    assert len(build(*[VASE] * 50).nodes) == 9


SHAPES = {
    "flat": "<div align=left><p>ferry it</p></div>",
    "tails": "<b>x</b>ferry it",
    "links": "<a href=/x>ferry<img src=y>",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_building_and_selecting_are_linear_in_the_pages(shape: str) -> None:
    def work(size: int) -> Work:
        pages = [parse_page(SHAPES[shape] * count) for count in (size, size, size + 1)]
        assert all(page.outline for page in pages)

        def run() -> None:
            tree = build_style_tree(pages)
            for page in pages:
                tree.select(page)

        return run

    assert_linear(work, 2000)
