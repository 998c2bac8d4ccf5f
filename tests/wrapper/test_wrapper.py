"""Wrappers select what their expressions say; broken JSON is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.errors import WrapperError
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.wrapper import Form, Wrapper, dump_wrappers, load_wrappers

PAGE = "<title>t</title><div class=nav>menu</div><div class=story><p>one</p><p>two</p></div>"


def wrapper(*body: str, form: Form = "portable", strip: tuple[str, ...] = ()) -> Wrapper:
    return Wrapper("gazette", "by hand", form, body, strip)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        # body 1, nav 2, story 3, p 4, p 5
        pytest.param(wrapper("//div[@dfs='3']", form="dfs"), "one\ntwo", id="dfs"),
        pytest.param(wrapper("//body", form="dfs"), "menu\none\ntwo", id="dfs-body-itself"),
        pytest.param(wrapper("//p[@level='3']", form="dfs"), "one\ntwo", id="dfs-level"),
        pytest.param(wrapper("//div[@class='story']"), "one\ntwo", id="portable"),
        pytest.param(wrapper("//div[@dfs='3']"), "", id="portable-has-no-dfs"),
        pytest.param(wrapper("//p[2]", "//p[1]"), "one\ntwo", id="document-order"),
        pytest.param(wrapper("//p[1]", "//div"), "menu\none\ntwo", id="nested-once"),
        pytest.param(wrapper("//div[2]", strip=("//p[1]",)), "two", id="strip"),
        pytest.param(wrapper("//div", strip=("//div[1]", "//p[2]")), "one", id="strip-two"),
        pytest.param(wrapper("//title", "//head"), "", id="head-is-not-content"),
        pytest.param(wrapper("//article"), "", id="no-match"),
        pytest.param(wrapper(), "", id="no-expression"),
        pytest.param(wrapper("//p/text()", "//p/@class"), "", id="no-elements"),
    ],
)
def test_a_wrapper_selects_what_its_expressions_say(made: Wrapper, expected: str) -> None:
    assert made.select(parse_page(PAGE)).text == expected


def test_strip_rules_without_a_body_select_nothing() -> None:
    assert not wrapper("//article", strip=("//p",)).select(parse_page(PAGE))


@pytest.mark.parametrize("form", ["dfs", "portable"])
@pytest.mark.parametrize("expression", ["count(//p)", "//p[$x]", "//p[f()]", "//p["])
def test_an_expression_that_cannot_be_run_is_a_wrapper_error(form: Form, expression: str) -> None:
    with pytest.raises(WrapperError, match="XPath"):
        wrapper(expression, form=form).select(parse_page(PAGE))


EXPRESSIONS = st.lists(
    st.sampled_from(
        ["//p", '//div[contains(@class,"it\'s")]', "//*[@id='日本 \"x\"']", "//p[@dfs='4']"]
    )
)
WRAPPERS = st.builds(
    Wrapper,
    site=st.text(),
    method=st.text(),
    form=st.sampled_from(["dfs", "portable"]),
    body=EXPRESSIONS.map(tuple),
    strip=EXPRESSIONS.map(tuple),
    support=st.integers(0, 10**9),
    pages=st.integers(0, 10**9),
    relevance=st.floats(allow_nan=False, allow_infinity=False),
    confidence=st.floats(0, 1),
    words=st.integers(0, 10**9),
    title=st.none() | st.sampled_from(["//h1", "//h2[@id='x']"]),
)


@given(st.lists(WRAPPERS, max_size=3))
def test_written_wrappers_are_read_back(wrappers: list[Wrapper]) -> None:
    text = dump_wrappers(wrappers)
    assert load_wrappers(text) == wrappers
    assert text.isascii()


def test_the_json_form_is_what_the_documentation_says() -> None:
    document = json.loads(dump_wrappers([wrapper("//p", strip=("//b",))]))
    assert document == {
        "format": "forest-wrappers",
        "version": 1,
        "wrappers": [
            {
                "site": "gazette",
                "method": "by hand",
                "form": "portable",
                "body": ["//p"],
                "strip": ["//b"],
                "support": 0,
                "pages": 0,
                "relevance": 0.0,
                "confidence": 0.0,
                "words": 0,
                "title": None,
                "author": None,
                "date": None,
                "lead": None,
                "image": None,
                "common": [],
                "density": 0.0,
                "unexpectedness": 0.0,
                "frequency": 0,
                "level": 0.0,
                "signifiers": [],
                "language": None,
                "frequencies": "",
                "host": None,
                "repeated": [],
                "rewrite": [],
                "next_page": None,
                "single_page": None,
            }
        ],
    }


def test_fields_with_a_default_are_optional() -> None:
    row = {"site": "s", "method": "m", "form": "dfs", "body": ["//p"]}
    text = json.dumps({"format": "forest-wrappers", "version": 1, "wrappers": [row]})
    assert load_wrappers(text) == [Wrapper("s", "m", "dfs", ("//p",))]


Edit = Callable[[dict[str, Any]], object]


def edited(edit: Edit) -> str:
    document = json.loads(dump_wrappers([wrapper("//p")]))
    edit(document)
    return json.dumps(document)


def field(name: str, value: object) -> str:
    return edited(lambda document: document["wrappers"][0].update({name: value}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "not JSON", id="empty"),
        pytest.param('{"format": "forest-wrappers",', "not JSON", id="cut"),
        pytest.param("[" * 100_000, "not JSON", id="nested-too-deep"),
        pytest.param("\ufeff{}", "not JSON", id="byte-order-mark"),
        pytest.param("null", "not a wrappers file", id="null"),
        pytest.param("[]", "not a wrappers file", id="list"),
        pytest.param('{"wrappers": []}', "not a wrappers file", id="no-format"),
        pytest.param(edited(lambda d: d.update(version=2)), "version 2 .* reads version 1", id="2"),
        pytest.param(edited(lambda d: d.update(version="1")), "version '1'", id="version-text"),
        pytest.param(edited(lambda d: d.update(version=True)), "version True", id="version-true"),
        pytest.param(edited(lambda d: d.pop("version")), "version None", id="no-version"),
        pytest.param(edited(lambda d: d.update(wrappers={})), "not a list", id="wrappers-object"),
        pytest.param(edited(lambda d: d["wrappers"].append(1)), "wrapper 2 is not", id="number"),
        pytest.param(field("css", "p"), "unknown fields: .*css", id="unknown-field"),
        pytest.param(edited(lambda d: d["wrappers"][0].pop("form")), "no 'form'", id="no-form"),
        pytest.param(field("form", "css"), "form 'css' is not one of", id="unknown-form"),
        pytest.param(field("site", None), "'site' is None", id="site-null"),
        pytest.param(field("body", "//p"), "'body' is '//p'", id="body-text"),
        pytest.param(field("body", [1]), "other than strings", id="body-number"),
        pytest.param(field("strip", [["//p"]]), "other than strings", id="strip-nested"),
        pytest.param(field("support", "3"), "'support' is '3'", id="support-text"),
        pytest.param(field("support", True), "'support' is True", id="support-true"),
        pytest.param(field("relevance", float("nan")), "'relevance' is nan", id="nan"),
        pytest.param(field("relevance", float("inf")), "'relevance' is inf", id="infinity"),
        pytest.param(field("body", ["//p["]), r"not an XPath: '//p\['", id="xpath-cut"),
        pytest.param(field("strip", [""]), "not an XPath: ''", id="xpath-empty"),
        pytest.param(field("body", ["//p['\x00']"]), "not an XPath", id="xpath-nul"),
        pytest.param(field("body", ["//p['\ud800']"]), "not an XPath", id="xpath-surrogate"),
        pytest.param(field("body", ["(" * 9999 + "//p"]), "not an XPath", id="xpath-deep"),
        pytest.param(field("body", ["count(//p)"]), "a value instead of", id="xpath-value"),
        pytest.param(field("body", ["document('/etc/x')"]), "cannot be run", id="xpath-document"),
        pytest.param(field("body", ["re:test('a','(a+)+$')"]), "cannot be run", id="xpath-exslt"),
        pytest.param(field("body", ["$x"]), "cannot be run", id="xpath-variable"),
    ],
)
def test_a_broken_file_is_refused_with_what_to_do(text: str, message: str) -> None:
    with pytest.raises(WrapperError, match=message) as caught:
        load_wrappers(text)
    assert "induce the wrappers again" in str(caught.value)


@pytest.mark.parametrize("name", ["site", "form", "support", "body", "x" * 10**6])
def test_an_error_does_not_repeat_a_megabyte(name: str) -> None:
    value = ["x" * 10**6 + "["] if name == "body" else "x" * 10**6
    text = field(name, 7 if name == "site" else value)
    with pytest.raises(WrapperError) as caught:
        load_wrappers(text)
    assert len(str(caught.value)) < 500


def test_a_field_that_is_not_an_xpath_is_refused() -> None:
    text = dump_wrappers([wrapper("//p")]).replace('"title": null', '"title": "//h1["')
    with pytest.raises(WrapperError, match="wrapper 1"):
        load_wrappers(text)


def test_a_sentence_is_kept_whole_whatever_a_strip_rule_says() -> None:
    wrapper = Wrapper("s", "m", "portable", ("//body",), ("//a[@id='x']", "//i[@id='y']"))
    inside = parse_page("<p>In time for <a id=x>the regatta</a>, whose boats <i id=y>left</i></p>")
    assert wrapper.select(inside).text == "In time for the regatta, whose boats"
    beside = parse_page("<p>In time.</p><a id=x>Share</a>")
    assert wrapper.select(beside).text == "In time."
