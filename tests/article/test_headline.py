"""The headline is the title; text, HTML and Markdown begin with the body."""

from __future__ import annotations

import pytest

from forest_crawler.article import Article, ArticleSource, FormOptions, make_article
from forest_crawler.extraction.extraction import Extraction
from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.selection import select_elements
from forest_crawler.page.tree import parse_page

TITLE = "<title>Ferry returns</title>"
LONG = "The ferry came back to the old pier on Monday morning, as it had been told. " * 4


def article(body: str, head: str = TITLE, options: FormOptions | None = None) -> Article:
    tree = parse_page(f"<html><head>{head}</head><body>{body}</body></html>")
    found = Extraction(select_elements(tree, [tree.body]), "page:plain")
    return make_article(tree, found, ArticleSource(), options=options or FormOptions())


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param("<h1>Ferry returns</h1><p>It is back.", "It is back.", id="h1"),
        pytest.param("<h2>FERRY returns!</h2><p>It is back.", "It is back.", id="other-spelling"),
        pytest.param("<div>Ferry returns</div><p>It is back.", "It is back.", id="no-heading"),
        pytest.param(
            "<p>Harbour<h1>Ferry returns</h1><p>It is back.", "Harbour\n\nIt is back.", id="kicker"
        ),
        pytest.param(
            "<p>Ferry returns<h1>Ferry returns</h1><p>It is back.", "It is back.", id="twice"
        ),
        pytest.param(
            "<h1>Ferry returns</h1><h2>The pier</h2><p>It is back.",
            "The pier\n\nIt is back.",
            id="subheading-stays",
        ),
        pytest.param(
            "<p>It is back.</p><ul><li>Ferry returns</ul>",
            "It is back.",
            id="item-that-only-repeats-it",
        ),
        pytest.param("<p>Ferry returns", "Ferry returns", id="nothing-else"),
        pytest.param(
            f"<p>{LONG}</p><h2>Ferry returns</h2><p>In 2019.",
            f"{LONG.strip()}\n\nFerry returns\n\nIn 2019.",
            id="after-the-body-began",
        ),
    ],
)
def test_the_text_begins_with_the_body(body: str, text: str) -> None:
    found = article(body)
    assert (found.title, found.text) == ("Ferry returns", text)


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("Ferry returns to the pier - Pier News", "Ferry returns to the pier"),
        ("Thread: Ferry returns to the pier", "Ferry returns to the pier"),
        # The smaller part of a title may be its section.
        (
            "Ferry returns to the pier: a day of brass bands and tears",
            "Ferry returns to the pier: a day of brass bands and tears",
        ),
    ],
)
def test_a_heading_that_is_most_of_a_title_is_the_title(head: str, title: str) -> None:
    body = "<h2>Ferry returns to the pier</h2><p>It is back."
    assert article(body, f"<title>{head}</title>").title == title


def test_a_section_named_like_most_of_the_title_is_not_the_title() -> None:
    head = "<title>The Fall of Rome: Part 1</title>"
    section = "<h2>The Fall of Rome</h2><p>It fell."
    inside = article(f"<h1>The Fall of Rome: Part 1</h1><p>So.</p>{section}", head)
    assert inside.title == "The Fall of Rome: Part 1"
    tree = parse_page(f"{head}<h1>The Fall of Rome: Part 1</h1><main>{section}</main>")
    found = Extraction(select_elements(tree, list(tree.body.iter("main"))), "page:plain")
    assert make_article(tree, found, ArticleSource()).title == "The Fall of Rome: Part 1"


def test_a_kicker_inside_the_headline_goes_with_it() -> None:
    found = article("<h2><b>Harbour</b> Ferry returns</h2><p>It is back.")
    assert (found.title, found.text) == ("Ferry returns", "It is back.")


def test_html_and_markdown_begin_with_the_body() -> None:
    found = article("<h1>Ferry returns</h1><p>It is back.")
    assert (found.html, found.markdown) == ("<p>It is back.</p>", "It is back.")


def test_a_headline_unlike_every_title_stays() -> None:
    assert article("<h1>Back at last</h1><p>It sails.").text == "Back at last\n\nIt sails."


def test_a_headline_that_is_part_of_the_title_is_dropped() -> None:
    found = article("<div>Ferry returns</div><p>It is back.", "<title>Ferry returns | Sea</title>")
    assert (found.title, found.text) == ("Ferry returns | Sea", "It is back.")


def test_a_headline_that_only_the_feed_states_is_dropped() -> None:
    tree = parse_page("<h1>Ferry returns</h1><p>It is back.")
    found = Extraction(select_elements(tree, [tree.body]), "page:plain")
    source = ArticleSource(entry=FeedEntry("Ferry returns"))
    assert make_article(tree, found, source).text == "It is back."


def test_without_a_stated_title_the_first_heading_is_the_title() -> None:
    found = article("<h1>Ferry returns</h1><p>It is back.", head="")
    assert (found.title, found.text) == ("Ferry returns", "It is back.")


def test_the_picture_in_a_headline_stays() -> None:
    found = article("<h1><img src=http://a.example/f.jpg>Ferry returns</h1><p>It is back.")
    assert found.html == '<p><img src="http://a.example/f.jpg" alt=""></p>\n<p>It is back.</p>'


@pytest.mark.parametrize("body", ["<h1>Ferry returns</h1><p>It is back.", "<p>It is back."])
def test_with_title_all_forms_begin_with_it_once(body: str) -> None:
    found = article(body, options=FormOptions(with_title=True))
    assert found.text == "Ferry returns\n\nIt is back."
    assert found.html == "<h1>Ferry returns</h1>\n<p>It is back.</p>"
    assert found.markdown == "# Ferry returns\n\nIt is back."
