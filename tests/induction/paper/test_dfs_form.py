"""The paper's generic wrapper is written as published, and selects its element."""

from __future__ import annotations

from html import escape

from hypothesis import example, given
from hypothesis import strategies as st

from forest_crawler.induction.paper.dfs_form import dfs_form
from forest_crawler.induction.paper.patterns import tolerant_type
from forest_crawler.page.tree import parse_page
from forest_crawler.page.xpath import ElementPath
from forest_crawler.page.xpath_syntax import contains

# What XML allows; trees contain nothing else.
XML_TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
    | st.sampled_from("'\"\t\n ")
)


def test_the_generic_wrapper_is_written_exactly_as_in_the_paper() -> None:
    # Section 3.4, figure 3: //div[@class='story'] at dfs 78, 82 and 83
    found = dfs_form("div", [contains("class", "story")], [83, 78, 82, 78])
    assert found == "//div[contains(@class,'story') and (@dfs='78' or @dfs='82' or @dfs='83')]"


def test_an_element_without_attributes_is_named_by_its_position() -> None:
    assert dfs_form("p", [], [24]) == "//p[@dfs='24']"  # the paper's //p[@dfs=24]


@given(XML_TEXT, XML_TEXT)
@example("it's", 'say "x"')
@example("]|//*", "x' or '1'='1")
@example("'\"" * 5000, "\u00a0")
@example("12", "post-12 x")
def test_the_dfs_form_selects_exactly_the_element_it_was_written_for(
    class_value: str, id_value: str
) -> None:
    attributes = f'class="{escape(class_value)}" id="{escape(id_value)}"'
    # Elements before and after have the same attributes: only the position differs.
    tree = parse_page(f"<div {attributes}>a</div><div {attributes}>b</div><p>c</p>" * 2)
    element_type = tolerant_type(tree.outline.elements[2], 3)
    tests = [contains(name, value, without_digits=True) for name, value in element_type.attributes]
    path = ElementPath(dfs_form(element_type.tag, tests, [3]))
    assert tree.select_annotated(path) == [tree.outline.elements[2]]
    # The same position with other attributes.
    other = parse_page("<div>a</div><div>b</div><p>c</p>")
    assert other.select_annotated(path) == []
