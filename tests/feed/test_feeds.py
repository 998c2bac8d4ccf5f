"""Feeds of every dialect are read, broken ones mended, and hostile ones refused in no time."""

from __future__ import annotations

import io
import json
import pickle
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import feedparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.errors import FeedError
from forest_crawler.feed.newest import MAX_ENTRIES, newest_positions
from forest_crawler.feed.reader import read_feed
from forest_crawler.feed.records import Feed, FeedEntry
from tests.support.growth import assert_linear

FIXTURES = Path(__file__).parent / "feeds"
CASES = sorted(FIXTURES.glob("*.feed"))
NOW = datetime(2026, 7, 1, tzinfo=UTC)
URL = "http://feeds.example/feed"


def read(body: bytes | str, content_type: str | None = None) -> Feed:
    data = body.encode() if isinstance(body, str) else body
    return read_feed(data, url=URL, content_type=content_type, now=NOW)


def rss(*items: str, doctype: str = "") -> str:
    return (
        f'<?xml version="1.0"?>{doctype}<rss version="2.0"><channel><title>T</title>'
        f"<link>http://gazette.example/</link>{''.join(items)}</channel></rss>"
    )


def item(title: str = "t", link: str = "http://gazette.example/a", **more: str) -> str:
    inner = "".join(f"<{name}>{text}</{name}>" for name, text in more.items())
    return f"<item><title>{title}</title><link>{link}</link>{inner}</item>"


def outcome(body: bytes | str) -> Feed | str:
    """The feed, or why there is none."""
    try:
        return read(body)
    except FeedError as err:
        return err.reason


def comparable(value: object) -> object:
    match value:
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case tuple():
            return [comparable(part) for part in value]
        case FeedEntry():
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
def test_bundled_feed_agrees_with_what_is_known_of_its_pages(site: Path) -> None:
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
        pytest.skip("feedparser reads no JSON")
    body = path.read_bytes()
    theirs = feedparser.parse(io.BytesIO(body), response_headers={"content-location": URL}).entries
    ours = read(body).entries
    assert [entry.get("feedburner_origlink", entry.link) for entry in theirs] == [
        entry.link for entry in ours
    ]
    for their, our in zip(theirs, ours, strict=True):
        title = unescape(re.sub("<[^>]*>", "", their.get("title", "")))
        assert "<" in our.title or our.title == title
        if our.published:
            # Of Dublin Core's only date feedparser says that it is the last change.
            name = "published_parsed" if "published_parsed" in their else "updated_parsed"
            assert our.published.utctimetuple()[:6] == their[name][:6]


# Identity of entries


def test_entry_that_stands_twice_is_one() -> None:
    feed = read(rss(item(guid="1"), item(guid="1"), item(link="http://gazette.example/b")))
    assert [(entry.link, entry.guid) for entry in feed.entries] == [
        ("http://gazette.example/a", "1"),
        ("http://gazette.example/b", None),
    ]


def test_guid_of_several_articles_identifies_none() -> None:
    feed = read(rss(*(item(link=f"http://gazette.example/{i}", guid="same") for i in range(3))))
    assert [entry.identity for entry in feed.entries] == [f"gazette.example/{i}" for i in range(3)]


def test_entries_without_guid_are_told_by_their_article() -> None:
    feed = read(rss(item(), item(link="https://www.gazette.example/a?utm_source=rss")))
    assert [entry.identity for entry in feed.entries] == ["gazette.example/a"]


def test_article_is_one_where_its_guid_changes() -> None:
    feed = read(rss(item(guid="1"), item(guid="2")))
    assert len(feed.entries) == 1


def test_bare_number_as_guid_is_no_address() -> None:
    (entry,) = read(rss("<item><title>t</title><guid>4711</guid></item>")).entries
    assert (entry.guid, entry.link) == ("4711", None)


# Broken feeds


