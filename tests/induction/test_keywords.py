"""Keywords from outside a page's text become signifiers."""

from __future__ import annotations

import pytest

from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.keywords import KeywordSource, known_terms
from forest_crawler.induction.sample import SamplePage
from forest_crawler.metadata.page_metadata import read_metadata
from forest_crawler.page.tree import parse_page
from forest_crawler.text.terms import analyzer_for

FERRY = (
    "<title>Storm</title><meta name=description content='Waves at the pier'>"
    "<p>It rained. <a href='/bakery#top'>Bread and rolls</a>"
)
BAKERY = "<title>Oven</title><p>It burned. <a href='http://gazette.example/ferry'>Sailing</a>"


def sample() -> list[SamplePage]:
    return [
        SamplePage(
            parse_page(FERRY, url="http://gazette.example/ferry"),
            FeedEntry("Ferries return", "After nineteen months"),
            keywords=("harbour",),
        ),
        SamplePage(parse_page(BAKERY, url="http://gazette.example/bakery")),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("entry", [{"ferri", "return", "nineteen", "month"}, set()]),
        ("metadata", [{"storm", "wave", "pier"}, {"oven"}]),
        ("anchors", [{"sail"}, {"bread", "roll"}]),
        ("user", [{"harbour"}, set()]),
    ],
)
def test_each_source_names_its_terms(source: KeywordSource, expected: list[set[str]]) -> None:
    pages = sample()
    metadata = [read_metadata(page.tree) for page in pages]
    assert known_terms(pages, metadata, analyzer_for("en"), [source]) == expected
