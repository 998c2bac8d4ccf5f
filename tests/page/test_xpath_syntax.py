"""XPath is written safely, whatever names a page gives its classes."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from forest_crawler.page.tree import parse_page
from forest_crawler.page.xpath import ElementPath
from forest_crawler.page.xpath_syntax import attribute_step, contains, element_step, literal

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

# What XML allows; trees contain nothing else.
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
def test_a_literal_uses_the_quotes_that_the_string_lacks(value: str, expected: str) -> None:
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


def test_a_very_long_value_is_tested_by_its_start() -> None:
    # 200 characters and the twelve of "contains(@a," with its two quotes and the bracket
    assert contains("a", "x" * 100_000) == "contains(@a,'" + "x" * 200 + "')"


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
def test_hostile_values_match_only_themselves(value: str) -> None:
    tree = parse_page(f'<div class="{escape(value)}">x</div><div class="other">y</div><p>z</p>')
    path = ElementPath(f"//*[{contains('class', value)}]")
    assert tree.select_annotated(path) == [tree.outline.elements[1]]
