"""One walk selects what libxml2 selects, in the same order."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.errors import WrapperError
from forest_crawler.induction import induce
from forest_crawler.page.tree import parse_page
from forest_crawler.page.xpath import Element, ElementPath
from forest_crawler.wrapper.locators import Locator, Step, write_xpath
from forest_crawler.wrapper.matcher import PathSet, merge_in_order
from forest_crawler.wrapper.wrapper import FIELDS


def run(root: Element, *expressions: str) -> list[list[Element]]:
    return PathSet([ElementPath(expression) for expression in expressions])(root)


def by_libxml2(root: Element, *expressions: str) -> list[list[Element]]:
    return [ElementPath(expression)(root) for expression in expressions]


TAGS = st.sampled_from(["div", "p", "a"])
# Values that contain each other, and the blanks that separate classes; a no-break space does not.
VALUES = st.sampled_from(["", "x", "x y", "xy", " x\n", "y\tx", "x\xa0y", "it's", "\"'"])
NAMES = st.sampled_from(["class", "id", "role"])


@st.composite
def trees(draw: st.DrawFn) -> Element:
    """Draw a small page in which equal tags nest."""
    elements = [etree.Element("html")]
    for _ in range(draw(st.integers(0, 14))):
        parent = elements[draw(st.integers(0, len(elements) - 1))]
        elements.append(etree.SubElement(parent, draw(TAGS)))
        for name, value in draw(st.dictionaries(NAMES, VALUES, max_size=2)).items():
            elements[-1].set(name, value)
    return elements[0]


TESTS = st.one_of(
    st.tuples(st.just("class"), st.sampled_from(["x", "y", "xy", "x\xa0y", "it's"])),
    st.tuples(st.sampled_from(["id", "role"]), VALUES),
    st.tuples(st.sampled_from(["class^", "role^"]), VALUES.filter(bool)),
)
STEPS = st.builds(
    Step, st.sampled_from(["/", "//"]), TAGS, st.lists(TESTS, max_size=2, unique=True).map(tuple)
)
LOCATORS: st.SearchStrategy[Locator] = st.lists(STEPS, min_size=1, max_size=3).map(
    lambda steps: (steps[0]._replace(axis="//"), *steps[1:])
)


@given(trees(), st.lists(LOCATORS, max_size=4))
def test_one_walk_selects_what_libxml2_selects_in_its_order(
    root: Element, locators: list[Locator]
) -> None:
    expressions = [write_xpath(locator) for locator in locators]
    found = run(root, *expressions)
    assert found == by_libxml2(root, *expressions)
    if expressions:
        assert merge_in_order(root, found) == ElementPath(" | ".join(expressions))(root)


@pytest.mark.parametrize("site", bundled_sites(), ids=lambda site: site.name)
def test_wrappers_of_the_bundled_sites_select_what_libxml2_selects(site: Path) -> None:
    trees = [parse_page(page.source) for page in read_pages(site)]
    for wrapper in induce(trees, site=site.name):
        fields = (getattr(wrapper, field) for field in FIELDS)
        expressions = (*wrapper.body, *wrapper.strip, *filter(None, fields))
        for tree in trees:
            assert run(tree.html, *expressions) == by_libxml2(tree.html, *expressions)


def test_other_expressions_run_as_they_are_next_to_portable_ones() -> None:
    root = parse_page("<div><p>one<p>two</div><p>three").html
    paths = PathSet([ElementPath("//div/p[last()]"), ElementPath("//div"), ElementPath("id('x')")])
    last, divisions, nothing = paths(root)
    assert not paths.is_portable
    assert [e.text for e in last] == ["two"]
    assert [e.tag for e in divisions] == ["div"]
    assert nothing == []


def test_other_expressions_keep_their_errors() -> None:
    with pytest.raises(WrapperError, match="a value instead of elements"):
        run(parse_page("<p>one").html, "//p", "count(//p)")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # o1 contains o2, o2 contains p2: o1's own p3 comes after p2, although its parent is first.
        pytest.param("//div/p", ["p1", "p2", "p3"], id="children-of-nested-parents"),
        pytest.param("//div//p", ["p1", "p2", "p3"], id="descendants-once"),
        pytest.param("//div/div/p", ["p2"], id="steps-of-one-tag"),
        pytest.param("//body//div", ["o1", "o2"], id="below-one-element"),
    ],
)
def test_steps_from_nested_elements_stay_in_document_order(
    expression: str, expected: list[str]
) -> None:
    page = "<div id=o1><p id=p1>a</p><div id=o2><p id=p2>b</p></div><p id=p3>c</p></div>"
    (found,) = run(parse_page(page).html, expression)
    assert [e.get("id") for e in found] == expected
