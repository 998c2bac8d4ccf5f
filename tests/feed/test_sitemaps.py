"""Sitemaps of every form are read; hostile ones are bounded or refused."""

from __future__ import annotations

import gzip
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.errors import SitemapError
from forest_crawler.feed.sitemaps import (
    MAX_PAGES,
    Sitemap,
    SitemapPage,
    read_sitemap,
    usual_sitemaps,
)
from tests.support.growth import assert_linear

HOME = "http://gazette.example/"
NOW = datetime(2026, 7, 1, tzinfo=UTC)


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


def test_plain_list_of_urls_is_a_sitemap() -> None:
    found = read(f"{HOME}a\r\n\n{HOME}b\nhttp://other.example/\n".encode())
    assert [page.url for page in found.pages] == [HOME + "a", HOME + "b"]


def test_sitemap_lists_only_its_own_site() -> None:
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


def test_gzip_bomb_is_unpacked_only_up_to_the_size_limit() -> None:
    padded = row("a", f"<x>{' ' * 5000}</x>").encode()
    body = gzip.compress(sitemap()[:-9] + padded * 20_000, compresslevel=1)
    tracemalloc.start()
    found = read(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60_000_000  # unpacked, it has a hundred million
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
def test_document_that_is_not_a_sitemap_is_refused_with_its_reason(
    body: bytes, reason: str
) -> None:
    with pytest.raises(SitemapError) as caught:
        read(body)
    assert caught.value.reason == reason


def test_sitemap_opens_nothing_that_it_declares(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("swordfish")
    doctype = f'<!DOCTYPE urlset [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    assert read(sitemap(row("a&x;"), doctype=doctype)).pages[0].url == HOME + "a"


def test_broken_sitemap_gives_the_pages_before_the_damage() -> None:
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
