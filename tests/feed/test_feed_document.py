"""feedparser gets a small, well-formed document, whatever the feed."""

from __future__ import annotations

import io
from typing import Any
from xml.etree import ElementTree

import feedparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_crawler.errors import DocumentError
from forest_crawler.feed import feed_document
from forest_crawler.feed.feed_document import write_document
from forest_crawler.feed.feed_trees import parse_feed
from tests.support.feed_documents import FEED_URL, item, read, rss

DEEP = "<a>" * 100 + "</a>" * 100


def written(text: str) -> ElementTree.Element:
    document, _ = write_document(parse_feed(text, url=FEED_URL, now=None))
    return ElementTree.fromstring(document)  # noqa: S314 (our own, that is the point)


def depth(element: ElementTree.Element) -> int:
    return 1 + max(map(depth, element), default=0)


snippets = st.sampled_from(
    [
        "<item>", "</item>", "<entry>", "</entry>", "<title>", "</title>", "<link href='", "'/>",
        "<content type='xhtml'>", "<p:div xmlns:p='http://www.w3.org/1999/xhtml'>", "<é:ß>",
        "<a:b c:d='e'>", "<dc:creator>", "</dc:creator>", "<media:group>", "<x xmlns='a b'>",
        "<y xmlns:z='&lt;'>", "&amp;", "]]>", "<![CDATA[", "\x85", "\x0b", "&#x85;", '"',
        "<author><name>", "<category term='", "\ud800", "<guid isPermaLink=", ">",
        "xml:base='http://[' ", "<channel ", "href='&#10;'",
    ]
)  # fmt: skip


@settings(max_examples=200)
@given(st.lists(snippets | st.text(max_size=5), max_size=30).map("".join))
def test_any_feed_becomes_a_document_that_expat_accepts(text: str) -> None:
    try:
        root = written(f"<rss><channel><item>{text}")
    except DocumentError:
        return
    assert root.tag == "rss"


def test_depth_is_that_of_a_plain_feed() -> None:
    root = written(rss(item(description=DEEP, body=DEEP, author=f"Ann{DEEP}", x=DEEP)))
    assert depth(root) == 5  # rss, channel, item, author, name


def test_element_keeps_only_the_attributes_that_feeds_need() -> None:
    many = "".join(f" a{i}='x'" for i in range(50))
    root = written(rss(f"<item><link href='/a' rel='alternate'{many}/></item>"))
    (link,) = root.iterfind(".//item/link")
    assert link.attrib == {"href": "/a", "rel": "alternate"}


def test_elements_that_say_nothing_are_dropped() -> None:
    root = written(rss("<item><title/><link/><category/><guid> </guid><pubDate/><x/></item>"))
    assert [len(entry) for entry in root.iterfind(".//item")] == [0]


def test_entries_beyond_the_max_elements_are_left_out_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feed_document, "MAX_ELEMENTS", 11)
    # Title and link of the feed, then three per item: itself, its title and its link.
    feed = read(rss(*(item(link=f"/{i}") for i in range(5))))
    assert (len(feed.entries), feed.left_out) == (3, 2)


def test_feedparser_gets_a_file_object_and_leaves_html_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[tuple[Any, dict[str, Any]]] = []
    parse = feedparser.parse

    def record(source: Any, **options: Any) -> Any:
        calls.append((source, options))
        return parse(source, **options)

    monkeypatch.setattr(feedparser, "parse", record)
    assert read(rss(item())).entries
    ((source, options),) = calls
    assert isinstance(source, io.BytesIO)
    assert (options["sanitize_html"], options["resolve_relative_uris"]) == (False, False)
