"""Sets of nodes are what a locator selects, step by step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.wrapper.element_names import NamedElements
from forest_crawler.wrapper.locators import Axis, Step, Test, read_xpath
from forest_crawler.wrapper.node_sets import NodeSets

# body 0 > div.story 1 > (p 2, div.story 3 > p 4), ul 5 > li 6 > p 7
PARENTS = [-1, 0, 1, 1, 3, 0, 5, 6]
ENDS = [8, 5, 3, 5, 5, 8, 8, 8]
TAGS = ["body", "div", "p", "div", "p", "ul", "li", "p"]
STORY: tuple[Test, ...] = (("class", "story"),)
TESTS: list[tuple[Test, ...]] = [(), STORY, (), (*STORY, ("id", "x")), (), (), (), ()]
IS_STORY = "[contains(concat(' ',normalize-space(@class),' '),' story ')]"


def node_sets() -> NodeSets:
    return NodeSets(PARENTS, ENDS, TAGS, TESTS)


@pytest.mark.parametrize(
    ("xpath", "selected", "outermost"),
    [
        ("//p", [2, 4, 7], (2, 4, 7)),
        (f"//div{IS_STORY}", [1, 3], (1,)),
        (f"//div{IS_STORY}[@id='x']", [3], (3,)),
        (f"//div{IS_STORY}//p", [2, 4], (2, 4)),
        (f"//div{IS_STORY}/p", [2, 4], (2, 4)),
        ("//body/p", [], ()),
        ("//body/ul/li/p", [7], (7,)),
        ("//body//div[@id='x']/p", [4], (4,)),
        (f"//body/div/div{IS_STORY}", [3], (3,)),
        ("//table", [], ()),
        ("//table//p", [], ()),
    ],
)
def test_a_set_has_what_the_locator_selects(
    xpath: str, selected: list[int], outermost: tuple[int, ...]
) -> None:
    sets = node_sets()
    found = sets.select(read_xpath(xpath))
    assert sets.nodes(found) == selected
    assert sets.keep_outermost(found) == outermost


AXES: list[Axis] = ["/", "//"]
STEPS = st.builds(
    Step,
    st.sampled_from(AXES),
    st.sampled_from(["div", "p", "li", "body"]),
    st.sampled_from([(), STORY, (("id", "x"),), (*STORY, ("id", "x"))]),
)


@given(st.lists(STEPS, min_size=1, max_size=4))
def test_sets_and_lists_select_the_same(steps: list[Step]) -> None:
    locator = (steps[0]._replace(axis="//"), *steps[1:])
    sets = node_sets()
    lists = NamedElements(PARENTS, ENDS, TAGS, TESTS)
    assert sets.nodes(sets.select(locator)) == list(lists.match(locator))
    assert list(sets.keep_outermost(sets.select(locator))) == lists.outermost(locator)