BROKEN = {
    "blanks in front": "\n\n " + rss(item()),
    "a warning in front": "<br /><b>Warning</b>: x in <b>y.php</b>\n" + rss(item()),
    "something behind": rss(item()) + "<script>count()</script>",
    "bare ampersand": rss(item(title="t", link="http://gazette.example/a", author="A & B")),
    "unknown entity": rss(item(author="&whatever;")),
    "undeclared prefix": rss(item(**{"dc:creator": "Ann", "media:x": "y"})),
    "unescaped markup": rss(item(description="<p>One<br>two <b>three"), item(link="/b")),
    "unclosed item": rss(item().removesuffix("</item>"), item(link="/b")),
    "cut off": rss(item(), item(link="/b", description="words"))[:-60],
    "no closing tags": rss(item()).partition("</channel>")[0],
    "bad attribute": rss(item(), "<item a=b><link>/b</link></item>"),
    "stray closing tag": rss("</p>", item()),
    "unclosed section": rss(
        item(), "<item><link>/b</link><description><![CDATA[x</description></item>"
    ),
    "unclosed comment": rss(
        item(), "<item><!-- x<link>/b</link><title><![CDATA[A&B]]></title></item>"
    ),
    "markup in front": rss(
        item(), "<item><description><p>x<br>y</description><link>/b</link></item>"
    ),
    "many unclosed tags": rss(*[item(description="<p><br><img><hr><b>x" * 20)] * 20),
    "upper case": rss(item()).replace("item>", "ITEM>"),
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
def test_broken_feed_still_gives_its_first_entry(body: str) -> None:
    entry = read(body).entries[0]
    assert (entry.title, entry.link) == ("t", "http://gazette.example/a")


@pytest.mark.parametrize(
    "name", ["unescaped markup", "markup in front", "unclosed item", "cut off", "bad attribute"]
)
def test_damage_stays_in_the_entry_where_it_was_done(name: str) -> None:
    feed = read(BROKEN[name])
    assert [entry.link for entry in feed.entries][1:] == ["http://feeds.example/b"]
    assert feed.repaired


def test_comment_that_never_ends_hides_nothing_behind_it() -> None:
    feed = read(BROKEN["unclosed comment"])
    assert (feed.entries[1].title, feed.entries[1].link) == ("A&B", "http://feeds.example/b")


def test_comment_with_hyphens_is_no_damage() -> None:
    feed = read(rss("<!-- a -- b & <c> -->", item()))
    assert (len(feed.entries), feed.repaired) == (1, False)


def test_markup_that_was_not_escaped_is_text_all_the_same() -> None:
    (entry,) = read(rss(item(description="<p>One<br>two & <b>three"))).entries
    assert entry.description == "One two & three"


def test_undeclared_prefix_means_what_is_customary() -> None:
    (entry,) = read(rss(item(**{"dc:creator": "Ann"}))).entries
    assert entry.authors == ("Ann",)


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
def test_titles_hold_only_characters_that_can_be_shown(written: str, shown: str) -> None:
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
        ("utf-8", "cp1252", "text/xml; charset=windows-1252"),
        ("windows-1252", "utf-8", "application/rss+xml; charset=utf-8"),
        ("utf-8", "utf-8", "text/xml; charset=iso-8859-1"),
        ("utf-8", "utf-8", "text/xml; charset=nonsense"),
        ("utf-16", "utf-16", None),
        ("utf-16", "utf-16-le", None),
        ("utf-16", "utf-16-be", None),
        ("utf-16", "utf-8", None),
        ("punycode", "utf-8", None),
        ("undefined", "utf-8", None),
        ("zlib", "utf-8", None),
        ("unicode_escape", "utf-8", None),
        ("utf-7", "utf-8", None),
        ("", "utf-8", None),
    ],
)
def test_feed_is_decoded_by_mark_header_and_declaration_but_never_by_odd_codecs(
    encoding: str, codec: str, header: str | None
) -> None:
    (entry,) = read(declared(encoding).encode(codec), header).entries
    assert entry.title == "Größe – naïve"


def test_bytes_that_are_no_utf8_are_replaced_one_by_one() -> None:
    (entry,) = read(rss(item(title="a@b")).encode().replace(b"@", b"\xff")).entries
    assert entry.title == "a\ufffdb"


def test_escape_codec_is_not_run_over_the_text() -> None:
    (entry,) = read(declared("unicode_escape").replace("Größe", r"\u0041")).entries
    assert entry.title.startswith(r"\u0041")


