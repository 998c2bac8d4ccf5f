"""Domains without a scheme become https URLs, and files stay files."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_crawler.feed.feed_list import read_feed_list
from forest_crawler.urls.bare_domains import complete_argument, complete_url


@pytest.mark.parametrize(
    ("text", "in_a_list", "as_an_argument"),
    [
        ("example.org", True, True),
        ("bbc.co.uk", True, True),
        ("www.example.org/feed.xml", True, True),
        ("example.org:8080", True, True),
        ("bücher.de", True, True),
        ("gazette.test/feed", True, True),
        ("feeds.opml", True, False),  # not a top-level domain
        ("README.md", True, False),  # one, but who means Moldova?
        ("example.md/feed", True, True),
        ("a.b.c", True, False),
        ("news", False, False),
        ("localhost:8000", False, False),
        ("10.0.0.1", False, False),
        ("desk@example.org", False, False),
        ("mailto:example.org", False, False),
        ("example.org:99999", False, False),
        ("example.org and more", False, False),
        ("./example.org", False, False),
        ("pages/example.org", False, False),
        ("-", False, False),
        ("", False, False),
    ],
)
def test_a_bare_domain_is_an_https_url(text: str, in_a_list: bool, as_an_argument: bool) -> None:
    assert complete_url(text) == (f"https://{text}" if in_a_list else None)
    assert complete_argument(text) == (f"https://{text}" if as_an_argument else None)


def test_a_file_that_exists_is_a_file_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("example.org").write_text("gazette.example # a comment\nhttp://b.example/feed\n")
    assert complete_argument("example.org") is None
    read = read_feed_list(["example.org", "harbour.example"])
    assert [entry.url for entry in read.entries] == [
        "https://gazette.example",
        "http://b.example/feed",
        "https://harbour.example",
    ]
