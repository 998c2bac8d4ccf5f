"""A page without a text takes that of its feed entry or its JSON-LD."""

from __future__ import annotations

import json

import pytest

from forest_crawler.extraction.extraction import Extraction
from forest_crawler.extraction.stated_text import extract_stated, prefer_stated
from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.selection import select_elements
from forest_crawler.page.tree import PageTree, parse_page

URL = "http://gazette.example/ferry"
LINE = "The ferry came back to the old pier on Monday. "  # ten words
FED = f"<p>{LINE * 3}</p><p>{LINE * 3}<a href=/pier>More</a></p>"


def shell(body: str | None = None) -> PageTree:
    data = {"@type": "NewsArticle", "url": URL, "articleBody": body}
    script = f'<script type="application/ld+json">{json.dumps(data)}</script>' if body else ""
    return parse_page(f"{script}<div id=app>Loading</div>", url=URL)


def test_the_feed_s_text_is_the_article() -> None:
    found = extract_stated(shell(), FeedEntry("Ferry", content=FED))
    assert found is not None
    assert found.extractor == "feed"
    assert found.selection.text == f"{(LINE * 3).strip()}\n{LINE * 3}More"


def test_articlebody_is_the_article_a_paragraph_per_line() -> None:
    found = extract_stated(shell(f"{LINE * 3}\n\n{LINE * 3} 1 < 2 &amp; more"), None)
    assert found is not None
    assert found.extractor == "structured-data"
    lines = found.selection.text.split("\n")
    assert lines == [(LINE * 3).strip(), f"{LINE * 3}1 < 2 & more"]


def test_articlebody_with_markup_is_read_as_markup() -> None:
    found = extract_stated(shell(f"<p>{LINE * 3}</p><ul><li>{LINE * 3}</li></ul>"), None)
    assert found is not None
    assert found.selection.text == f"{(LINE * 3).strip()}\n{(LINE * 3).strip()}"


@pytest.mark.parametrize(
    ("lines", "extractor"),
    [(6, "feed"), (7, "feed"), (8, "structured-data")],  # 61 words of the feed: 0.8 · 76
)
def test_the_feed_is_taken_unless_it_is_much_shorter(lines: int, extractor: str) -> None:
    found = extract_stated(shell(LINE * lines), FeedEntry("Ferry", content=FED))
    assert found is not None
    assert found.extractor == extractor


@pytest.mark.parametrize(
    "content",
    [None, "", "<p></p>", f"<p>{LINE * 4}", f"<p>{LINE * 6} …", f"<p>{LINE * 6} [...] Read more"],
    ids="none empty blank short cut cut-with-link".split(),
)
def test_teasers_are_not_taken(content: str | None) -> None:
    assert extract_stated(shell(), FeedEntry("Ferry", content=content)) is None


def test_a_page_without_a_tree_has_its_feed() -> None:
    found = extract_stated(None, FeedEntry("Ferry", content=FED), URL)
    assert found is not None
    assert found.selection.tree.url == URL


def shown(page: PageTree) -> Extraction:
    return Extraction(select_elements(page, [page.body]), "page:page")


def page_with_text(shown_lines: int, stated: str) -> PageTree:
    data = {"@type": "NewsArticle", "url": URL, "articleBody": stated}
    script = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    return parse_page(f"{script}<p>{LINE * shown_lines}", url=URL)


@pytest.mark.parametrize(
    ("lines", "stated", "extractor"),
    [
        pytest.param(3, LINE * 9, "structured-data", id="three-times"),
        pytest.param(3, LINE * 8, "page:page", id="less"),
        pytest.param(3, f"{LINE * 9} …", "page:page", id="cut"),
        pytest.param(9, LINE * 3, "page:page", id="summary"),
    ],
)
def test_articlebody_is_the_article_where_the_page_shows_its_beginning(
    lines: int, stated: str, extractor: str
) -> None:
    page = page_with_text(lines, stated)
    found = prefer_stated(shown(page), page, FeedEntry("Ferry", content=FED))
    assert found is not None
    assert found.extractor == extractor


@pytest.mark.parametrize(
    ("headline", "url", "extractor"),
    [
        pytest.param("Storm sinks barge", "/storm", "page:page", id="another-article"),
        pytest.param("Storm sinks barge", "/ferry", "structured-data", id="url"),
        pytest.param("The ferry returns", "/ferry?from=feed", "structured-data", id="headline"),
        pytest.param("", "", "structured-data", id="neither"),
    ],
)
def test_articlebody_of_another_article_is_not_taken(
    headline: str, url: str, extractor: str
) -> None:
    data = {"@type": "NewsArticle", "articleBody": LINE * 9}
    data |= {"headline": headline, "url": f"http://gazette.example{url}"} if headline else {}
    script = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    page = parse_page(f"<title>Ferry returns</title>{script}<p>{LINE * 3}", url=URL)
    found = prefer_stated(shown(page), page)
    assert found is not None
    assert found.extractor == extractor
