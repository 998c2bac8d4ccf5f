"""Site configs of FiveFilters are imported with their meaning; what isn't is named by line."""

from __future__ import annotations

import pytest

from forest_crawler.errors import WrapperError
from forest_crawler.export.fivefilters_import import read_fivefilters, site_and_host
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.safe_xpath import check_safe

HAND_WRITTEN = """\
# a comment: with a colon
title: //h1[@class='entry-title']
body: //div[@id="content"]//div[contains(@class, 'stor') and contains(@class,'body')]
body: //div[3]
strip: //div[@class="share tools"]
strip: //p[contains(text(), 'Read')]
strip_id_or_class: advert
strip_image_src: /ads/
next_page_link: //a[@rel='next']
replace_string(<br>): <p>
prune: no
test_url: http://gazette.example/a
"""
PAGE = (
    "<h1 class=entry-title>Rain</h1><div id=content><div class='body x story'><p>It rained."
    "<p>Read more<div class='share tools'>Share</div><div class='tools share'>Kept</div>"
    "<p id=advert>Buy<p class='x advert'>Buy<p class=adverts>All day.</div></div>"
)


def test_the_rules_of_a_config_keep_their_meaning() -> None:
    first, second = read_fivefilters(HAND_WRITTEN, "gazette.example").wrappers
    tree = parse_page(PAGE)
    assert first.select(tree).text.split() == ["It", "rained.", "Kept", "All", "day."]
    assert first.locate(tree, "title")[0].text == "Rain"
    assert (first.method, first.form, second.body) == ("fivefilters", "xpath", ("//div[3]",))


def test_what_is_not_done_here_is_named_with_its_line() -> None:
    skipped = read_fivefilters(HAND_WRITTEN, "gazette.example").skipped
    assert [(it.number, it.command) for it in skipped] == [
        (9, "next_page_link"),
        (10, "replace_string"),
    ]
    assert str(skipped[0]) == "line 9: next_page_link: not done here"


@pytest.mark.parametrize(
    ("path", "right", "wrong"),
    [
        ("//div[@class='a']", "<div class=a>", "<div class='a b'>"),
        ("//div[contains(@class,'sto')]", "<div class=history>", "<div class=hi>"),
        ("//div[@id='a' or @id='b']", "<div id=b>", "<div id=c>"),
        ("//div[contains(@id,'post-')]", "<div id=post-7>", "<div id=p>"),
        ("//*[@itemprop='articleBody']", "<div itemprop=articleBody>", "<div>"),
        ("//div[starts-with(@id,'p') and not(@class)]", "<div id=p1>", "<div id=p1 class=x>"),
        ("//div[@id and (not(@class))]", "<div id=p>", "<div id=p class=x>"),
        ("id('a')", "<div id=a>", "<div id=b>"),
        ("div[@id='a']", "<div id=a>", "<div id=b>"),
    ],
)
def test_conditions_select_exactly_what_they_say(path: str, right: str, wrong: str) -> None:
    (wrapper,) = read_fivefilters(f"body: {path}", "gazette.example").wrappers
    page = f"<main>{wrong}No.</div>{right}Yes.</div></main>"
    assert wrapper.select(parse_page(page)).text == "Yes."


def test_a_page_that_a_rule_does_not_fit_has_no_article_by_it() -> None:
    (wrapper,) = read_fivefilters("body: //div[@id='a'][2]", "gazette.example").wrappers
    assert not wrapper.select(parse_page("<div id=a>One.</div>"))


def test_a_position_counts_as_in_xpath() -> None:
    (wrapper,) = read_fivefilters("body: (//p)[2]", "gazette.example").wrappers
    assert wrapper.select(parse_page("<p>One.<p>Two.<p>Three.")).text == "Two."


def test_a_config_whose_paths_any_tool_can_run_becomes_a_portable_wrapper() -> None:
    (wrapper,) = read_fivefilters("body: //div[ @id = 'a' ] / p", "gazette.example").wrappers
    assert (wrapper.form, wrapper.body) == ("portable", ("//div[@id='a']/p",))


@pytest.mark.parametrize(
    ("name", "applies", "not_to"),
    [
        ("news.gazette.co.uk", "http://news.gazette.co.uk/a", "http://gazette.co.uk/a"),
        (".gazette.co.uk", "http://news.gazette.co.uk/a", "http://www.gazette.co.uk/a"),
    ],
)
def test_a_config_of_a_sub_domain_applies_to_its_host(name: str, applies: str, not_to: str) -> None:
    (wrapper,) = read_fivefilters("body: //main", name).wrappers
    page = "<main>It rained.</main>"
    assert wrapper.site == "gazette.co.uk"
    assert wrapper.select(parse_page(page, url=applies)).text == "It rained."
    assert not wrapper.select(parse_page(page, url=not_to))


def test_a_config_of_a_site_applies_to_all_its_hosts() -> None:
    assert site_and_host("www.gazette.co.uk") == ("gazette.co.uk", None)


@pytest.mark.parametrize("config", ["title: //h1", "body: //p[//p]", "body: //p["])
def test_a_config_without_a_usable_body_is_refused_with_the_reason(config: str) -> None:
    with pytest.raises(WrapperError, match=r"no body rule|line 1: body"):
        read_fivefilters(config, "gazette.example")


@pytest.mark.parametrize(
    "hostile",
    [
        "document('file:///etc/hostname')",
        "//p[count(//p)>0]",
        "//p[.//p[.//p]]",
        "//p/following::p",
        "//*[re:test(@class, 'a')]",
        "$x",
        "//a" * 9,
        "//p[" + "not(" * 600 + "1" + ")" * 600 + "]",
        "//p[@id='a'" + " or @id='a'" * 200 + "]",
    ],
)
def test_paths_that_could_be_slow_or_reach_out_are_refused(hostile: str) -> None:
    with pytest.raises(WrapperError):
        check_safe(hostile)
