"""Feeds of every dialect and encoding are read; any other document is refused."""

from __future__ import annotations

import io
import json
import pickle
import re
from dataclasses import fields
from datetime import datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import feedparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.errors import FeedError
from forest_crawler.feed.records import Enclosure, Feed, FeedEntry
from tests.support.feed_documents import FEED_URL, item, outcome, read, rss

FIXTURES = Path(__file__).parent / "feeds"
CASES = sorted(FIXTURES.glob("*.feed"))


def comparable(value: object) -> object:
    match value:
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case tuple():
            return [comparable(part) for part in value]
        case FeedEntry() | Enclosure():
            return {f.name: comparable(getattr(value, f.name)) for f in fields(value)}
    return value


# Dialects


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_feed_of_any_dialect_gives_what_it_says(case: Path) -> None:
    expected = json.loads(case.with_suffix(".json").read_text(encoding="utf-8"))
    feed = read(case.read_bytes())
    rows: Any = comparable(feed.entries)
    assert len(rows) == len(expected["entries"])
    for row, wanted in zip(rows, expected.pop("entries"), strict=True):
        assert {name: row[name] for name in wanted} == wanted
    assert {name: comparable(getattr(feed, name)) for name in expected} == expected
    assert not feed.repaired


@pytest.mark.parametrize("site", bundled_sites(), ids=lambda site: site.name)
def test_bundled_feed_agrees_with_the_labels_of_its_pages(site: Path) -> None:
    package = json.loads((site / "package.json").read_text(encoding="utf-8"))
    feed = read((site / package["feed"]).read_bytes())
    pages = {
        row["url"]: row
        for row in (
            json.loads(text.with_suffix(".json").read_text()) for text in site.glob("*.txt")
        )
    }
    assert feed.link == package["url"]
    assert feed.language == package["language"]
    assert {entry.link for entry in feed.entries} <= set(pages)
    assert len(feed.entries) >= 10
    for entry in feed.entries:
        page = pages[entry.link or ""]
        assert entry.title == page["title"]
        assert list(entry.authors) == [page["author"]] * (page["author"] is not None)
        assert entry.published == datetime.fromisoformat(page["date"])
        assert list(entry.tags) == page["tags"]


@pytest.mark.parametrize(
    "path",
    [*CASES, *(site / "feed.xml" for site in bundled_sites())],
    ids=lambda path: path.stem if path.suffix == ".feed" else path.parent.name,
)
def test_links_titles_and_dates_are_those_that_feedparser_finds(path: Path) -> None:
    if path.stem.startswith("json"):
        pytest.skip("feedparser does not read JSON")
    body = path.read_bytes()
    theirs = feedparser.parse(
        io.BytesIO(body), response_headers={"content-location": FEED_URL}
    ).entries
    ours = read(body).entries
    assert [entry.get("feedburner_origlink", entry.link) for entry in theirs] == [
        entry.link for entry in ours
    ]
    for their, our in zip(theirs, ours, strict=True):
        title = unescape(re.sub("<[^>]*>", "", their.get("title", "")))
        assert "<" in our.title or our.title == title
        if our.published:
            # feedparser takes Dublin Core's only date for the last change.
            name = "published_parsed" if "published_parsed" in their else "updated_parsed"
            assert our.published.utctimetuple()[:6] == their[name][:6]


# Identity of entries


def test_repeated_entry_is_kept_once() -> None:
    feed = read(rss(item(guid="1"), item(guid="1"), item(link="http://gazette.example/b")))
    assert [(entry.link, entry.guid) for entry in feed.entries] == [
        ("http://gazette.example/a", "1"),
        ("http://gazette.example/b", None),
    ]


def test_guid_that_several_articles_share_is_dropped() -> None:
    feed = read(rss(*(item(link=f"http://gazette.example/{i}", guid="same") for i in range(3))))
    assert [entry.identity for entry in feed.entries] == [f"gazette.example/{i}" for i in range(3)]


def test_entries_without_guid_are_identified_by_their_url() -> None:
    feed = read(rss(item(), item(link="https://www.gazette.example/a?utm_source=rss")))
    assert [entry.identity for entry in feed.entries] == ["gazette.example/a"]


def test_article_whose_guid_changes_is_kept_once() -> None:
    feed = read(rss(item(guid="1"), item(guid="2")))
    assert len(feed.entries) == 1


def test_number_as_guid_is_not_taken_for_a_url() -> None:
    (entry,) = read(rss("<item><title>t</title><guid>4711</guid></item>")).entries
    assert (entry.guid, entry.link) == ("4711", None)


# Characters


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a&#0;b", "ab"),
        ("a&#x110000;b", "ab"),
        ("a&#xD800;b", "ab"),
        ("a&#8;b", "ab"),
        ("a\x00\x01\x0b\x1f\x7fb", "ab"),
        ("a\ufffe\uffffb", "ab"),
        ("a&#150;b", "a–b"),
        ("a\x96b", "ab"),
        ("a&#99999999999;b", "ab"),
        ("&lt;b&gt;a&lt;/b&gt;&amp;#0;b", "ab"),
        ("a&nbsp;b&hellip;", "a b…"),
        ("R&D", "R&D"),
        ("R&amp;D", "R&D"),
        ("R&amp;amp;D", "R&D"),
        ("<![CDATA[a &amp; b]]> &amp; c", "a & b & c"),
        ("a\r\n\t b", "a b"),
    ],
)
def test_titles_hold_only_displayable_characters(written: str, shown: str) -> None:
    (entry,) = read(rss(item(title=written))).entries
    assert entry.title.replace("\ufffd", "") == shown


def declared(encoding: str) -> str:
    return rss(item(title="Größe – naïve")).replace(
        'version="1.0"', f'version="1.0" encoding="{encoding}"'
    )


