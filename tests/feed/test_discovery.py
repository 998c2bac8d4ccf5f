"""The feeds, sitemaps and article links of a site are found from its pages."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.errors import EmptyPageError, SitemapError
from forest_crawler.feed.discovery import MAX_CANDIDATES, discover_feeds, usual_feeds
from forest_crawler.feed.home_links import discover_articles
from forest_crawler.feed.sitemaps import (
    MAX_PAGES,
    Sitemap,
    SitemapPage,
    read_sitemap,
    usual_sitemaps,
)
from forest_crawler.page.tree import parse_page
from tests.support.growth import Work, assert_linear

HOME = "http://gazette.example/"
NOW = datetime(2026, 7, 1, tzinfo=UTC)
RSS = 'rel="alternate" type="application/rss+xml"'


def feeds(page: str | bytes, url: str = HOME) -> list[tuple[str, str]]:
    """What the page itself names, and how."""
    found = discover_feeds(page, url=url)
    return [(c.url.removeprefix(HOME), c.why) for c in found if c.why != "usual address"]


def articles(page: str, url: str = HOME) -> list[str]:
    return [link.url for link in discover_articles(parse_page(page), url=url)]


# Feeds of a page


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


def test_declared_feeds_come_first_then_own_anchors_then_others_then_usual_addresses() -> None:
    page = f"""<a href="http://feeds.service.example/gazette">RSS</a><a href="/all.rss">All <b>news
        </b></a><a href=/comments/feed>x</a><link {RSS} href="/z" title="The &amp; news">"""
    found = discover_feeds(page, url=HOME)
    assert [(c.url, c.why, c.title) for c in found[:5]] == [
        ("http://gazette.example/z", "link", "The & news"),
        ("http://gazette.example/all.rss", "anchor", "All news"),
        ("http://feeds.service.example/gazette", "anchor", "RSS"),
        ("http://gazette.example/comments/feed", "anchor", "x"),
        ("http://gazette.example/feed", "usual address", None),
    ]
    assert {c.why for c in found[4:]} == {"usual address"}


def test_usual_addresses_are_beside_the_page_then_at_the_root() -> None:
    found = usual_feeds("http://gazette.example/blog/index.html?x")
    assert found[0] == "http://gazette.example/blog/feed"
    assert found.index("http://gazette.example/blog/rss.xml") < found.index(HOME + "feed")
    assert usual_feeds(HOME)[:3] == [HOME + "feed", HOME + "rss.xml", HOME + "atom.xml"]


def test_page_is_no_candidate_for_its_own_feed() -> None:
    assert HOME + "feed" not in [c.url for c in discover_feeds("<p>x", url=HOME + "feed")]


@pytest.mark.parametrize("page", ["", " ", "<!-- x -->", "\x00", b"\xff\xfe"])
def test_empty_page_leaves_the_usual_addresses(page: str | bytes) -> None:
    assert [c.why for c in discover_feeds(page, url=HOME)] == ["usual address"] * 7


def test_page_of_nothing_but_feeds_gives_a_few_in_linear_time() -> None:
    def discover(links: int) -> None:
        page = "".join(f'<a href="/{i}/feed">{i}</a>' for i in range(links))
        assert len(discover_feeds(page, url=HOME)) == MAX_CANDIDATES

    assert_linear(lambda links: lambda: discover(links), 20_000)


@pytest.mark.parametrize("site", bundled_sites(), ids=lambda site: site.name)
def test_feed_of_a_bundled_site_is_the_first_candidate_or_at_a_usual_address(site: Path) -> None:
    package = json.loads((site / "package.json").read_text(encoding="utf-8"))
    url = package["url"]
    found = [c.url for c in discover_feeds((site / package["home"]).read_bytes(), url=url)]
    # The bundled sites' feeds are all called feed.xml.
    assert url + package["feed"] in found
    assert found[0] in {url + package["feed"], url + "feed"}


@given(
    st.text()
    | st.lists(st.sampled_from(["<a href=", "<link rel=feed href='", ">", "http://["])).map("".join)
)
def test_any_page_gives_candidates(page: str) -> None:
    assert len(discover_feeds(page, url=HOME)) >= 7


# Article links of a home page


@pytest.mark.parametrize("site", bundled_sites(), ids=lambda site: site.name)
def test_articles_of_a_bundled_home_page_are_found_and_nothing_else(site: Path) -> None:
    package = json.loads((site / "package.json").read_text(encoding="utf-8"))
    pages = {json.loads(p.with_suffix(".json").read_text())["url"] for p in site.glob("*.txt")}
    tree = parse_page((site / package["home"]).read_bytes())
    assert {link.url for link in discover_articles(tree, url=package["url"])} == pages


MADE = {
    "dated": "/2026/06/{}/rain-again",
    "numbers": "/news/{}12345",
    "slugs": "/rain-falls-on-the-harbour-{}",
    "query": "/?p={}7",
    "sections": "/harbour/rain-again-{}.html",
    "encoded": "/%E9%9B%A8%E3%81%8C-%E9%99%8D%E3%82%8B-{}",
}


@pytest.mark.parametrize("address", MADE.values(), ids=MADE)
def test_rows_of_headlines_are_articles_whatever_their_addresses(address: str) -> None:
    links = [address.format(i) for i in range(1, 6)]
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
def test_other_links_are_no_articles(row: str) -> None:
    assert articles("".join(row.format(i, i) for i in range(1, 6))) == []


@pytest.mark.parametrize(
    ("address", "is_article"),
    [
        ("/rain-falls-on-the-harbour", True),  # five words and a headline
        ("/2026/06/rain.html", True),
        ("/harbour/rain.html", False),
        ("/rain-falls", False),
    ],
)
def test_single_link_needs_more_than_a_headline(address: str, is_article: bool) -> None:
    page = f'<p><a href="{address}">Rain falls on the old harbour</a>'
    assert articles(page) == [HOME + address[1:]] * is_article


def test_article_with_picture_headline_and_more_is_one() -> None:
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


def test_page_of_endless_links_is_read_in_linear_time() -> None:
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


# Sitemaps


def sitemap(*rows: str, root: str = "urlset", doctype: str = "") -> bytes:
    names = (
        'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
    )
    return f'<?xml version="1.0"?>{doctype}<{root} {names}>{"".join(rows)}</{root}>'.encode()


def row(path: str, more: str = "", tag: str = "url") -> str:
    return f"<{tag}><loc>\n {HOME}{path}</loc>{more}</{tag}>"


def read(body: bytes) -> Sitemap:
    return read_sitemap(body, url=HOME + "sitemap.xml", now=NOW)


def test_sitemap_gives_pages_with_dates() -> None:
    found = read(sitemap(row("a", "<lastmod>2026-06-04T10:00:00Z</lastmod>"), row("b")))
    assert found.pages == (
        SitemapPage(HOME + "a", modified=datetime(2026, 6, 4, 10, tzinfo=UTC)),
        SitemapPage(HOME + "b"),
    )
    assert not found.is_news


def test_news_sitemap_gives_titles_and_languages() -> None:
    news = """<news:news><news:publication><news:name>G</news:name><news:language>en</news:language>
        </news:publication><news:publication_date>2026-06-04</news:publication_date>
        <news:title>Rain &amp; fog</news:title></news:news>"""
    (page,) = read(sitemap(row("a", news))).pages
    assert page == SitemapPage(
        HOME + "a", published=datetime(2026, 6, 4, tzinfo=UTC), title="Rain & fog", language="en"
    )
    assert read(sitemap(row("a", news))).is_news


def test_index_gives_sitemaps() -> None:
    body = sitemap(
        row("s1.xml.gz", tag="sitemap"), row("s2.xml", tag="sitemap"), root="sitemapindex"
    )
    found = read(body)
    assert [s.url for s in found.sitemaps] == [HOME + "s1.xml.gz", HOME + "s2.xml"]
    assert found.pages == ()


def test_gzipped_sitemap_is_unpacked() -> None:
    assert len(read(gzip.compress(sitemap(row("a")))).pages) == 1


def test_list_of_lines_is_a_sitemap() -> None:
    found = read(f"{HOME}a\r\n\n{HOME}b\nhttp://other.example/\n".encode())
    assert [page.url for page in found.pages] == [HOME + "a", HOME + "b"]


def test_sitemap_speaks_for_its_own_site_only() -> None:
    rows = [row("a"), "<url><loc>http://other.example/a</loc></url>", "<url/>", row("a")]
    rows.append("<url><loc>http://news.gazette.example/b</loc></url><url><loc>http://[</loc></url>")
    found = read(sitemap(*rows))
    assert [page.url for page in found.pages] == [HOME + "a", "http://news.gazette.example/b"]
    assert found.left_out == 4  # the other site, the empty one, the second "a", the broken one


def test_huge_sitemap_gives_its_newest_pages_in_linear_time() -> None:
    # A minute apart, the oldest first.
    first = datetime(2026, 1, 1, tzinfo=UTC)
    dates = [(first + timedelta(minutes=i)).isoformat() for i in range(20_000)]
    rows = [row(str(i), f"<lastmod>{date}</lastmod>") for i, date in enumerate(dates)]

    def read_rows(size: int) -> None:
        found = read(sitemap(*rows[:size]))
        assert [page.url for page in found.pages] == [
            f"{HOME}{i}" for i in range(max(0, size - MAX_PAGES), size)
        ]
        assert found.left_out == max(0, size - MAX_PAGES)

    assert_linear(lambda size: lambda: read_rows(size), 20_000)


def test_bomb_in_gzip_is_unpacked_no_further_than_we_read() -> None:
    padded = row("a", f"<x>{' ' * 5000}</x>").encode()
    body = gzip.compress(sitemap()[:-9] + padded * 20_000, compresslevel=1)
    tracemalloc.start()
    found = read(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60_000_000  # of the hundred million that it would be
    assert (len(found.pages), found.is_cut) == (1, True)


LAUGHS = '<!DOCTYPE urlset [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not a sitemap"),
        (b"<!DOCTYPE html><html><body>Not found", "not a sitemap"),
        (b"<rss/>", "not a sitemap"),
        (b"\x1f\x8b\x08broken", "not a sitemap"),
        (b"\x00\x01", "not a sitemap"),
        (sitemap(doctype=LAUGHS), "entities"),
        (sitemap("<url>" * 100_000), "too deep"),
        (b"<urlset>" + b" " * 10 * 2**20, "too large"),
    ],
    ids="empty page feed torn binary laughs deep large".split(),
)
def test_what_is_no_sitemap_is_refused_with_its_reason(body: bytes, reason: str) -> None:
    with pytest.raises(SitemapError) as caught:
        read(body)
    assert caught.value.reason == reason


def test_sitemap_opens_nothing_that_it_declares(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("swordfish")
    doctype = f'<!DOCTYPE urlset [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    assert read(sitemap(row("a&x;"), doctype=doctype)).pages[0].url == HOME + "a"


def test_broken_sitemap_gives_what_stands_before_the_damage() -> None:
    assert read(sitemap(row("a"), row("b"))[:-20]).pages[0].url == HOME + "a"


def test_usual_sitemaps_are_at_the_root_news_first() -> None:
    found = usual_sitemaps("http://gazette.example/blog/")
    assert found[0] == HOME + "news-sitemap.xml"
    assert HOME + "sitemap.xml" in found


@given(st.binary(max_size=100) | st.text(alphabet="<>/urlset loc&;!DOCTYPE[]").map(str.encode))
def test_any_bytes_are_a_sitemap_or_refused(body: bytes) -> None:
    try:
        found = read(body)
    except SitemapError as err:
        assert err.reason  # noqa: PT017
    else:
        assert isinstance(found, Sitemap)