# What is no feed


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
def test_what_is_no_feed_is_refused_with_its_reason(body: bytes, reason: str) -> None:
    assert outcome(body) == reason


def test_feed_without_entries_is_a_feed() -> None:
    assert read(rss()).entries == ()


def test_refusal_comes_whole_from_a_worker_process() -> None:
    error = pickle.loads(pickle.dumps(FeedError("entities", URL)))  # noqa: S301
    assert (error.reason, error.url, str(error)) == ("entities", URL, f"{URL}: entities")
    assert pickle.loads(pickle.dumps(read(rss(item())))) == read(rss(item()))  # noqa: S301


# Hostile feeds: rows 1 to 7 and 13 to 18 of the table


LAUGHS = (
    '<!DOCTYPE rss [<!ENTITY l0 "lol">'
    + "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    + "]>"
)
LONG_ENTITY = f'<!DOCTYPE rss [<!ENTITY a "{"x" * 100_000}">]>'
PARAMETER = """<!DOCTYPE rss [<!ENTITY % p "<!ENTITY x 'y'>"> %p;]>"""
JSON_FEED = '{"version": "https://jsonfeed.org/version/1", "items": '

BOMBS: dict[str, tuple[Callable[[int], str], int, str | None]] = {
    "billion laughs": (lambda _: rss(item(title="&l9;"), doctype=LAUGHS), 1, "entities"),
    "laughs unused": (lambda _: rss(item(), doctype=LAUGHS), 1, "entities"),
    "quadratic": (
        lambda n: rss(item(description="&a;" * n), doctype=LONG_ENTITY),
        2000,
        "entities",
    ),
    "parameter entity": (lambda _: rss(item(), doctype=PARAMETER), 1, "entities"),
    "unclosed doctype": (lambda n: '<!DOCTYPE rss [<!ENTITY a "' + "x" * n, 500_000, "entities"),
    "escaped comments": (lambda n: rss(item(description="&lt;!--" * n)), 50_000, None),
    "section of comments": (
        lambda n: rss(item(description=f"<![CDATA[{'<!--' * n}]]>")),
        50_000,
        None,
    ),
    "raw comments": (lambda n: rss(item(description="<!--" * n)), 50_000, None),
    "unclosed sections": (lambda n: rss(item(description="<![CDATA[" * n)), 20_000, None),
    "nested 100k": (lambda n: rss("<a>" * n + "</a>" * n), 100_000, "too deep"),
    "nested 100k inside": (lambda n: rss(item(x="<a>" * n + "</a>" * n), item()), 100_000, None),
    "nested entries": (lambda n: rss("<item>" * n), 50_000, None),
    "nested markup": (lambda n: rss(item(description="&lt;b&gt;" * n)), 100_000, None),
    "tags alone": (lambda n: rss("<a/>" * n), 2_000_000, "too large"),
    "ampersands alone": (lambda n: rss("&" * n), 5_000_000, "too large"),
    "references": (lambda n: rss(item(title="&#233;" * n)), 200_000, None),
    "attributes": (lambda n: rss("<item", *(f" a{i}=''" for i in range(n)), "/>"), 99_999, None),
    "categories": (lambda n: rss(f"<item>{'<category>c</category>' * n}</item>"), 50_000, None),
    "authors": (lambda n: rss(*[item(author="a@" + "a." * 1000)] * n), 300, None),
    "author": (lambda n: rss(item(author="a@" + "a." * n)), 100_000, None),
    "JSON nested": (lambda n: JSON_FEED + "[" * n, 500_000, "too deep"),
}


@pytest.mark.parametrize(("build", "size", "reason"), BOMBS.values(), ids=BOMBS)
def test_bomb_is_read_or_refused_in_linear_time(
    build: Callable[[int], str], size: int, reason: str | None
) -> None:
    def work_of(size: int) -> Callable[[], object]:
        body = build(size).encode()
        return lambda: outcome(body)

    assert_linear(work_of, size)
    found = outcome(build(size).encode())
    assert (found if isinstance(found, str) else None) == reason


