"""93 ways to run a script go through every output, as markup and as text, and none runs."""

from __future__ import annotations

import io
import re
from html import escape
from typing import Any

import feedparser
import pytest
from markdown_it import MarkdownIt

from forest_crawler.article.content.forms import Forms, write_forms
from forest_crawler.export.feed import FEED_FORMATS, FeedFormat, FeedHead, write_feed
from forest_crawler.export.html_text import to_html_text
from forest_crawler.page.selection import select_elements
from forest_crawler.page.tree import parse_page
from tests.support.inert_markup import find_active
from tests.support.script_vectors import make_vectors

VECTORS = make_vectors()
AROUND = ("{}", "<table><tr><td>a<td>{}</table>", "<ul><li>{}</ul>", "<pre>{}</pre>", "<h2>{}</h2>")


def make_forms(vector: str) -> list[Forms]:
    """Write articles with a vector as markup and as text, at several positions."""
    return [_write_page(it) for around in AROUND for it in _bodies(around, vector)]


def _bodies(around: str, vector: str) -> list[str]:
    image = f'<img src="/a.png" alt="{escape(vector)}">'
    link = f'<a href="{escape(vector)}">Mist</a> <a href="/x?{escape(vector)}">Haze</a>'
    texts = (vector, escape(vector), image, link)
    return [f"<p>Rain</p>{around.format(text)}<p>Fog</p>" for text in texts]


def _write_page(body: str) -> Forms:
    tree = parse_page(f"<html><body>{body}</body></html>", url="http://gazette.example/a")
    return write_forms(select_elements(tree, [tree.body]))


def test_the_check_finds_every_vector_that_is_active_as_it_is() -> None:
    assert len(set(VECTORS)) == 93
    render = lenient_markdown().render
    quiet = [v for v in VECTORS if not find_active(v) and not find_active(render(v))]
    # These become active within an attribute, or when they are decoded once more.
    assert [v[:8] for v in quiet] == ['" onmous', "` onerro", "&lt;scri", "&amp;lt;"]


def lenient_markdown() -> MarkdownIt:
    """Make a renderer without the usual checks: HTML passes, any scheme is a link."""
    renderer = MarkdownIt("commonmark", {"html": True}).enable("table")
    renderer.validateLink = lambda url: True  # type: ignore[method-assign]
    return renderer


@pytest.mark.parametrize("vector", VECTORS)
def test_no_vector_is_active_in_html_or_markdown(vector: str) -> None:
    render = lenient_markdown().render
    for forms in make_forms(vector):
        assert find_active(forms.html) == []
        assert find_active(render(forms.markdown)) == []


@pytest.mark.parametrize("vector", VECTORS)
def test_no_vector_is_active_in_markdown_without_backslashes(vector: str) -> None:
    # Python-Markdown knows no escaped `<`, and renderers take the backslash for a part of the URL.
    for body in _bodies("http://gazette.example/{}", vector):
        markdown = re.sub("```.*?```", "", _write_page(body).markdown, flags=re.DOTALL)
        assert find_active(markdown.replace("\\", "")) == []


@pytest.mark.parametrize("form", FEED_FORMATS)
@pytest.mark.parametrize("vector", VECTORS)
def test_no_vector_is_active_in_a_feed_read_without_sanitising(
    vector: str, form: FeedFormat
) -> None:
    contents = [forms.html for forms in make_forms(vector)]
    article = {
        "id": vector,
        "url": "http://gazette.example/a",
        "title": vector,
        "description": vector,
        "authors": [vector],
        "tags": [vector],
        "date_publish": "2026-03-06T12:00:00+01:00",
    }
    rows: list[dict[str, Any]] = [article | {"html": html} for html in contents]
    rows.append(article | {"url": vector, "canonical_url": vector})
    made = write_feed(FeedHead(vector, "http://gazette.example/", None), rows, form)
    found = feedparser.parse(io.BytesIO(made), sanitize_html=False, resolve_relative_uris=False)
    assert not found.bozo
    texts = [found.feed.title, found.feed.get("subtitle", ""), found.feed.get("author", "")]
    for entry in found.entries:
        texts += [entry.title, entry.get("summary", ""), entry.author, entry.tags[0].term]
        texts += [content.value for content in entry.get("content", ())]
        assert entry.get("link", "").startswith("http://gazette.example/a") or not entry.get("link")
    assert [it for text in texts for it in find_active(text)] == []


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Rain & fog", "Rain & fog"),
        ("AT&T, 5 < 6 > 4 <3", "AT&T, 5 < 6 > 4 <3"),
        ("<b>Rain</b>", "&lt;b>Rain&lt;/b>"),
        ("How to write &lt; and &#60;", "How to write &amp;lt; and &amp;#60;"),
        ("a <", "a &lt;"),
        ("<!--", "&lt;!--"),
    ],
)
def test_plain_text_is_the_same_text_for_readers_of_html_and_short_of_markup_unchanged(
    text: str, written: str
) -> None:
    assert to_html_text(text) == written
