"""SigFeed selects the lowest `div` with most of the feed entry's keywords."""

from __future__ import annotations

import pytest

from forest_crawler.extraction.methods.registry import get_extractor
from forest_crawler.extraction.methods.sigfeed import SigFeed
from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.outline import TextLeaf
from forest_crawler.page.tree import parse_page

ENTRY = FeedEntry("Ferry returns", "The ferry is back at the pier.")  # ferri, return, pier


def selected(page: str, entry: FeedEntry = ENTRY) -> list[str | None]:
    """Return the ids of the selected elements."""
    tree = parse_page(f"<html lang=en>{page}")
    nodes = SigFeed().extract_with(tree, entry).nodes
    return [node.get("id") for node in nodes if not isinstance(node, TextLeaf)]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        # a: ferry, returns; b: ferries, pier, ferry
        pytest.param(
            "<div id=a>Ferry returns<p>home</div><div id=b><p>Ferries at the pier: a ferry</div>",
            ["b"],
            id="most-keywords-with-multiplicity",
        ),
        # a's own text has one keyword, b's two: keywords inside b do not count for a
        pytest.param(
            "<div id=a>Ferry<div id=b><p>ferry, <b>pier</b></p></div></div>", ["b"], id="lowest-div"
        ),
        pytest.param(
            "<div id=a>ferry, pier, return<div id=b>ferry, pier</div></div>", ["a"], id="outer-div"
        ),
        # the headline is denser, the article has more
        pytest.param(
            "<div id=a>Ferry</div><div id=b>The ferry was built long ago, and the pier too</div>",
            ["b"],
            id="number-not-share",
        ),
        pytest.param("<div id=a>ferry</div><div id=b>pier</div>", ["a"], id="tie-to-the-first"),
        pytest.param("<div id=a>bakery</div>", [], id="no-keyword"),
        pytest.param("<section id=a>ferry</section>", [], id="no-div"),
    ],
)
def test_the_div_with_most_keywords_of_its_own_is_selected(page: str, expected: list[str]) -> None:
    assert selected(page) == expected


def test_keywords_are_stemmed_in_the_pages_language() -> None:
    tree = parse_page("<html lang=de><div>Die Häuser</div>")
    assert SigFeed().extract_with(tree, FeedEntry("Das Haus")).text == "Die Häuser"


def test_the_entrys_language_is_detected_if_the_page_declares_none() -> None:
    entry = FeedEntry("Das Haus", "In der alten Straße am Hafen stand gestern noch ein Haus.")
    tree = parse_page("<div>Häuser</div>")
    assert SigFeed().extract_with(tree, entry).text == "Häuser"


def test_an_entry_without_words_selects_nothing() -> None:
    assert selected("<div id=a>ferry</div>", FeedEntry("", "…")) == []


def test_a_page_nested_two_thousand_levels_deep_is_extracted() -> None:
    tree = parse_page("<html lang=en><div>" + "<span>" * 1990 + "ferry")
    assert SigFeed().extract_with(tree, ENTRY).text == "ferry"


def test_it_is_registered() -> None:
    assert isinstance(get_extractor("sigfeed"), SigFeed)