def test_huge_feed_gives_its_newest_entries_in_order() -> None:
    # Oldest first, a minute apart: the newest are the last.
    first = datetime(2026, 1, 1, tzinfo=UTC)
    dates = [(first + timedelta(minutes=i)).isoformat() for i in range(20_000)]
    items = [f"<item><link>/{i}</link><pubDate>{d}</pubDate></item>" for i, d in enumerate(dates)]

    def read_items(size: int) -> None:
        feed = read(rss(*items[:size]))
        newest = range(size - MAX_ENTRIES, size)
        assert [row.link for row in feed.entries] == [f"http://feeds.example/{i}" for i in newest]
        assert feed.left_out == size - MAX_ENTRIES

    assert_linear(lambda size: lambda: read_items(size), 20_000)


def test_huge_feed_without_dates_gives_its_first_entries() -> None:
    feed = read(rss(*(item(link=f"/{i}") for i in range(MAX_ENTRIES + 5))))
    assert feed.entries[-1].link == f"http://feeds.example/{MAX_ENTRIES - 1}"
    assert feed.left_out == 5


def test_first_entries_are_the_newest_where_most_have_no_date() -> None:
    assert newest_positions([None, None, None, NOW], 2) == [0, 1]
    assert newest_positions([None, NOW, NOW, NOW], 3) == [1, 2, 3]
    assert newest_positions([None, NOW, None, NOW], 3) == [0, 1, 3]


def test_description_is_cut_before_it_is_read() -> None:
    (entry,) = read(rss(item(description="word " * 50_000))).entries
    assert len(entry.description) == 2**16  # 13,107 words with their blanks, and a "w"
    assert entry.description.endswith(" w")


def test_harmless_entities_are_kept() -> None:
    doctype = """<!DOCTYPE rss [
        <!ENTITY paper "The Gazette"> <!-- <!ENTITY paper "x"> -->
        <!ENTITY co 'Ann &amp; Sons &#169;'> <!ENTITY paper "second"> <!ELEMENT rss ANY>]>"""
    (entry,) = read(rss(item(title="&paper; by &co;"), doctype=doctype)).entries
    assert entry.title == "The Gazette by Ann & Sons ©"


def test_reference_inside_a_section_is_text() -> None:
    doctype = '<!DOCTYPE rss [<!ENTITY a "expanded">]>'
    (entry,) = read(rss(item(title="<![CDATA[&amp;a;]]>&a;"), doctype=doctype)).entries
    assert entry.title == "&a;expanded"


@pytest.fixture
def canary() -> Iterator[tuple[str, list[int]]]:
    """An address on loopback, and what was heard there."""
    heard: list[int] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def listen() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                heard.append(1)
                connection.close()

        threading.Thread(target=listen, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/", heard
        server.shutdown(socket.SHUT_RDWR)


EXTERNAL = [
    '<!DOCTYPE rss [<!ENTITY x SYSTEM "{}">]>',
    '<!DOCTYPE rss [<!ENTITY x PUBLIC "p" "{}">]>',
    '<!DOCTYPE rss SYSTEM "{}">',
    '<!DOCTYPE rss [<!ENTITY % p SYSTEM "{}"> %p;]>',
    '<?xml-stylesheet href="{}"?>',
]


@pytest.mark.parametrize("doctype", EXTERNAL, ids=["entity", "public", "dtd", "parameter", "style"])
@pytest.mark.parametrize("where", ["file", "listener"])
def test_nothing_that_a_feed_declares_is_opened(
    doctype: str, where: str, canary: tuple[str, list[int]], tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("<!ENTITY x 'swordfish'>swordfish")
    address = canary[0] if where == "listener" else secret.as_uri()
    include = f'<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="{address}"/>'
    body = rss(item(title="a&x;b", description="&x;", x=include), doctype=doctype.format(address))
    feed = read(body)
    assert feed.entries[0].title[0] == "a"
    assert "swordfish" not in repr(feed)
    assert canary[1] == []


def test_body_that_is_a_path_or_an_address_is_not_opened(
    canary: tuple[str, list[int]], tmp_path: Path
) -> None:
    file = tmp_path / "feed.xml"
    file.write_text(rss(item()))
    for body in (str(file), file.as_uri(), canary[0]):
        assert outcome(body) == "not a feed"
    assert canary[1] == []


# Dates


def test_wrong_date_is_kept_as_it_was_written() -> None:
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
