"""The exported modules and selectors work in other people's projects, without this program."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from parsel import Selector
from scrapy.http import HtmlResponse

from forest_crawler.export.formats import export_wrappers
from forest_crawler.export.rules import SiteRules
from forest_crawler.wrapper.wrapper import Wrapper

HARBOUR = Wrapper(
    "harbour.example",
    "m",
    "portable",
    ("//main",),
    ("//aside",),
    title="//h1",
    date="//time[@id='d']",
)
HILL = Wrapper("hill.example", "m", "portable", ("//div[@id='a']", "//div[@id='b']"))
SITES = [SiteRules("harbour.example", (HARBOUR,), ("http://harbour.example/f",))]
SITES.append(SiteRules("hill.example", (HILL,)))
PAGE = (
    "<html><body><h1>Ferry</h1><time id=d datetime=2026-03-11T07:40:00Z>Wed</time>"
    "<main><p>It <b>sails</b><!-- x --> again.</p><aside>Ad</aside>"
    "<script>x()</script>Then<br>rain. <a href=/b>b</a><img src=a.png></main></body></html>"
)
KEYS = ["url", "title", "author", "date", "lead", "html", "text"]


@pytest.fixture(scope="module")
def module() -> dict[str, Any]:
    return _run("scrapy")


@pytest.fixture(scope="module")
def parsers() -> dict[str, Any]:
    return _run("parser")


def _run(name: str) -> dict[str, Any]:
    (source,) = export_wrappers(SITES, name).files.values()
    names: dict[str, Any] = {}
    exec(compile(source, "exported.py", "exec"), names)  # noqa: S102  what users import
    return names


def _response(url: str = "http://news.harbour.example/x/a.html") -> HtmlResponse:
    return HtmlResponse(url, body=PAGE.encode(), encoding="utf-8")


def test_a_response_gives_an_article_by_its_url(module: dict[str, Any]) -> None:
    found = module["parse_article"](_response())
    assert list(found) == KEYS
    assert found["url"] == "http://news.harbour.example/x/a.html"
    assert (found["title"], found["author"]) == ("Ferry", None)
    assert found["date"] == "2026-03-11T07:40:00Z"
    assert found["text"] == "It sails again.\nThen\nrain. b"
    assert 'href="http://news.harbour.example/b"' in found["html"]
    assert 'src="http://news.harbour.example/x/a.png"' in found["html"]


def test_the_response_is_not_changed(module: dict[str, Any]) -> None:
    response = _response()
    before = response.selector.get()
    module["parse_article"](response)
    assert response.selector.get() == before
    assert response.css("aside")


def test_an_unknown_site_and_a_page_without_the_body_give_none(module: dict[str, Any]) -> None:
    assert module["parse_article"](_response("http://other.example/a")) is None
    assert module["parse_article"](Selector(text="<p>x"), "harbour.example") is None
    assert module["parse_article"](Selector(text=PAGE)) is None


def test_all_sites_have_the_same_fields(module: dict[str, Any]) -> None:
    page = Selector(text="<div id=a>One</div><div id=b>two</div>")
    found = module["parse_article"](page, "hill.example")
    assert list(found) == KEYS
    assert (found["text"], found["title"], found["url"]) == ("One\ntwo", None, None)


def test_the_docstring_is_whole_however_many_sites() -> None:
    sites = [replace(SITES[0], site=f"a-rather-long-name-{i}.example") for i in range(9)]
    (source,) = export_wrappers(sites, "scrapy").files.values()
    assert '"""Extract articles of 9 sites, in Scrapy or with parsel alone.' in source
    (few,) = export_wrappers(SITES, "scrapy").files.values()
    assert few.startswith('"""Extract articles of harbour.example, hill.example, in Scrapy')


def test_the_documented_line_works_in_a_scrapy_project(tmp_path: Path) -> None:
    (source,) = export_wrappers(SITES, "scrapy").files.values()
    (tmp_path / "example_rules.py").write_text(source)
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")
    spiders = tmp_path / "shop" / "spiders"
    spiders.mkdir(parents=True)
    for package in (spiders, spiders.parent):
        (package / "__init__.py").write_text("")
    (spiders.parent / "settings.py").write_text("SPIDER_MODULES = ['shop.spiders']\n")
    (spiders / "news.py").write_text(
        "import scrapy\nfrom example_rules import parse_article\n"
        "class News(scrapy.Spider):\n    name = 'news-' + parse_article.__name__\n"
    )
    scrapy = [sys.executable, "-m", "scrapy", "list"]
    listed = subprocess.run(scrapy, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert listed.stdout.split() == ["news-parse_article"]


def test_a_parser_class_has_the_names_of_fundus(parsers: dict[str, Any]) -> None:
    parser = parsers["find_parser"]("https://www.harbour.example/a")
    assert type(parser).__name__ == "HarbourExampleParser"
    found = parser.parse(PAGE, "https://www.harbour.example/a")
    assert found["title"] == "Ferry"
    assert found["publishing_date"] == datetime(2026, 3, 11, 7, 40, tzinfo=UTC)
    assert found["body"] == ["It sails again.", "Then", "rain. b"]
    assert (found["authors"], found["summary"]) == ([], None)
    assert found["plaintext"] == "It sails again.\nThen\nrain. b"
    assert parsers["find_parser"]("https://other.example/") is None
    assert parser.parse("<p>x") is None


def test_sites_with_odd_names_have_classes_of_their_own() -> None:
    sites = [
        replace(SITES[0], site=it) for it in ("a-b.example", "a.b.example", "7.example", '"\n')
    ]
    (source,) = export_wrappers(sites, "parser").files.values()
    names: dict[str, Any] = {}
    exec(compile(source, "exported.py", "exec"), names)  # noqa: S102  what users import
    assert list(names["PARSERS"]) == ["a-b.example", "a.b.example", "7.example", '"\n']
    assert len(set(names["PARSERS"].values())) == 4


def test_selectors_have_xpath_and_css_side_by_side() -> None:
    odd = replace(HARBOUR, body=("//div[@id='a\"😀']",))
    (document,) = export_wrappers([replace(SITES[0], wrappers=(odd,))], "selectors").files.values()
    lines = document.splitlines()
    at = lines.index("        body:")
    assert lines[at + 1] == '          - xpath: "//div[@id=\'a\\"\\U0001f600\']"'
    assert lines[at + 2] == '            css: "div[id=\\"a\\\\22 \\U0001f600\\"]"'
    assert lines[at + 3 : at + 5] == ["        strip:", '          - xpath: "//aside"']
    assert '    feeds: ["http://harbour.example/f"]' in lines
