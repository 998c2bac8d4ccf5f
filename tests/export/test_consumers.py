"""The simulations take and remove what the programs do, on pages worked out by hand."""

from __future__ import annotations

import pytest

from forest_crawler.errors import WrapperError
from forest_crawler.export.checked_page import words_of
from forest_crawler.export.consumers.css import css_to_xpath
from forest_crawler.export.consumers.documents import find_all, parse_html5, parse_libxml2
from forest_crawler.export.consumers.feediron import show_feediron
from forest_crawler.export.consumers.freshrss import show_freshrss
from forest_crawler.export.consumers.graby import parse_graby, show_graby
from forest_crawler.export.consumers.miniflux import show_miniflux
from forest_crawler.export.consumers.rss_bridge import show_rss_bridge

PAGE = (
    "<body><main><h1>title</h1><div class=a>one <p class=b>two</p><i class=ad>ad</i></div>"
    "<div class=a>three</div></main></body>"
)


def test_miniflux_takes_all_and_repeats_what_is_inside() -> None:
    page = parse_libxml2(PAGE)
    assert words_of(show_miniflux(page, ".a, .b")) == ["one", "two", "ad", "two", "three"]
    outermost = ".a, .b:not(.a *)"
    # The tags of the two divs are dropped, so the words at their border grow together.
    assert words_of(show_miniflux(page, outermost)) == ["one", "two", "adthree"]


def test_miniflux_removes_inside_what_was_taken_only() -> None:
    page = parse_libxml2(PAGE)
    assert ">ad<" in show_miniflux(page, ".a", 'remove("main .ad")')
    assert ">ad<" not in show_miniflux(page, ".a", 'remove(".a .ad")')


def test_miniflux_drops_the_tags_of_divs_and_the_blanks_beside_them() -> None:
    page = parse_libxml2("<main><div>one</div>\n<div>two <b>three</b> four</div><p>five</p></main>")
    assert words_of(show_miniflux(page, "main")) == ["onetwo", "three", "four", "five"]


def test_miniflux_loses_cells_without_their_table_when_it_removes() -> None:
    page = parse_html5("<table><tr><td class=a><p>one</p><i class=x>ad</i></td></tr></table>")
    assert "ad" in words_of(show_miniflux(page, "td", 'remove("td .x")'))
    assert "ad" not in words_of(show_miniflux(page, "td", 'remove(".x")'))
    assert "ad" not in words_of(show_miniflux(page, "table", 'remove("td .x")'))


def test_go_reads_a_doctype_in_capitals_as_quirks() -> None:
    # In quirks mode, a table doesn't end the paragraph around it.
    source = '{} PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd"><p>a'
    for doctype, inside in (("<!DOCTYPE HTML", 1), ("<!doctype html", 0)):
        page = parse_html5(f"{source.format(doctype)}<table><tr><td>b</table>")
        assert len(find_all(page, "//p//table")) == inside


def test_freshrss_knows_no_not_and_filters_below_each_element() -> None:
    assert show_freshrss(parse_libxml2(PAGE), ".a:not(.b)") == ""  # reads it as .a.b
    assert "ad" in words_of(show_freshrss(parse_libxml2(PAGE), ".a", ".a .ad"))
    assert "ad" not in words_of(show_freshrss(parse_libxml2(PAGE), ".a", ".ad"))


def test_rss_bridge_takes_the_first_element_only() -> None:
    page = parse_libxml2(PAGE)
    assert words_of(show_rss_bridge(page, "h1, .a")) == ["title"]
    assert words_of(show_rss_bridge(page, "div.a", ".ad, p.b")) == ["one"]
    assert show_rss_bridge(page, "article") == ""


def test_feediron_takes_one_element_per_path_or_all() -> None:
    rules = {"type": "xpath", "xpath": ["div", "h1"], "cleanup": ["i"]}
    assert words_of(show_feediron(parse_libxml2(PAGE), rules)) == ["one", "two", "title"]
    paths = [{"xpath": "div", "index": "all"}]
    every = {"type": "all_xpath", "xpath": paths, "join_element": " "}
    shown = words_of(show_feediron(parse_libxml2(PAGE), every))
    assert shown == ["one", "two", "ad", "three"]
    nothing = {"type": "all_xpath", "xpath": [{"xpath": "nav", "index": "all"}]}
    assert "title" in words_of(show_feediron(parse_libxml2(PAGE), nothing))


def test_graby_takes_the_title_out_and_the_first_body_that_matches() -> None:
    config = "title: //h1\nstrip: //i\nbody: //nav\nbody: //main | //div\nbody: //h1\n"
    assert words_of(show_graby(parse_graby(PAGE), config)) == ["one", "two", "three"]
    assert show_graby(parse_graby(PAGE), "body: //nav") == ""
    # php-readability removes the tags of spans before anything else sees the page.
    assert find_all(parse_graby("<p>a<span>b</span>"), "//span") == []


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("main > .a", 2),
        ("main p", 1),
        ("[class^='a']", 3),
        ("[class$=d]", 1),
        ("div:not(.a)", 0),
        ("h1 + div", 1),
        ("h1 ~ div", 2),
        ("#x", 0),
    ],
)
def test_selectors_match_as_in_css(selector: str, found: int) -> None:
    assert len(find_all(parse_libxml2(PAGE), css_to_xpath(selector))) == found


@pytest.mark.parametrize("selector", ["", "a,,b", "a:hover", "a[", ":not(a"])
def test_what_is_not_css_of_ours_is_refused(selector: str) -> None:
    with pytest.raises(WrapperError, match="not a CSS selector"):
        css_to_xpath(selector)
