"""Description returns the feed entry itself as the article."""

from __future__ import annotations

import pytest

from forest_crawler.extraction.methods.description import Description
from forest_crawler.extraction.methods.registry import get_extractor
from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.tree import parse_page

PAGE = parse_page("<div>The page itself</div>", url="https://gazette.example/1")


@pytest.mark.parametrize(
    ("entry", "text", "html"),
    [
        pytest.param(
            FeedEntry("Ferry returns", "It is\nback."),
            "Ferry returns\nIt is back.",
            "<p>Ferry returns</p>\n<p>It is\nback.</p>",
            id="both",
        ),
        pytest.param(FeedEntry("Ferry"), "Ferry", "<p>Ferry</p>", id="title-only"),
        pytest.param(FeedEntry(" ", "Back."), "Back.", "<p>Back.</p>", id="description-only"),
        pytest.param(
            FeedEntry("1 < 2 & <b>3</b>"),
            "1 < 2 & <b>3</b>",
            "<p>1 &lt; 2 &amp; &lt;b&gt;3&lt;/b&gt;</p>",
            id="no-markup-is-read",
        ),
        pytest.param(FeedEntry("&amp;"), "&amp;", "<p>&amp;amp;</p>", id="no-entity-is-read"),
        pytest.param(FeedEntry("a\x00b\ud800"), "ab?", "<p>ab?</p>", id="broken-characters"),
    ],
)
def test_title_and_description_are_the_article(entry: FeedEntry, text: str, html: str) -> None:
    selection = Description().extract_with(PAGE, entry)
    assert (selection.text, selection.html) == (text, html)
    assert selection.tree.url == PAGE.url


@pytest.mark.parametrize("entry", [FeedEntry(""), FeedEntry(" \n", "\t")], ids=["empty", "blank"])
def test_an_entry_without_words_gives_nothing(entry: FeedEntry) -> None:
    assert not Description().extract_with(PAGE, entry)


def test_it_is_registered() -> None:
    assert isinstance(get_extractor("description"), Description)
