"""Elements are named by what a sample's pages share, the most stable names first."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.cssselect import CSSSelector

from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath import ElementPath
from forest_crawler.wrapper.element_names import PageNames, locator_cost, name_element, shared_tests
from forest_crawler.wrapper.locators import (
    Axis,
    Locator,
    Step,
    Test,
    write_css,
    write_xpath,
)

# Characters that are special in HTML, XPath or CSS, and some that are not special anywhere.
NASTY = st.text(st.sampled_from("ab1'\"]|/*[()@=\\,:.#é東\u00a0<>&;{} \t\n-_"), max_size=8)
BUILT = ["Body_root__x7Kd2", "Body_root__UiOQ5 wide", " Body_root__x7Kd2", "Body_root__wide"]
NAMES = st.one_of(
    NASTY,
    st.sampled_from(["story", "main", "a b", "]|//*", "x'y\"z", "été"]),
    st.sampled_from(BUILT),
)
AXES: tuple[Axis, ...] = ("/", "//")
TAGS = st.sampled_from(["div", "p", "section"])


@st.composite
def pages(draw: st.DrawFn) -> PageTree:
    """Draw a page of nested and neighbouring elements with any names."""
    parts = ["<body>"]
    open_tags: list[str] = []
    for tag in draw(st.lists(TAGS, min_size=1, max_size=8)):
        closed = draw(st.integers(0, len(open_tags)))
        parts += [f"</{open_tags.pop()}>" for _ in range(closed)]
        attributes = "".join(
            f' {name}="{escape(value)}"'
            for name in ("class", "id", "role")
            if (value := draw(st.none() | NAMES)) is not None
        )
        parts.append(f"<{tag}{attributes}>x")
        open_tags.append(tag)
    return parse_page("".join(parts))


@st.composite
def drawn_locators(draw: st.DrawFn) -> tuple[PageNames, Locator]:
    """Draw a page and a locator of one to three steps, made of names on the page."""
    page = PageNames(draw(pages()).outline)
    known = sorted({test for tests in page.tests for test in tests})
    # The start of any value, not only what `PageNames` finds: stored wrappers may have it.
    known += [(f"{name}^", value[:4]) for name, value in known if not name.endswith("^")]
    tests = st.lists(st.sampled_from(known), max_size=2, unique=True) if known else st.just([])
    axes: list[Axis] = ["//", *draw(st.lists(st.sampled_from(AXES), max_size=2))]
    return page, tuple(Step(axis, draw(TAGS), tuple(draw(tests))) for axis in axes)


def names(html: str) -> PageNames:
    return PageNames(parse_page(html).outline)


def locators_of(pages: Sequence[PageNames], element_id: str, min_pages: int = 2) -> set[Locator]:
    """Name the first page's element with this id, as one of these pages."""
    elements = pages[0].outline.elements
    index = next(i for i, element in enumerate(elements) if element.get("id") == element_id)
    return name_element(pages[0], index, shared_tests(pages), min_pages)


@given(drawn_locators())
def test_the_xpath_selects_what_match_returns(drawn: tuple[PageNames, Locator]) -> None:
    page, locator = drawn
    root = page.outline.elements[0].getroottree().getroot()
    expected = [page.outline.elements[index] for index in page.match(locator)]
    assert ElementPath(write_xpath(locator))(root) == expected


@given(drawn_locators())
def test_the_css_selects_what_match_returns(drawn: tuple[PageNames, Locator]) -> None:
    page, locator = drawn
    root = page.outline.elements[0].getroottree().getroot()
    expected = [page.outline.elements[index] for index in page.match(locator)]
    assert CSSSelector(write_css(locator))(root) == expected


@given(pages())
def test_every_locator_of_an_element_selects_it(tree: PageTree) -> None:
    page = PageNames(tree.outline)
    shared = shared_tests([page])
    for index in range(len(tree.outline.elements)):
        for locator in name_element(page, index, shared, 1):
            assert index in page.match(locator)


def test_outermost_matches_leave_out_those_inside_another() -> None:
    # body 0, div 1, div 2 in it, div 3 after it.
    page = names("<div class=a><div class=a>x</div></div><div class=a>y</div>")
    locator = (Step("//", "div", (("class", "a"),)),)
    assert list(page.match(locator)) == [1, 2, 3]
    assert page.outermost(locator) == [1, 3]


def test_children_of_nested_matches_come_in_document_order() -> None:
    # body 0, div 1, p 2, div 3, p 4, p 5; the last p is a child of the outer div again.
    page = names("<div class=a><p>x</p><div class=a><p>y</p></div><p>z</p></div>")
    locator = (Step("//", "div", (("class", "a"),)), Step("/", "p"))
    assert list(page.match(locator)) == [2, 4, 5]


def test_an_id_that_one_page_has_is_never_used() -> None:
    first = names("<div id=post-1 class=story>x</div>")
    second = names("<div id=post-2 class=story>x</div>")
    found = locators_of([first, second], "post-1")
    assert (Step("//", "div", (("class", "story"),)),) in found
    assert not [it for it in found for step in it for name, _ in step.tests if name == "id"]


def test_an_ancestors_id_that_one_page_has_is_never_used() -> None:
    first, second = (names(f"<div id=post-{n}><p id=lead>x</p></div>") for n in (1, 2))
    found = locators_of([first, second], "lead")
    assert (Step("//", "p", (("id", "lead"),)),) in found
    assert not [it for it in found for step in it if ("id", "post-1") in step.tests]


