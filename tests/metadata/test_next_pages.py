"""The next part of an article is found by its link, menus and archives aren't."""

import pytest

from forest_crawler.metadata.next_pages import (
    MAX_PARTS,
    find_next_page,
    find_second_page,
    may_follow,
    shared_next_pages,
)
from forest_crawler.page.tree import PageTree, parse_page

SITE = "http://gazette.example"


def page(links: str, path: str = "/2026/rain.html", head: str = "") -> PageTree:
    html = f"<html><head>{head}</head><body><p>It rained.</p>{links}</body></html>"
    return parse_page(html, url=SITE + path)


@pytest.mark.parametrize(
    ("path", "links", "following"),
    [
        ("/rain", "<a href='?page=2'>2</a> <a href='?page=3'>3</a>", "/rain?page=2"),
        ("/rain?page=2", "<a href='?page=1'>1</a><a href='?page=3'>Next</a>", "/rain?page=3"),
        ("/rain/", "<a href='/rain/2/'>Weiter</a>", "/rain/2/"),
        ("/rain.html", "<a href='/rain-2.html'>»</a>", "/rain-2.html"),
        ("/rain", "<a href='/rain/page/2#top'>2</a>", "/rain/page/2"),
        ("/rain.html", "<a href='/rain,2.html'>2</a>", "/rain,2.html"),
        # Not the next part, not this article, not this site, not a web URL.
        ("/rain", "<a href='?page=3'>3</a>", None),
        ("/rain", "<a href='/fog?page=2'>2</a>", None),
        ("/rain", "<a href='http://other.example/rain?page=2'>2</a>", None),
        ("/rain", "<a href='javascript:next(2)'>2</a>", None),
        ("/rain", "<a href='/rain'>1</a>", None),
        ("/rain", "<a href='http://[x'>2</a>", None),
        ("/rain", "", None),
    ],
)
def test_the_next_part_is_found_by_its_number(path: str, links: str, following: str | None) -> None:
    assert find_next_page(page(links, path)) == (SITE + following if following else None)


def test_a_numbered_article_has_no_second_page() -> None:
    links = "<a href='/rain/8'>Next</a>"
    assert find_next_page(page(links, "/rain/7")) == f"{SITE}/rain/8"
    assert find_second_page(page(links, "/rain/7")) is None
    assert find_second_page(page("<a href='/rain/2'>Next</a>", "/rain")) == f"{SITE}/rain/2"


def test_a_declared_next_page_must_be_a_part_of_the_article() -> None:
    # Blogs use rel=next for the next article.
    assert find_next_page(page("", "/rain", "<link rel=next href='/fog'>")) is None
    assert (
        find_next_page(page("", "/rain", "<link rel=next href='/rain?p=2'>")) == f"{SITE}/rain?p=2"
    )


def test_a_page_without_a_url_has_no_next_part() -> None:
    assert find_next_page(parse_page("<a href='?page=2'>2</a>")) is None


def test_a_link_that_several_pages_share_is_not_a_next_part() -> None:
    menu = "<a href='/2026-2.html'>2</a>"
    trees = [page(menu, "/2026.html"), page(menu, "/2026.html?id=7"), page(menu, "/2026.html")]
    assert shared_next_pages(trees) == [None, None, None]
    assert shared_next_pages([page("<a href='?page=2'>2</a>", "/rain")]) == [f"{SITE}/rain?page=2"]


def test_each_part_is_followed_once_and_up_to_the_cap() -> None:
    seen = [f"{SITE}/rain?page={i}" for i in range(1, 4)]
    assert may_follow(f"{SITE}/rain?page=4", seen)
    assert not may_follow(f"{SITE}/rain?page=2", seen)
    many = [f"{SITE}/rain?page={i}" for i in range(MAX_PARTS)]
    assert not may_follow(f"{SITE}/rain?page=99", many)
