"""An XPath selects elements, or is refused with an error that shows it."""

from __future__ import annotations

import pytest
from lxml import etree

from forest_crawler.errors import WrapperError
from forest_crawler.page.tree import parse_page
from forest_crawler.page.xpath import AttributePath, ElementPath
from tests.support.growth import assert_linear

ROOT = etree.fromstring("<a/>")


@pytest.mark.parametrize(
    "expression",
    ["//p[", "", "//p (: comment :)", "//p['\x00']", "//p['\x01']", "//p['\ud800']", "(" * 50_000],
    ids=["open", "empty", "xpath-2", "nul", "control", "surrogate", "deep"],
)
def test_an_invalid_xpath_is_refused_when_it_is_compiled(expression: str) -> None:
    with pytest.raises(WrapperError, match="not an XPath"):
        ElementPath(expression)


@pytest.mark.parametrize(
    "expression",
    ["count(//p)", "string(//p)", "//p = 'x'", "$x", "document('x')", "re:test(.,'x')", "//o:p"],
)
def test_an_xpath_that_gives_a_value_or_fails_is_refused_when_it_is_run(expression: str) -> None:
    path = ElementPath(expression)
    with pytest.raises(WrapperError, match="XPath"):
        path(ROOT)


def test_attributes_and_text_are_left_out() -> None:
    root = etree.fromstring("<a x='1'>t<b/></a>")
    assert [e.tag for e in ElementPath("//b | //a | //@x | //text()")(root)] == ["a", "b"]


def test_a_path_shows_its_expression() -> None:
    assert repr(ElementPath("//p")) == "ElementPath('//p')"


def test_the_elements_of_attributes_are_found_in_order() -> None:
    root = etree.fromstring("<a x='1'><b x=''><c y='2'/></b><c x='3'/></a>")
    assert [e.tag for e in AttributePath("descendant-or-self::*/@x")(root)] == ["a", "b", "c"]
    assert [e.tag for e in AttributePath("descendant::*/@x[. = '3']")(root)] == ["c"]


def test_the_elements_of_attributes_are_found_in_linear_time() -> None:
    path = AttributePath("descendant::*/@x")
    roots = {n: etree.fromstring("<a>" + "<b x=''/>" * n + "</a>") for n in (10_000, 40_000)}
    assert_linear(lambda n: lambda: path(roots[n]), 40_000)


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
def test_the_function_id_finds_an_element(expression: str, expected: list[str]) -> None:
    assert [e.text for e in ElementPath(expression)(parse_page(IDS).html)] == expected


@pytest.mark.parametrize("expression", ["id(//p)", "id('a b')", "//p[id (@id)]", "id()"])
def test_the_function_id_is_refused_for_anything_but_one_name(expression: str) -> None:
    with pytest.raises(WrapperError, match="a single name"):
        ElementPath(expression)
