"""URLs inside an article become absolute; plain ones take a short way to the same result."""

import pytest

from forest_crawler.article.content.links import Resolver
from forest_crawler.page.tree import parse_page

PAGE = "https://gazette.example/news/2026/rain.html"


@pytest.mark.parametrize(
    ("href", "url"),
    [
        # Plain: as they are, or after the origin.
        ("http://harbour.example/a/b-c_d.html", "http://harbour.example/a/b-c_d.html"),
        ("https://gazette.example/a?id=7&x=%20", "https://gazette.example/a?id=7&x=%20"),
        ("/sport/ferry.html?id=7", "https://gazette.example/sport/ferry.html?id=7"),
        ("/sport/", "https://gazette.example/sport/"),
        ("https://a.example/x/https://b.example/c,d", "https://a.example/x/https://b.example/c,d"),
        ("https://gazette.example", "https://gazette.example"),
        ("/a@b:c!(d)", "https://gazette.example/a@b:c!(d)"),
        # Almost plain: `urljoin` changes them.
        ("https://gazette.example/a?", "https://gazette.example/a"),
        ("https://gazette.example/a;", "https://gazette.example/a"),
        ("https://gazette.example/a?b#", "https://gazette.example/a?b"),
        ("/sport/../ferry", "https://gazette.example/ferry"),
        ("/sport/./ferry", "https://gazette.example/sport/ferry"),
        ("/ferry?", "https://gazette.example/ferry"),
        ("//harbour.example/a", "https://harbour.example/a"),
        ("HTTPS://harbour.example/a", "https://harbour.example/a"),
        (" /ferry\n", "https://gazette.example/ferry"),
        ("ferry", "https://gazette.example/news/2026/ferry"),
        ("?page=2", "https://gazette.example/news/2026/rain.html?page=2"),
        ("javascript:void(0)", None),
        ("/" + 4000 * "a", None),
    ],
)
def test_links_are_absolute(href: str, url: str | None) -> None:
    assert Resolver(parse_page("<p>Rain", url=PAGE)).link(href) == url


@pytest.mark.parametrize(
    ("page", "base", "url"),
    [
        (PAGE, "http://cdn.example/x/", "http://cdn.example/a"),
        ("https://gazette.example:8000/x", None, "https://gazette.example:8000/a"),
        (None, None, "/a"),
    ],
)
def test_paths_begin_at_the_origin_of_page_or_base(
    page: str | None, base: str | None, url: str
) -> None:
    head = f'<base href="{base}">' if base else ""
    assert Resolver(parse_page(f"{head}<p>Rain", url=page)).link("/a") == url
