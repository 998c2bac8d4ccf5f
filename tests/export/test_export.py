"""Exported rules select the same text in other tools; imports note omissions."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from forest_crawler.article.article import ArticleSource, make_article
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.errors import UnknownNameError, WrapperError
from forest_crawler.export import PageSample, SiteRules, export_wrappers
from forest_crawler.export.checked_page import CheckedPage
from forest_crawler.export.fivefilters import config_name
from forest_crawler.export.fivefilters_import import read_fivefilters
from forest_crawler.export.formats import FORMATS
from forest_crawler.export.portable_xpath import to_portable
from forest_crawler.extraction.extraction import extract
from forest_crawler.induction import SamplePage, induce
from forest_crawler.page.encoding import decode_page
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.wrapper.locators import Step, read_xpath, write_xpath
from forest_crawler.wrapper.wrapper import Wrapper, load_wrappers
from tests.support.reading_forms import words_of_html
from tests.support.rule_readers import READERS

CLASS_A = "[contains(concat(' ',normalize-space(@class),' '),' a ')]"
FEED = "http://gazette.example/feed.xml?a=1&b=2"


@cache
def induced_rules(name: str) -> tuple[SiteRules, tuple[PageTree, ...]]:
    site = next(site for site in bundled_sites() if site.name == name)
    pages = [page for page in read_pages(str(site)) if page.gold is not None]
    trees = tuple(parse_page(page.source, url=page.url) for page in pages)
    sample = [SamplePage(tree, page.entry) for tree, page in zip(trees, pages, strict=True)]
    samples = (PageSample(pages[0].url or "", "a piece of text"),)
    host = f"{name}.example"
    wrappers = tuple(induce(sample, site=host))
    checked = []
    for tree, page in zip(trees, pages, strict=True):
        source = ArticleSource(url=page.url, site=host, entry=page.entry)
        made = make_article(tree, extract(tree, wrappers, "page"), source)
        text = decode_page(page.source)[1] if isinstance(page.source, bytes) else page.source
        checked.append(CheckedPage(page.url or "", text, made.text, made.title))
    return SiteRules(host, wrappers, (FEED,), samples, pages=tuple(checked)), trees


# The smallest share of words that each program shows of a bundled site, by our simulation of it:
# from 0.9 on, an export calls a site "whole". RSS-Bridge takes one element, and the articles of one
# site are spread over several that none holds alone (`SPREAD`).
MIN_SHARES = {"fivefilters": 0.9, "feediron": 0.9, "freshrss": 0.9, "miniflux": 0.9}
MIN_SHARES["rss-bridge"] = 0.9
SPREAD = {("gazette-des-cols", "rss-bridge")}


@pytest.mark.parametrize("format", MIN_SHARES)
@pytest.mark.parametrize("name", [site.name for site in bundled_sites()])
def test_each_program_shows_the_articles(name: str, format: str) -> None:  # noqa: A002
    rules, _ = induced_rules(name)
    exported = export_wrappers([rules], format)
    (document,) = exported.files.values()
    (check,) = exported.checks
    shown = [it.score(READERS[format](document, it.source, rules.site)) for it in rules.pages]
    if format != "fivefilters":  # that reader leaves title and author in the page
        assert sum(shown) / len(shown) == pytest.approx(check.share, abs=0.02)
    if (name, format) not in SPREAD:
        assert check.share is not None
        assert check.share >= MIN_SHARES[format]
        assert check.verdict == "whole"


def test_our_json_is_read_back_unchanged() -> None:
    rules, _ = induced_rules("harbour-gazette")
    (document,) = export_wrappers([rules], "json").files.values()
    assert tuple(load_wrappers(document)) == rules.wrappers


def test_a_site_config_has_what_its_consumers_need() -> None:
    rules, _ = induced_rules("harbour-gazette")
    exported = export_wrappers([rules], "fivefilters")
    assert list(exported.files) == ["harbour-gazette.example.txt"]
    lines = exported.files["harbour-gazette.example.txt"].splitlines()
    assert {"prune: no", "tidy: no", "test_contains: a piece of text"} <= set(lines)
    assert f"test_url: {rules.samples[0].url}" in lines
    assert any(line.startswith("title: //") for line in lines)


def test_an_exported_site_config_is_read_back_as_wrappers() -> None:
    rules, trees = induced_rules("stadtlicht")
    (config,) = export_wrappers([rules], "fivefilters").files.values()
    read = read_fivefilters(config, rules.site)
    assert [wrapper.body for wrapper in read.wrappers] == [it.body for it in rules.wrappers]
    assert [wrapper.title for wrapper in read.wrappers] == [it.title for it in rules.wrappers]
    assert read.skipped == []
    assert read.wrappers[0].form == "portable"
    assert read.wrappers[0].select(trees[0]).text


@pytest.mark.parametrize(
    ("written", "portable"),
    [
        ("//div[@id='a']", ["//div[@id='a']"]),
        ("div[@id='a']", ["//div[@id='a']"]),
        ("//div[ @id = 'a' ] / p", ["//div[@id='a']/p"]),
        ("//a[@x='|'] | //b", ["//a[@x='|']", "//b"]),
        (
            '//div[starts-with( @class , "Body_")]/p',
            ["//div[starts-with(@class,'Body_')]/p"],
        ),
        (
            "//div[starts-with(@id, 'post-') and @role='main']",
            ["//div[starts-with(@id,'post-')][@role='main']"],
        ),
        (
            "//p[@class='a b']",
            [f"//p{CLASS_A}{CLASS_A.replace(' a ', ' b ')}"],
        ),
    ],
)
def test_xpaths_that_people_write_become_portable(written: str, portable: list[str]) -> None:
    assert to_portable(written) == portable


@pytest.mark.parametrize(
    "hostile",
    [
        "//p[count(//p)>0]",
        "document('file:///etc/hostname')",
        "//p/ancestor::div",
        "//*[re:test(@class, 'a')]",
        "//p[1]",
        "//p[starts-with(@class,'')]",
        "//p[starts-with(text(),'a')]",
        "//p[@class='\"]|//*[\"']",
        "//" + "p/" * 2000,
        "",
    ],
)
def test_xpaths_that_no_locator_can_express_are_refused(hostile: str) -> None:
    with pytest.raises(WrapperError):
        _read_all(hostile)


def _read_all(text: str) -> None:
    for path in to_portable(text) or [""]:
        read_xpath(path)


@given(st.text(max_size=60))
def test_any_text_becomes_a_portable_path_or_is_refused(text: str) -> None:
    try:
        found = to_portable(text)
    except WrapperError:
        return
    for path in found:
        read_xpath(path)


PORTABLE = Wrapper("g.example", "m", "portable", ("//main", "//p"), ("//aside",), title="//h1")
DFS = Wrapper("g.example", "m", "dfs", ("//p[@dfs='3']",))


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "json"])
def test_what_a_format_cannot_express_is_noted(format: str) -> None:  # noqa: A002
    rules = SiteRules("g.example", (PORTABLE, DFS, replace(PORTABLE, body=("//div",))))
    notes = " ".join(export_wrappers([rules], format).notes)
    assert "dfs form left out" in notes
    if format in ("feediron", "freshrss", "miniflux", "rss-bridge"):
        assert "takes one wrapper per site; 1 for other templates left out" in notes
        assert "has no rule for title" in notes
    if format in ("freshrss", "miniflux", "rss-bridge"):
        assert "needs a feed's URL" in notes


def test_an_unknown_format_is_named_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="miniflux"):
        export_wrappers([], "feedly")


BUILT = Wrapper(
    "g.example",
    "m",
    "portable",
    ("//div[starts-with(@class,'Body_root__')]",),
    ("//p[starts-with(@class,'AdSlot_root__')]",),
)


@pytest.mark.parametrize("format", READERS)
def test_the_start_of_a_class_is_expressed_in_every_format(format: str) -> None:  # noqa: A002
    page = (
        "<body><div class='Body_root__x7Kd2 wide'>right <p class=AdSlot_root__QoKeJ>stripped</p>"
        "</div><div class='wide Body_root__x7Kd2'>wrong</div></body>"
    )
    exported = export_wrappers([SiteRules("g.example", (BUILT,), (FEED,))], format)
    (document,) = exported.files.values()
    assert words_of_html(READERS[format](document, page, "g.example")) == ["right"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("part", ["body", "strip"])
def test_only_freshrss_has_releases_that_do_not_know_the_start_of_a_class(
    format: str,  # noqa: A002
    part: str,
) -> None:
    wrapper = replace(BUILT, body=("//main",)) if part == "strip" else replace(BUILT, strip=())
    notes = export_wrappers([SiteRules("g.example", (wrapper,), (FEED,))], format).notes
    needs = [note for note in notes if "needs FreshRSS 1.25" in note]
    assert len(needs) == (format == "freshrss")


def test_freshrss_of_any_release_reads_rules_without_the_start_of_a_class() -> None:
    plain = replace(BUILT, body=("//div[@id='^=']",), strip=())
    notes = export_wrappers([SiteRules("g.example", (plain,), (FEED,))], "freshrss").notes
    assert not [note for note in notes if "1.25" in note]


NASTY = ["it's", 'a"b', "'\"", "a]b|c", "-->", "</opml>", "a b;c", "ü東", "1a"]


@pytest.mark.parametrize("value", NASTY)
@pytest.mark.parametrize("format", READERS)
def test_odd_attribute_values_survive_every_format(format: str, value: str) -> None:  # noqa: A002
    root = etree.Element("html")
    body = etree.SubElement(root, "body")
    for text in (value, "other"):
        part = etree.SubElement(body, "div", {"data-x": text})
        part.text = "right" if text == value else "wrong"
        etree.SubElement(part, "p", {"data-y": text}).text = "stripped"
    page = etree.tostring(root, method="html", encoding="unicode")
    path = write_xpath((Step("//", "div", (("data-x", value),)),))
    strip = write_xpath((Step("//", "p", (("data-y", value),)),))
    wrapper = Wrapper("g.example", "m", "portable", (path,), (strip,))
    exported = export_wrappers([SiteRules("g.example", (wrapper,), (FEED,))], format)
    (document,) = exported.files.values()
    if format in ("freshrss", "rss-bridge") and set("\"'[]").intersection(value):
        assert any("cannot express" in note for note in exported.notes)  # they read no escapes
    else:
        assert words_of_html(READERS[format](document, page, "g.example")) == ["right"]


def test_the_word_null_in_a_path_stays() -> None:
    wrapper = Wrapper("g.example", "m", "portable", ("//div[@id='null']",))
    (module,) = export_wrappers([SiteRules("g.example", (wrapper,))], "scrapy").files.values()
    page = "<div id=null>right</div><div id=None>wrong</div>"
    assert words_of_html(READERS["scrapy"](module, page, "g.example")) == ["right"]
    assert READERS["scrapy"](module, page, "unknown.example") == ""


def test_the_published_schema_describes_every_field() -> None:
    schema = json.loads((files("forest_crawler.export") / "wrappers.schema.json").read_text())
    described = schema["$defs"]["wrapper"]["properties"]
    assert list(described) == [field.name for field in fields(Wrapper)]
    rules, _ = induced_rules("harbour-gazette")
    (document,) = export_wrappers([rules], "json").files.values()
    assert_valid(json.loads(document), schema, schema)


def assert_valid(value: object, schema: dict[str, object], root: dict[str, object]) -> None:
    """Check a value by the keywords of JSON Schema that our schema uses."""
    if "$ref" in schema:
        defs = root["$defs"]
        assert isinstance(defs, dict)
        schema = defs[str(schema["$ref"]).rpartition("/")[2]]
    known = {"string": str, "integer": int, "number": (int, float), "array": list, "object": dict}
    kinds = schema.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else []:
        assert isinstance(value, known[kind])  # type: ignore[arg-type]
    if "const" in schema:
        assert value == schema["const"]
    if isinstance(value, dict):
        assert set(schema.get("required", [])) <= set(value)  # type: ignore[call-overload]
        properties = schema.get("properties", {})
        assert isinstance(properties, dict)
        for name, inner in value.items():
            assert name in properties or schema.get("additionalProperties", True)
            assert_valid(inner, properties.get(name, {}), root)
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for inner in value:
            assert_valid(inner, schema["items"], root)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("site", "name"),
    [("gazette.example", "gazette.example.txt"), ("GAZETTE.example", "gazette.example.txt")],
)
def test_a_config_is_named_after_its_host(site: str, name: str) -> None:
    assert config_name(site) == name


@given(st.text(max_size=400))
def test_no_name_of_a_site_leads_out_of_the_directory(site: str) -> None:
    root = Path("/srv/export")
    name = config_name(site)
    assert (root / name).resolve().parent == root
    assert len(name.encode()) <= 255


def test_text_of_a_sample_page_cannot_add_a_rule_to_a_config() -> None:
    sample = PageSample("http://g.example/a\nbody: //script", "x\rstrip: //p\u2028body: //p")
    rules = SiteRules("g.example", (PORTABLE,), (), (sample,))
    (config,) = export_wrappers([rules], "fivefilters").files.values()
    assert [line for line in config.splitlines() if line.startswith("body:")] == [
        "body: (//main | //p)[not(ancestor::main) and not(ancestor::p)]"
    ]


DATED = Wrapper("gazette.example", "by hand", "portable", ("//main",), date="//time[@id='d']")


def test_a_date_in_a_time_element_is_exported_as_its_datetime() -> None:
    (config,) = export_wrappers([SiteRules(DATED.site, (DATED,))], "fivefilters").files.values()
    dates = [line for line in config.splitlines() if line.startswith("date:")]
    assert dates == ["date: //time[@id='d']/@datetime", "date: //time[@id='d']"]
    read = read_fivefilters(config, DATED.site)
    assert (read.wrappers[0].date, read.skipped) == (DATED.date, [])


@pytest.mark.parametrize(
    ("attribute", "date"), [("datetime=2026-03-06T07:40Z", "2026-03-06T07:40Z"), ("", "Friday")]
)
def test_the_snippet_reads_the_exact_date(attribute: str, date: str) -> None:
    parsel = pytest.importorskip("parsel")
    (module,) = export_wrappers([SiteRules(DATED.site, (DATED,))], "scrapy").files.values()
    names: dict[str, object] = {}
    exec(module, names)  # noqa: S102  what users paste
    page = parsel.Selector(f"<main>It rained.</main><time id=d {attribute}>Friday</time>")
    assert names["parse_article"](page, DATED.site)["date"] == date  # type: ignore[operator]