@pytest.mark.parametrize(
    ("encoding", "codec", "header"),
    [
        ("utf-8", "utf-8", None),
        ("UTF-8", "utf-8-sig", None),
        ("windows-1252", "cp1252", None),
        ("iso-8859-1", "cp1252", None),
        ("utf-8", "cp1252", None),
        ("utf-8", "cp1252", "text/xml; charset=windows-1252"),
        ("windows-1252", "utf-8", "application/rss+xml; charset=utf-8"),
        ("utf-8", "utf-8", "text/xml; charset=iso-8859-1"),
        ("utf-8", "utf-8", "text/xml; charset=nonsense"),
        ("utf-16", "utf-16", None),
        ("utf-16", "utf-16-le", None),
        ("utf-16", "utf-16-be", None),
        ("utf-16", "utf-8", None),
        ("utf-8", "utf-8", "text/xml; charset=utf-16"),
        ("punycode", "utf-8", None),
        ("undefined", "utf-8", None),
        ("zlib", "utf-8", None),
        ("unicode_escape", "utf-8", None),
        ("utf-7", "utf-8", None),
        ("", "utf-8", None),
    ],
)
def test_feed_is_decoded_by_bom_header_and_declaration_but_never_by_odd_codecs(
    encoding: str, codec: str, header: str | None
) -> None:
    (entry,) = read(declared(encoding).encode(codec), header).entries
    assert entry.title == "Größe – naïve"


def test_feed_after_a_stray_nul_is_not_in_utf_16() -> None:
    (entry,) = read(b"\0" + rss(item(title="Größe")).encode()).entries
    assert entry.title == "Größe"


def test_bytes_that_are_not_utf8_are_replaced_one_by_one() -> None:
    (entry,) = read(rss(item(title="a@b")).encode().replace(b"@", b"\xff")).entries
    assert entry.title == "a\ufffdb"


def test_escape_codec_is_not_run_over_the_text() -> None:
    (entry,) = read(declared("unicode_escape").replace("Größe", r"\u0041")).entries
    assert entry.title.startswith(r"\u0041")


# Other documents


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty"),
        (b" \r\n\xef\xbb\xbf", "empty"),
        (b"<!DOCTYPE html><html><body><p>Not found", "not a feed"),
        (b"<html><svg><feed >x", "not a feed"),
        (b"%PDF-1.7 \x00\x01", "not a feed"),
        (b"\x89PNG\r\n\x1a\n", "not a feed"),
        (b'{"error": 404}', "not a feed"),
        (b'{"version": "https://jsonfeed.org/version/1", "items": [', "not a feed"),
        (b'{"version": ' + b"1" * 5000 + b"}", "not a feed"),
        (b"[]", "not a feed"),
        (b"just words", "not a feed"),
        (b"<opml><body><outline/></body></opml>", "not a feed"),
        (b"<rss", "not a feed"),
        (b"<", "not a feed"),
        (b"/etc/hostname", "not a feed"),
        (b"<rss>" + b" " * 10 * 2**20, "too large"),
    ],
)
def test_document_that_is_not_a_feed_is_refused_with_its_reason(body: bytes, reason: str) -> None:
    assert outcome(body) == reason


def test_feed_without_entries_is_a_feed() -> None:
    assert read(rss()).entries == ()


def test_error_and_feed_survive_pickling() -> None:
    error = pickle.loads(pickle.dumps(FeedError("entities", FEED_URL)))  # noqa: S301
    assert (error.reason, error.url, str(error)) == ("entities", FEED_URL, f"{FEED_URL}: entities")
    assert pickle.loads(pickle.dumps(read(rss(item())))) == read(rss(item()))  # noqa: S301


# Dates


def test_impossible_date_is_none_and_its_text_is_kept() -> None:
    (entry,) = read(rss(item(pubDate="2024-02-30"))).entries
    assert (entry.published, entry.published_text) == (None, "2024-02-30")


# Anything at all


snippets = st.sampled_from(
    [
        "<rss>", "<feed xmlns='http://www.w3.org/2005/Atom'>", "<rdf:RDF>", "<channel>", "<item>",
        "</item>", "<entry>", "</entry>", "<title>", "</title>", "<link>", "<link href='",
        "<description>", "</description>", "<content type='xhtml'>", "<![CDATA[", "]]>", "<!--",
        "-->", "<!DOCTYPE rss [", "<!ENTITY a 'b'>", "]>", "&a;", "&", "&#0;", "&#xD800;", "<?",
        ">", "'", '"', "<a:b c:d='e'>", "<guid>", "<pubDate>", "http://[", "\x00", "\ud800", "é",
        '{"version": "https://jsonfeed.org/version/1"', '"items": [{"id": 1, "url": "http://["}]}',
    ]
)  # fmt: skip


@settings(max_examples=200)
@given(st.lists(snippets | st.text(max_size=5), max_size=30).map("".join), st.booleans())
def test_any_text_is_a_feed_or_refused(text: str, is_opened: bool) -> None:
    found = outcome(("<rss><channel><item>" * is_opened + text).encode("utf-8", "surrogatepass"))
    if isinstance(found, str):
        assert found in {"empty", "not a feed", "entities", "too deep"}
        return
    for entry in found.entries:
        said = (entry.title, entry.description, entry.content, entry.guid, entry.published_text)
        assert not any(
            re.search("[^\\n\\t\\r -\ud7ff\ue000-\U0010ffff]", text or "") for text in said
        )


@given(st.binary(max_size=200))
def test_any_bytes_are_a_feed_or_refused(body: bytes) -> None:
    found = outcome(body)
    assert isinstance(found, Feed) or found in {"empty", "not a feed"}
