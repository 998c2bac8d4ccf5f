"""Sibling pages merged into one tree select and name what each page does by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.element_names import PageNames, name_element, shared_tests
from forest_crawler.wrapper.locators import Step
from forest_crawler.wrapper.name_tree import NameTree
from forest_crawler.wrapper.site_names import CLASS_PREFIX
from tests.support.growth import Work, assert_linear

ATTRIBUTES = ["", " class=story", " class='story Body_root__x7Kd2'", " class=Body_root__plain"]
ATTRIBUTES += [" class=Body_root__QoKeJ", " id=main", " id=post-1", " id=post-2"]


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Draw a page of nested boxes with a few names."""
    depth, source = 0, ""
    for _ in range(draw(st.integers(1, 12))):
        source += f"<div{draw(st.sampled_from(ATTRIBUTES))}>text"
        depth += 1
        closed = draw(st.integers(0, depth))
        source, depth = source + "</div>" * closed, depth - closed
    return f"<body>{source}</body>"


@given(st.lists(sources(), min_size=1, max_size=4))
def test_each_page_is_named_and_matched_as_by_itself(drawn: list[str]) -> None:
    pages = [PageNames(parse_page(source).outline) for source in drawn]
    min_pages = min(2, len(pages))
    tree, shared = NameTree(pages, min_pages), shared_tests(pages)
    for page in pages:
        for index in range(len(page.tags)):
            named = name_element(page, index, shared, min_pages)
            assert tree.name(tree.node(page, index)) == named
            for locator in named:
                nodes = tree.outermost(locator)
                for other in pages:
                    assert tree.elements(other, nodes) == other.outermost(locator)


def test_elements_with_the_same_path_are_one_node() -> None:
    pages = [
        PageNames(parse_page(f"<body><div id=post-{n}><p>a<p>b</div></body>").outline)
        for n in (1, 2)
    ]
    tree = NameTree(pages, min_pages=2)
    paragraphs = tree.outermost((Step("//", "p"),))
    assert len(paragraphs) == 1  # though the ids above differ: no locator can use them
    assert [tree.elements(page, paragraphs) for page in pages] == [[2, 3], [2, 3]]


def test_a_start_of_built_names_also_matches_what_a_hand_has_named_so() -> None:
    built, by_hand = "Body_root__x7Kd2", "Body_root__title"
    source = f"<body><div class={built}></div><div class={by_hand}></div><div class=Body></div>"
    pages = [PageNames(parse_page(source).outline) for _ in range(2)]
    tree = NameTree(pages, min_pages=2)
    boxes = tree.outermost((Step("//", "div", ((CLASS_PREFIX, "Body_root__"),)),))
    assert [tree.elements(page, boxes) for page in pages] == [[1, 2], [1, 2]]


def test_merging_is_linear_in_the_number_of_built_names() -> None:
    def work(size: int) -> Work:
        boxes = "".join(f"<div class=b{n}_root__x7Kd2></div>" for n in range(size))
        pages = [PageNames(parse_page(f"<body>{boxes}").outline) for _ in range(2)]
        return lambda: NameTree(pages, min_pages=2)

    assert_linear(work, 8000)
