"""The headline is found by the page's title, wherever the markup has it."""

from __future__ import annotations

import pytest

from forest_crawler.metadata.headlines import find_headline_leaf, read_headlines
from forest_crawler.metadata.titles import fold_title
from forest_crawler.page.tree import parse_page

TITLE = "<title>Rain stops the fair | Gazette of the Coast</title>"


@pytest.mark.parametrize(
    ("page", "leaf"),
    [
        pytest.param(
            "<h1>The Gazette of the Northern Coast</h1><p>News</p><h1>Rain stops the fair</h1>",
            2,
            id="not a longer h1",
        ),
        pytest.param("<h1>Gazette</h1><h2>Rain stops the fair</h2>", 1, id="h2 below a name"),
        pytest.param(
            "<h1>Heavy rain stops the harbour fair</h1><h2>Rain stops the fair</h2>",
            0,
            id="an h1 in other words, not a box",
        ),
        pytest.param("<p>Home</p><b>Rain stops the fair</b><p>It rained.", 1, id="no heading"),
        pytest.param("<h1>News</h1><h1>Lambs</h1><p>Rain", 1, id="the longest where none fits"),
        pytest.param("<p>It rained.", None, id="nothing"),
        pytest.param(
            "<a>Gazette of the Coast</a><p>Home</p><b>Rain stops the fair</b><p>It rained.",
            2,
            id="not a logo above it",
        ),
        pytest.param(
            "<h3>Gazette of the Coast</h3><h2>Rain stops the fair</h2>", 1, id="nor a heading so"
        ),
    ],
)
def test_the_headline_is_what_shows_the_title(page: str, leaf: int | None) -> None:
    assert find_headline_leaf(parse_page(TITLE + page)) == leaf


def test_the_title_of_shared_links_counts_as_well() -> None:
    page = (
        '<meta property="og:title" content="Rain stops the fair"><h1>G</h1><h3>Rain stops the fair'
    )
    assert find_headline_leaf(parse_page(page)) == 1


def test_the_stated_name_of_a_site_is_not_the_headline_though_longer() -> None:
    name = "The Gazette of the Northern Coast"
    head = f'<title>Rain in May | {name}</title><meta property="og:site_name" content="{name}">'
    assert find_headline_leaf(parse_page(f"{head}<h1>{name}</h1><h1>Rain in May</h1>")) == 1
    assert find_headline_leaf(parse_page(f"{head}<b>{name}</b><h2>Rain in May!</h2>")) is None
    head = head.replace("in May", "in mid-May")  # from ten letters on, any element is compared
    assert find_headline_leaf(parse_page(f"{head}<b>{name}</b><h2>Rain in mid-May!</h2>")) == 1


def test_a_page_without_titles_and_headings_has_none() -> None:
    assert find_headline_leaf(parse_page("<p>It rained.")) is None


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("<i>Weather</i> Rain stops the fair", "Rain stops the fair"),
        ("<i>Weather</i> <i>|</i> <b>Rain stops the fair</b>", "Rain stops the fair"),
        ("<b>Rain <u>stops</u> the fair</b> <i>(gazette.example)</i>", "Rain stops the fair"),
        pytest.param("Weather: Rain stops the fair", "Weather: Rain stops the fair", id="one text"),
        pytest.param(
            "<i>Weather:</i> It rained", "Weather: It rained", id="the rest is not a title"
        ),
        pytest.param(
            "<i>Lambs and sheep are home before</i> Rain stops the fair",
            "Lambs and sheep are home before Rain stops the fair",
            id="the title is the smaller part",
        ),
        pytest.param("<i>Fair:</i> Rain at fair", "Fair: Rain at fair", id="stated as a whole"),
    ],
)
def test_a_kicker_that_a_title_lacks_is_cut_off(heading: str, text: str) -> None:
    titles = ["Rain stops the fair", "Fair - Rain at fair", "Rain at fair"]
    found = read_headlines(parse_page(f"<h1>{heading}</h1>"), titles)
    assert list(map(fold_title, found)) == [text]
