"""Trifles refuse no valid page, and no robots.txt is misread."""

from __future__ import annotations

import pytest
from protego import Protego
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from forest_crawler.feed.home_links import discover_articles
from forest_crawler.fetching.meta_refresh import MetaRefreshMiddleware
from forest_crawler.fetching.robots_text import normalise_robots
from forest_crawler.page.html_sniffing import is_html
from forest_crawler.page.tree import parse_page

PAGE = b"<!doctype html><title>Rain</title><p>It rained."


@pytest.mark.parametrize("control", [b"\x00", b"\x01", b"\x08", b"\x0e", b"\x1f"])
@pytest.mark.parametrize("position", [0, 20, len(PAGE)])
def test_stray_control_byte_leaves_html_a_page(control: bytes, position: int) -> None:
    assert is_html(PAGE[:position] + control + PAGE[position:], "text/html")


@pytest.mark.parametrize("body", [b"\x00\x01\x02", b"MZ\x90\x00\x03 <p", b"\x01" * 99])
def test_binary_document_labelled_as_html_is_not_a_page(body: bytes) -> None:
    assert not is_html(body, "text/html")


@pytest.mark.parametrize("label", ["text/html, text/html; charset=utf-8", "*/*, text/html"])
def test_page_whose_type_is_stated_twice_is_a_page(label: str) -> None:
    assert is_html(PAGE, label)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_page_in_unmarked_utf_16_is_a_page(encoding: str) -> None:
    assert is_html(PAGE.decode().encode(encoding), "text/html")


def test_refresh_is_followed_though_the_header_names_a_codec_without_text() -> None:
    markup = b"<meta http-equiv=refresh content='0;url=/b'><p>Rain"
    headers = {"Content-Type": "text/html; charset=zlib"}
    response = HtmlResponse("http://gazette.example/a", body=markup, headers=headers)
    middleware = MetaRefreshMiddleware.from_crawler(get_crawler())
    found = middleware.process_response(Request(response.url), response)
    assert found.url == "http://gazette.example/b"


def test_malformed_base_leaves_a_page_as_it_is() -> None:
    markup = b"<base href='http://[::1'><meta http-equiv=refresh content='0;url=/b'><p>Rain"
    response = HtmlResponse("http://gazette.example/a", body=markup)
    middleware = MetaRefreshMiddleware.from_crawler(get_crawler())
    assert middleware.process_response(Request(response.url), response) is response


def test_malformed_base_of_a_home_page_loses_no_link() -> None:
    links = "".join(f"<li><a href='/2026/03/rain-{n}'>Rain on day {n} again</a>" for n in range(5))
    tree = parse_page(f"<base href='http://[::1'><ul>{links}</ul>")
    assert len(discover_articles(tree, url="http://gazette.example/")) == 5


RULES = "User-agent: FOREST-CRAWLER/0.1.0\nDisallow: /private\n\nUser-agent: *\nDisallow:\n"


@pytest.mark.parametrize(
    "body",
    [
        RULES.encode(),
        RULES.lower().encode(),
        b"\xef\xbb\xbf" + RULES.encode(),
        b"\0" + RULES.encode(),
        b"\0\0" + RULES.encode(),
        RULES.encode("utf-16"),
        b"\xfe\xff" + RULES.encode("utf-16-be"),
        RULES.encode("utf-16-le"),
        RULES.encode("utf-16-be"),
        RULES.replace("0.1.0", "0.1.0 # ours").encode(),
        RULES.replace("/0.1.0", "/0.1.0 (+http://gazette.example/)").encode(),
        RULES.replace("/0.1.0", " v0.1.0").encode(),
        RULES.replace("/0.1.0", " (a robot)").encode(),
        b"\0\xef\xbb\xbf" + RULES.encode(),
        b"\xe2\x80\x8b" + RULES.encode(),
        ("User-agent: a\nDisallow: /\n\n" + RULES).replace("\n", "\r").encode(),
    ],
    ids=(
        "version lower-case mark nul two-nuls utf-16 utf-16-be le be comment version-and-url "
        "blank-version blank-comment nul-mark blank-without-width carriage-returns"
    ).split(),
)
def test_robots_txt_is_understood(body: bytes) -> None:
    rules = Protego.parse(normalise_robots(body).decode())
    assert not rules.can_fetch("http://gazette.example/private", "forest-crawler")
    assert rules.can_fetch("http://gazette.example/a", "forest-crawler")
