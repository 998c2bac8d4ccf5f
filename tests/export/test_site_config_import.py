"""Site configs of FiveFilters are imported with their meaning; what isn't is named by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_crawler.article.page_article import extract_article
from forest_crawler.errors import WrapperError
from forest_crawler.export.fivefilters_import import read_fivefilters, site_and_host
from forest_crawler.export.site_headers import header_hosts, write_site_headers
from forest_crawler.fetching.site_headers import read_site_headers
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.page_rewrite import rewrite_source
from forest_crawler.wrapper.safe_xpath import check_safe
from forest_crawler.wrapper.wrapper import dump_wrappers, load_wrappers

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
    tree = parse_page(PAGE, url="http://gazette.example/a")
    assert first.select(tree).text.split() == ["It", "rained.", "Kept", "All", "day."]
    assert first.locate(tree, "title")[0].text == "Rain"
    assert (first.method, first.form, second.body) == ("fivefilters", "xpath", ("//div[3]",))


def test_what_is_not_done_here_is_named_with_its_line() -> None:
    config = "body: //p\nrequires_login: yes\nif_page_contains: //a\nnope: 1\nstrip: //p[\n"
    skipped = read_fivefilters(config, "gazette.example").skipped
    assert [(it.number, it.command) for it in skipped] == [
        (2, "requires_login"),
        (3, "if_page_contains"),
        (4, "nope"),
        (5, "strip"),
    ]
    assert "--cookies" in str(skipped[0])
    assert str(skipped[1]) == "line 3: if_page_contains: not done here"
    assert read_fivefilters(HAND_WRITTEN, "gazette.example").skipped == []


@pytest.mark.parametrize(
    ("rule", "page", "text"),
    [
        ("find_string: <x>\nreplace_string: <p id=b>", "<x>One.</p><p>Two.", "One."),
        ("replace_string(<x>): <p id=b>", "<x>One.</p><p>Two.", "One."),
        ("replace_string(a:b): One.", "<p id=b>a:b", "One."),
        ("replace_string(Two.):", "<p id=b>One.Two.", "One."),
        # As in graby, none is replaced if their numbers differ.
        ("find_string: One\nfind_string: x\nreplace_string: Two", "<p id=b>One.", "One."),
        ("strip_attr: //p[@class]/@id", "<p id=b class=x>Two.<p id=b>One.", "One."),
        ("strip: //p[@class]/@id", "<p id=b class=x>Two.<p id=b>One.", "One."),
    ],
)
def test_the_source_is_changed_before_the_paths_run(rule: str, page: str, text: str) -> None:
    config = read_fivefilters(f"body: //p[@id='b']\n{rule}", "gazette.example")
    assert config.skipped == []
    tree = parse_page(page)
    before = tree.outline.leaf_texts
    assert config.wrappers[0].select(tree).text == text
    assert tree.outline.leaf_texts == before  # the page's own tree never changes


def test_elements_are_wrapped_and_unwrapped() -> None:
    config = "body: //main\nwrap_in(blockquote): //div[@class='q']\ndissolve: //b[@id]\n"
    (wrapper,) = read_fivefilters(config, "gazette.example").wrappers
    page = "<main><div class=q>One.</div>Two <b id=x>three</b><b>four</b></main>"
    article = extract_article(page, "http://gazette.example/a", [wrapper])
    assert "<blockquote>" in article.html
    assert "Two three<b>four</b>" in article.html.replace("<strong>", "<b>").replace(
        "/strong", "/b"
    )


def test_a_replacement_that_would_blow_up_the_page_is_left_out() -> None:
    long = "b" * 100_000
    assert rewrite_source("aaaa", [("replace_string", "a", long)]) == "aaaa"
    assert rewrite_source("aaaa", [("replace_string", "aa", "b")]) == "bb"


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("author: //meta[@name='by']/@content", "<meta name=by content='Ann Lee'>"),
        ("author: substring-after(//p[@id='by'], 'By ')", "<p id=by>By Ann Lee</p>"),
        ("author: //p[@id='by']/text()", "<p id=by>Ann Lee</p>"),
        ("author: 'Ann Lee'", ""),
        ("author: substring-before(substring-after(//script,'by=\"'),'\"')",
         "<script>by=\"Ann Lee\"</script>"),
        # The second rule counts where the first finds nothing.
        ("author: substring-after(//h6, 'By ')\nauthor: //p[@id='by']", "<p id=by>Ann Lee</p>"),
    ],
)  # fmt: skip
def test_fields_may_be_attributes_texts_and_functions(line: str, hidden: str) -> None:
    config = read_fivefilters(f"body: //main\n{line}", "gazette.example")
    assert config.skipped == []
    page = f"{hidden}<main><p>It rained all day long, and then it rained again.</p></main>"
    article = extract_article(page, "http://gazette.example/a", config.wrappers)
    assert article.authors == ("Ann Lee",)


def test_links_to_further_pages_are_found_on_the_same_host_only() -> None:
    config = (
        "body: //p\nnext_page_link: //a[@rel='next']\n"
        "single_page_link: concat('/print/', substring-after(//a[@id='x']/@href, '/'))\n"
    )
    (wrapper,) = read_fivefilters(config, "gazette.example").wrappers
    url = "http://gazette.example/rain"
    page = parse_page("<p>a<a rel=next href='?p=2'>2</a><a id=x href='a/7'>x</a>", url=url)
    assert wrapper.find_link(page, "next_page") == f"{url}?p=2"
    assert wrapper.find_link(page, "single_page") == "http://gazette.example/print/7"
    away = parse_page("<p>a<a rel=next href='http://other.example/2'>2</a>", url=url)
    assert wrapper.find_link(away, "next_page") is None


def test_headers_are_kept_for_a_crawl(tmp_path: Path) -> None:
    text = 'body: //p\nhttp_header(Referer): http://a.example/\nhttp_header(cookie): a="b"\n'
    config = read_fivefilters(text, "news.gazette.example")
    assert (config.skipped, [it.number for it in config.header_lines]) == ([], [2, 3])
    file = tmp_path / "headers.toml"
    file.write_text(write_site_headers(dict.fromkeys(header_hosts(config), config.headers)))
    file.chmod(0o600)
    found = read_site_headers(str(file), None).find("https://news.gazette.example/a")
    assert found == {"referer": "http://a.example/", "cookie": 'a="b"'}


def test_imported_changes_survive_a_file_and_are_checked_in_it() -> None:
    config = "body: //p\nreplace_string(a): b\nnext_page_link: //a\nauthor: //meta/@content\n"
    (wrapper,) = read_fivefilters(config, "gazette.example").wrappers
    written = dump_wrappers([wrapper])
    assert load_wrappers(written) == [wrapper]
    for old, new in [
        ('"replace_string"', '"run"'),
        ('"//a"', '"//p[//p[//p]]"'),
        ('"//meta/@content"', '"//meta[//p]/@content"'),
    ]:
        with pytest.raises(WrapperError):
            load_wrappers(written.replace(old, new))


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
