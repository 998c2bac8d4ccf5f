"""XPath written safely: whatever a page calls its classes, an expression means just that."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from forest_crawler.errors import WrapperError
from forest_crawler.induction.patterns import tolerant_type
from forest_crawler.page.tree import parse_page
from forest_crawler.page.xpath import (
    ElementPath,
    attribute_step,
    contains,
    dfs_form,
    element_step,
    literal,
)

HOSTILE = [
    "it's",
    'say "x"',
    """both ' and \"""",
    "'",
    '"',
    "''\"\"'\"",
    "]|//*",
    "x' or '1'='1",
    "')] | //*[('",
    "concat('a',\"b\")",
    "日本 語",
    "  leading",
    "a\u00a0b",
    "$x{}@*\\",
    "007",
    "'\"" * 5000,
]

# What XML can hold: the tree has nothing else.
XML_TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
    | st.sampled_from("'\"\t\n ")
)
ROOT = etree.fromstring("<a/>")


@given(XML_TEXT)
@example("'")
@example('"')
@example("'\"")
@example("''\"\"''")
@example("\"'\" or '1'='1")
def test_a_literal_evaluates_to_the_string_it_quotes(value: str) -> None:
    assert etree.XPath(f"string({literal(value)})")(ROOT) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("story", "'story'", id="plain"),
        pytest.param("it's", '"it\'s"', id="single-quote"),
        pytest.param('say "x"', "'say \"x\"'", id="double-quotes"),
        pytest.param("a'b\"c", "concat('a', \"'\", 'b\"c')", id="both"),
        pytest.param("", "''", id="empty"),
    ],
)
def test_a_literal_takes_the_quotes_that_the_string_has_not(value: str, expected: str) -> None:
    assert literal(value) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("class", "@class"),
        ("data-id", "@data-id"),
        ("xml:lang", "@*[name()='xml:lang']"),
        ("@click", "@*[name()='@click']"),
        ("größe", "@*[name()='größe']"),
        ("a'b", '@*[name()="a\'b"]'),
        ("1", "@*[name()='1']"),
    ],
)
def test_attributes_that_xpath_cannot_write_are_found_by_name(name: str, expected: str) -> None:
    assert attribute_step(name) == expected


def test_elements_that_xpath_cannot_write_are_found_by_name() -> None:
    assert element_step("h1") == "h1"
    assert element_step("o:p") == "*[name()='o:p']"
    assert element_step("*") == "*[name()='*']"


def test_an_attribute_is_tested_for_a_string() -> None:
    assert contains("class", "story") == "contains(@class,'story')"
    assert contains("id", "") == "@id"
    assert (
        contains("id", "post-", without_digits=True)
        == "contains(translate(@id,'0123456789',''),'post-')"
    )


def test_a_very_long_value_is_tested_by_its_beginning() -> None:
    # 200 characters and the twelve of "contains(@a," with its two quotes and the bracket
    assert contains("a", "x" * 100_000) == "contains(@a,'" + "x" * 200 + "')"


def test_the_papers_generic_wrapper_is_written_letter_by_letter() -> None:
    # Section 3.4, figure 3: //div[@class='story'] at dfs 78, 82 and 83
    found = dfs_form("div", [contains("class", "story")], [83, 78, 82, 78])
    assert found == "//div[contains(@class,'story') and (@dfs='78' or @dfs='82' or @dfs='83')]"


def test_an_element_without_attributes_is_named_by_its_place() -> None:
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
    # Same attributes before and behind: the place decides. Same place, other attributes: no match.
    tree = parse_page(f"<div {attributes}>a</div><div {attributes}>b</div><p>c</p>" * 2)
    element_type = tolerant_type(tree.outline.elements[2], 3)
    tests = [contains(name, value, without_digits=True) for name, value in element_type.attributes]
    path = ElementPath(dfs_form(element_type.tag, tests, [3]))
    assert tree.select_annotated(path) == [tree.outline.elements[2]]
    other = parse_page("<div>a</div><div>b</div><p>c</p>")
    assert other.select_annotated(path) == []


@pytest.mark.parametrize(
    "attribute",
    ["{x}=1", "{{attrs}}", "{x}y=1", "@click=go", "xml:lang=de", "xmlns=u", "a\"b'c=1", "[x]=2"],
)
def test_any_attribute_name_can_be_tested(attribute: str) -> None:
    tree = parse_page(f"<div {attribute}>x</div><div>y</div>")
    name, value = next(iter(tree.outline.elements[1].attrib.items()))
    path = ElementPath(f"//div[{contains(str(name), str(value))}]")
    assert tree.select_annotated(path) == [tree.outline.elements[1]]


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_values_match_only_where_they_stand(value: str) -> None:
    tree = parse_page(f'<div class="{escape(value)}">x</div><div class="other">y</div><p>z</p>')
    path = ElementPath(f"//*[{contains('class', value)}]")
    assert tree.select_annotated(path) == [tree.outline.elements[1]]


@pytest.mark.parametrize(
    "expression",
    ["//p[", "", "//p (: comment :)", "//p['\x00']", "//p['\x01']", "//p['\ud800']", "(" * 50_000],
    ids=["open", "empty", "xpath-2", "nul", "control", "surrogate", "deep"],
)
def test_what_is_no_xpath_is_refused_when_it_is_compiled(expression: str) -> None:
    with pytest.raises(WrapperError, match="not an XPath"):
        ElementPath(expression)


@pytest.mark.parametrize(
    "expression",
    ["count(//p)", "string(//p)", "//p = 'x'", "$x", "document('x')", "re:test(.,'x')", "//o:p"],
)
def test_what_selects_no_elements_is_refused_when_it_is_run(expression: str) -> None:
    path = ElementPath(expression)
    with pytest.raises(WrapperError, match="XPath"):
        path(ROOT)


def test_attributes_and_text_are_no_elements() -> None:
    root = etree.fromstring("<a x='1'>t<b/></a>")
    assert [e.tag for e in ElementPath("//b | //a | //@x | //text()")(root)] == ["a", "b"]


def test_a_path_shows_its_expression() -> None:
    assert repr(ElementPath("//p")) == "ElementPath('//p')"


IDS = "<div id=a><p>one</p></div><p id=b>two</p><p id=b>three</p><a name=c>four</a><p>id('a')</p>"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        pytest.param("id('a')/p", ["one"], id="path"),
        pytest.param('//body/a | id( "b" )', ["two", "four"], id="first-of-two-in-a-union"),
        pytest.param("id('c')", ["four"], id="anchor"),
        pytest.param("id('b')[2]", [], id="one-element-has-no-second"),
        pytest.param("//p[id('a')/p = .]", ["one"], id="predicate"),
        pytest.param("id('none')", [], id="none"),
        pytest.param("//p[. = \"id('a')\"]", ["id('a')"], id="literal"),
    ],
)
def test_an_element_is_found_by_the_function_id(expression: str, expected: list[str]) -> None:
    assert [e.text for e in ElementPath(expression)(parse_page(IDS).html)] == expected


@pytest.mark.parametrize("expression", ["id(//p)", "id('a b')", "//p[id (@id)]", "id()"])
def test_the_function_id_is_refused_for_anything_but_one_name(expression: str) -> None:
    with pytest.raises(WrapperError, match="a single name"):
        ElementPath(expression)
