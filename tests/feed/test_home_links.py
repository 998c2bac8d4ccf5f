"""The article links of a home page are found by their structure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.errors import EmptyPageError
from forest_crawler.feed.home_links import discover_articles
from forest_crawler.page.tree import parse_page
from tests.support.growth import Work, assert_linear

HOME = "http://gazette.example/"


def articles(page: str, url: str = HOME) -> list[str]:
    return [link.url for link in discover_articles(parse_page(page), url=url)]


@pytest.mark.parametrize("site", bundled_sites(), ids=lambda site: site.name)
def test_articles_of_a_bundled_home_page_are_found_and_nothing_else(site: Path) -> None:
    package = json.loads((site / "package.json").read_text(encoding="utf-8"))
    pages = {json.loads(p.with_suffix(".json").read_text())["url"] for p in site.glob("*.txt")}
    tree = parse_page((site / package["home"]).read_bytes())
    assert {link.url for link in discover_articles(tree, url=package["url"])} == pages


PATHS = {
    "dated": "/2026/06/{}/rain-again",
    "numbers": "/news/{}12345",
    "slugs": "/rain-falls-on-the-harbour-{}",
    "query": "/?p={}7",
    "sections": "/harbour/rain-again-{}.html",
    "encoded": "/%E9%9B%A8%E3%81%8C-%E9%99%8D%E3%82%8B-{}",
}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_rows_of_headlines_are_articles_whatever_their_urls(path: str) -> None:
    links = [path.format(i) for i in range(1, 6)]
    rows = "".join(f'<li><h3><a href="{a}">Rain falls on the old harbour</a></h3>' for a in links)
    assert articles(f"<ul>{rows}</ul>") == [HOME + a[1:] for a in links]


OTHER = {
    "menu": '<nav><a href="/world-news-{}">News of the whole wide world</a></nav>',
    "sections": '<div><a href="/section-{}">Harbour</a></div>',
    "tags": '<p><a href="/tag/old-harbour-{}">old harbour and its cranes</a></p>',
    "authors": '<p><a rel="author" href="/staff/ann-leaf-{}">Ann Leaf, correspondent</a></p>',
    "footer": '<footer><a href="/legal/terms-of-use-{}">Terms of use and conditions</a></footer>',
    "header": '<header><a href="/offers/a-year-off-{}">Subscribe for a whole year</a></header>',
    "pages": '<p><a href="/page/{}">{}</a></p>',
    "other site": '<p><a href="http://other.example/2026/06/1{}/a-b-c">Rain falls on them</a></p>',
    "images": '<p><a href="/2026/06/2{}/rain-again.jpg">Rain falls on the old harbour</a></p>',
    "anchors": '<p><a href="#part-of-this-page-{}">A part of this very page, further down</a></p>',
    "scripts": '<p><a href="javascript:open({})">Opens something that is not known</a></p>',
    "files": '<p><a href="/feeds/news-{}.rss">All the news of the old harbour</a></p>',
}


@pytest.mark.parametrize("row", OTHER.values(), ids=OTHER)
def test_other_links_are_not_articles(row: str) -> None:
    assert articles("".join(row.format(i, i) for i in range(1, 6))) == []


@pytest.mark.parametrize(
    ("path", "is_article"),
    [
        ("/rain-falls-on-the-harbour", True),  # five words and a headline
        ("/2026/06/rain.html", True),
        ("/harbour/rain.html", False),
        ("/rain-falls", False),
    ],
)
def test_single_link_needs_more_than_a_headline(path: str, is_article: bool) -> None:
    page = f'<p><a href="{path}">Rain falls on the old harbour</a>'
    assert articles(page) == [HOME + path[1:]] * is_article


def test_several_links_to_one_article_give_it_once() -> None:
    row = '<div><a href="{0}"><img></a><h2><a href="{0}">{1}</a></h2><a href="{0}">more</a></div>'
    page = "".join(row.format(f"/2026/06/{i}/rain", f"Rain falls, part {i}") for i in range(1, 4))
    found = discover_articles(parse_page(page), url=HOME)
    assert [(link.url[-6:], link.text) for link in found] == [
        ("1/rain", "Rain falls, part 1"),
        ("2/rain", "Rain falls, part 2"),
        ("3/rain", "Rain falls, part 3"),
    ]


def test_short_headline_among_its_siblings_is_an_article_too() -> None:
    titles = ["Rain falls on the old harbour", "Crane sold to a museum abroad", "Fog"]
    rows = (f'<li><a href="/2026/06/{i}.html">{title}</a>' for i, title in enumerate(titles))
    assert len(articles(f"<ul>{''.join(rows)}</ul>")) == 3


def test_page_of_many_links_is_read_in_linear_time() -> None:
    def work_of(links: int) -> Work:
        rows = (f'<a href="/2026/06/rain-{i}">Rain falls on us</a>' for i in range(links))
        tree = parse_page("<p>" + "".join(rows))
        return lambda: discover_articles(tree, url=HOME)

    assert_linear(work_of, 50_000)


@given(
    st.text(max_size=200),
    st.sampled_from(["{}", "<a href='{}'>x</a>", "<base href='{}'><a href=x>"]),
)
def test_any_page_gives_articles_or_none(text: str, form: str) -> None:
    try:
        tree = parse_page(form.format(text))
    except EmptyPageError:
        return
    for link in discover_articles(tree, url=HOME):
        assert link.url.startswith("http")