@pytest.mark.parametrize(
    ("name", "is_built"),
    [
        pytest.param("css-1a2b3c", True, id="hash"),
        pytest.param("Edition_item_2HXS3", True, id="css-module"),
        pytest.param("_3xMObxY5", True, id="short-hash"),
        pytest.param("css-92387b", True, id="hexadecimal"),
        pytest.param("Story_root__QoKeJ", True, id="css-module-letters-only"),
        pytest.param("css-defaced", False, id="letters-only"),
        pytest.param("post-20151231", False, id="date"),
        pytest.param("story2", False, id="number"),
        pytest.param("col-2-of-3", False, id="grid"),
        pytest.param("article2015", False, id="year"),
        pytest.param("h1", False, id="too-short-for-a-hash"),
        pytest.param("storyBody", False, id="camel-case"),
    ],
)
@pytest.mark.parametrize("attribute", ["id", "class"])
def test_a_build_hash_costs_more_than_three_steps_around_it(
    attribute: str, name: str, is_built: bool
) -> None:
    named = (Step("//", "div", ((attribute, name),)),)
    around = (Step("//", "div", (("id", "c4711"),)), *[Step("/", "div")] * 3)
    assert (locator_cost(named) > locator_cost(around)) is is_built


def test_pages_of_two_builds_share_the_start_of_a_class() -> None:
    first = names("<div id=a class='ArticleBody_root__x7Kd2 wide'>x</div>")
    second = names("<div class=ArticleBody_root__UiOQ5>x</div>")
    found = locators_of([first, second], "a")
    assert found == {
        (Step("//", "div", (("class^", "ArticleBody_root__"),)),),
        (Step("//", "body"), Step("/", "div")),
    }


def test_a_class_after_a_blank_is_not_the_start_of_the_attribute() -> None:
    assert names("<div class=' Body_root__x7Kd2'>x</div>").tests[1] == (
        ("class", "Body_root__x7Kd2"),
    )


def test_names_by_hand_match_a_start_that_builds_have() -> None:
    page = names("<p class=Body_root__x7Kd2>x<p class=Body_root__wide>y<p class=Body>z")
    assert list(page.match((Step("//", "p", (("class^", "Body_root__"),)),))) == [1, 2]


@pytest.mark.parametrize("attribute", ["class", "role"])
def test_names_with_a_backslash_are_never_used(attribute: str) -> None:
    # CSS writes it as `\5c `, but not every tool reads that back as a backslash.
    page = names(f"<div id=main {attribute}='\\1'>x</div>")
    assert page.tests[1] == (("id", "main"),)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param(("id", "main"), ("class", "col12"), id="id-without-digits-over-class-with"),
        pytest.param(("class", "story"), ("id", "c4711"), id="class-without-digits-over-id-with"),
        pytest.param(("id", "main"), ("class", "main"), id="id-over-class"),
        pytest.param(("itemprop", "articleBody"), ("id", "main"), id="meaning-over-id"),
        pytest.param(("class", "story"), ("width", "full"), id="class-over-other-attributes"),
        pytest.param(("class", "story"), ("class^", "Story_root__"), id="class-over-its-start"),
        pytest.param(
            ("class^", "Story_root__"), ("class", "Story_root__QoKeJ"), id="start-over-hash"
        ),
        pytest.param(("class^", "Story_root__"), ("class", "col12"), id="start-over-digits"),
    ],
)
def test_the_more_stable_name_costs_less(better: Test, worse: Test) -> None:
    assert locator_cost((Step("//", "div", (better,)),)) < locator_cost(
        (Step("//", "div", (worse,)),)
    )


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(("itemprop", "articleBody"), id="itemprop"),
        pytest.param(("role", "article"), id="role"),
        pytest.param(("data-testid", "article-body"), id="data-attribute"),
        pytest.param(("class^", "ArticleBody_root__"), id="start-of-a-class"),
        pytest.param(("class", "col12"), id="class-with-digits"),
    ],
)
@pytest.mark.parametrize("tag", ["div", "section", "td"])
@pytest.mark.parametrize("above", [("id", "__next"), ("role", "main")], ids=["id", "role"])
def test_any_name_of_a_container_costs_less_than_all_of_its_tag(
    above: Test, tag: str, name: Test
) -> None:
    loose = (Step("//", "div", (above,)), Step("//", tag))
    assert locator_cost((Step("//", tag, (name,)),)) < locator_cost(loose)


def test_a_path_of_children_costs_less_than_all_descendants() -> None:
    page = Step("//", "div", (("id", "__next"),))
    two = (page, Step("/", "div"), Step("/", "div"))
    assert locator_cost(two) < locator_cost((page, Step("//", "div")))


def test_each_step_adds_to_the_cost() -> None:
    start = Step("//", "div", (("id", "main"),))
    assert locator_cost((start,)) < locator_cost((start, Step("/", "p")))


def test_a_tag_that_xpath_cannot_write_has_no_locator() -> None:
    page = names("<div class=a><o:p class=b id=odd>x<i id=inside class=c>y</i></o:p></div>")
    assert locators_of([page], "odd", min_pages=1) == set()
    # The element inside keeps its own names, but no chain leads through the odd tag.
    inside = locators_of([page], "inside", min_pages=1)
    assert (Step("//", "i", (("class", "c"),)),) in inside
    assert {len(locator) for locator in inside} == {1}


def test_a_meaningless_tag_alone_is_not_a_locator() -> None:
    page = names("<article id=a>x</article><div id=d>x</div>")
    assert (Step("//", "article"),) in locators_of([page], "a", min_pages=1)
    assert (Step("//", "div"),) not in locators_of([page], "d", min_pages=1)


def test_locators_do_not_depend_on_the_order_of_pages() -> None:
    first, second = names("<div id=m class='a b'>x</div>"), names("<div id=m class='b a'>x</div>")
    assert locators_of([first, second], "m") == locators_of([second, first], "m")
