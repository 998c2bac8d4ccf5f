"""Links in HTTP headers, by the examples of RFC 8288 and of WebSub."""

from __future__ import annotations

import time

import pytest

from forest_crawler.feed.link_headers import MAX_LENGTH, linked_url

FEED = "https://gazette.example/news/feed"


@pytest.mark.parametrize(
    ("header", "url"),
    [
        ("<https://hub.example/>; rel=hub", "https://hub.example/"),
        ('<https://hub.example/>; rel="hub"', "https://hub.example/"),
        ('<https://hub.example/> ; title="a, <b>" ; REL = "Hub"', "https://hub.example/"),
        (
            '<https://a.example/>; rel="self",<https://hub.example/>;rel="hub"',
            "https://hub.example/",
        ),
        ('<https://hub.example/>; rel="start hub"', "https://hub.example/"),
        ("</hub>; rel=hub, <https://b.example/>; rel=hub", "https://gazette.example/hub"),
        ("<../hub>; rel=hub", "https://gazette.example/hub"),
        ("<https://hub.example/>; rel=hubs", None),
        ("<https://hub.example/>", None),
        ("<https://a.example/>; rel=self; title=hub", None),
        ("<http://[::1>; rel=hub", None),
        ('<https://hub.example/; rel="hub"', None),
        ("", None),
        (None, None),
    ],
)
def test_url_is_the_first_with_the_relation(header: str | None, url: str | None) -> None:
    assert linked_url(header, "hub", base=FEED) == url


@pytest.mark.parametrize("piece", ["<", '"', ";", "<a>;", '<a>;"', "; rel = ", "<a>" + ";" * 50])
def test_odd_headers_take_no_time(piece: str) -> None:
    start = time.process_time()
    assert linked_url(piece * MAX_LENGTH, "hub", base=FEED) is None
    assert time.process_time() - start < 1.0
