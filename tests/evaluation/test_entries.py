"""A feed entry can be made from a page's metadata."""

from __future__ import annotations

import pytest

from forest_crawler.evaluation.entries import entry_from_metadata
from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.tree import parse_page

TITLE = "<title>Storm |\n Gazette</title>"
OG_TITLE = "<meta property='og:title' content='Storm'>"
DESCRIPTION = "<meta name='Description' content=' It  rained. '>"
OG_DESCRIPTION = "<meta property='og:description' content='Rain again.'>"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        pytest.param(TITLE, FeedEntry("Storm | Gazette"), id="title"),
        pytest.param(TITLE + OG_TITLE, FeedEntry("Storm"), id="og-title-is-without-the-site"),
        pytest.param(DESCRIPTION, FeedEntry("", "It rained."), id="description"),
        pytest.param(
            DESCRIPTION + OG_DESCRIPTION, FeedEntry("", "Rain again."), id="og-description-first"
        ),
        pytest.param(
            "<meta property='og:title' content=' '>" + TITLE,
            FeedEntry("Storm | Gazette"),
            id="blank-is-ignored",
        ),
        pytest.param(OG_TITLE + OG_TITLE.replace("Storm", "x"), FeedEntry("Storm"), id="first"),
        pytest.param("", FeedEntry(""), id="no-metadata"),
    ],
)
def test_the_entry_comes_from_the_head(head: str, expected: FeedEntry) -> None:
    assert entry_from_metadata(parse_page(f"<html><head>{head}</head><p>text")) == expected


def test_the_link_is_the_url_of_the_page() -> None:
    tree = parse_page("<p>text", url="http://gazette.example/a")
    assert entry_from_metadata(tree).link == "http://gazette.example/a"
