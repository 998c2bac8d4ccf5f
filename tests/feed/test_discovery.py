"""The feeds of a site are found from its pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.feed.discovery import MAX_CANDIDATES, discover_feeds, usual_feeds
from tests.support.growth import assert_linear

HOME = "http://gazette.example/"
RSS = 'rel="alternate" type="application/rss+xml"'


def feeds(page: str | bytes, url: str = HOME) -> list[tuple[str, str]]:
    """List the feeds that the page itself names, and how."""
    found = discover_feeds(page, url=url)
    return [(c.url.removeprefix(HOME), c.why) for c in found if c.why != "usual URL"]


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (f'<link {RSS} href="/news.xml">', ["news.xml"]),
        ('<LINK REL="Alternate" TYPE="application/ATOM+xml; charset=utf-8" HREF=a>', ["a"]),
        ('<link rel="alternate" type="application/feed+json" href="f.json">', ["f.json"]),
        ('<link rel="feed" type="application/rss+xml" href="f">', ["f"]),
        ('<link rel="alternate home" type="application/rdf+xml" href="f#top">', ["f"]),
        ('<link rel="alternate" type="text/xml" href="/rss.xml">', ["rss.xml"]),
        ('<link rel="alternate" type="text/xml" href="/data.xml">', []),
        ('<link rel="alternate" type="application/json" href="/api/v2/">', []),
        ('<link rel="alternate" type="application/json+oembed" href="/o">', []),
        ('<link rel="alternate" hreflang="de" href="/de/">', []),
        ('<link rel="stylesheet" type="application/rss+xml" href="/a">', []),
        (f'<link {RSS} href="javascript:alert(1)"><link {RSS}><link {RSS} href="http://[">', []),
        (f'<base href="/sub/"><link {RSS} href="f">', ["sub/f"]),
        (f'<link {RSS} href="a"><link {RSS} href="b"><link {RSS} href="a">', ["a", "b"]),
        (f'<link {RSS} title="Comments" href="a"><link {RSS} href="b">', ["b", "a"]),
        (f'</head><body><p>x<link {RSS} href="a">', ["a"]),
    ],
)
def test_declared_feeds_are_found(head: str, found: list[str]) -> None:
    assert feeds(f"<html><head>{head}") == [(url, "link") for url in found]


@pytest.mark.parametrize(
    ("href", "is_feed"),
    [
        ("/feed", True),
        ("/feed/", True),
        ("/rss", True),
        ("/blog/atom.xml", True),
        ("/feeds/posts/default", True),
        ("/news.rss", True),
        ("/index.rdf", True),
        ("/index.xml", True),
        ("/gazette-rss.xml", True),
        ("/export.php?format=rss", True),
        ("/?feed=rss2", True),
        ("http://feeds.service.example/gazette", True),
        ("/feedback", False),
        ("/rss-explained", False),
        ("/data.xml", False),
        ("/sitemap.xml", False),
        ("/", False),
        ("http://reader.example/subscribe/feed/http://gazette.example/feed", False),
        ("http://reader.example/add?feed=rss&url=http%3A%2F%2Fgazette.example%2Ffeed", False),
        ("mailto:feed@gazette.example", False),
    ],
)
def test_anchors_to_feeds_are_found(href: str, is_feed: bool) -> None:
    url = href if "://" in href else href.removeprefix("/")
    assert feeds(f'<p><a href="{href}">x</a>') == [(url, "anchor")] * is_feed


def test_declared_feeds_come_first_then_own_anchors_then_others_then_usual_urls() -> None:
    page = f"""<a href="http://feeds.service.example/gazette">RSS</a><a href="/all.rss">All <b>news
        </b></a><a href=/comments/feed>x</a><link {RSS} href="/z" title="The &amp; news">"""
    found = discover_feeds(page, url=HOME)
    assert [(c.url, c.why, c.title) for c in found[:5]] == [
        ("http://gazette.example/z", "link", "The & news"),
        ("http://gazette.example/all.rss", "anchor", "All news"),
        ("http://feeds.service.example/gazette", "anchor", "RSS"),
        ("http://gazette.example/comments/feed", "anchor", "x"),
        ("http://gazette.example/feed", "usual URL", None),
    ]
    assert {c.why for c in found[4:]} == {"usual URL"}


def test_usual_urls_are_beside_the_page_then_at_the_root() -> None:
    found = usual_feeds("http://gazette.example/blog/index.html?x")
    assert found[0] == "http://gazette.example/blog/feed"
    assert found.index("http://gazette.example/blog/rss.xml") < found.index(HOME + "feed")
    assert usual_feeds(HOME)[:3] == [HOME + "feed", HOME + "rss.xml", HOME + "atom.xml"]


def test_page_is_not_a_candidate_for_its_own_feed() -> None:
    assert HOME + "feed" not in [c.url for c in discover_feeds("<p>x", url=HOME + "feed")]


@pytest.mark.parametrize("page", ["", " ", "<!-- x -->", "\x00", b"\xff\xfe"])
def test_empty_page_has_only_the_usual_urls(page: str | bytes) -> None:
    assert [c.why for c in discover_feeds(page, url=HOME)] == ["usual URL"] * 7


def test_page_full_of_feed_links_gives_a_few_in_linear_time() -> None:
    def discover(links: int) -> None:
        page = "".join(f'<a href="/{i}/feed">{i}</a>' for i in range(links))
        assert len(discover_feeds(page, url=HOME)) == MAX_CANDIDATES

    assert_linear(lambda links: lambda: discover(links), 20_000)


@pytest.mark.parametrize("site", bundled_sites(), ids=lambda site: site.name)
def test_feed_of_a_bundled_site_is_the_first_candidate_or_at_a_usual_url(site: Path) -> None:
    package = json.loads((site / "package.json").read_text(encoding="utf-8"))
    url = package["url"]
    found = [c.url for c in discover_feeds((site / package["home"]).read_bytes(), url=url)]
    # The bundled sites' feeds are all named feed.xml.
    assert url + package["feed"] in found
    assert found[0] in {url + package["feed"], url + "feed"}


@given(
    st.text()
    | st.lists(st.sampled_from(["<a href=", "<link rel=feed href='", ">", "http://["])).map("".join)
)
def test_any_page_gives_candidates(page: str) -> None:
    assert len(discover_feeds(page, url=HOME)) >= 7
