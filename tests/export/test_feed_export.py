"""The full-text feed is well-formed and complete, whatever the articles hold."""

from __future__ import annotations

import io
from typing import Any

import feedparser
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from forest_crawler.export.feed import FEED_FORMATS, FeedFormat, FeedHead, safe_content, write_feed
from forest_crawler.feed.reader import read_feed

HEAD = FeedHead("The Gazette", "http://gazette.example/", "http://reader.example/full.xml")
ARTICLE: dict[str, Any] = {
    "id": "ab" * 32,
    "url": "http://gazette.example/rain?x=1&y=2",
    "canonical_url": None,
    "title": "Rain & fog",
    "authors": ["Ann Lee", "Bo Ek"],
    "date_publish": "2026-03-06T12:00:00+01:00",
    "date_modify": None,
    "description": "It rained.",
    "guid": "gazette-4711",
    "tags": ["rain"],
    "html": '<p>It <strong>rained</strong>.</p>\n<img src="http://gazette.example/a.jpg" alt="">',
}


def parse(made: bytes) -> Any:
    found = feedparser.parse(io.BytesIO(made))
    assert not found.bozo
    return found


@pytest.mark.parametrize("form", FEED_FORMATS)
def test_feedparser_reads_every_field_of_the_feed(form: FeedFormat) -> None:
    found = parse(write_feed(HEAD, [ARTICLE], form))
    assert found.version == {"rss": "rss20", "atom": "atom10"}[form]
    assert (found.feed.title, found.feed.link) == ("The Gazette", "http://gazette.example/")
    (entry,) = found.entries
    assert (entry.title, entry.link) == ("Rain & fog", ARTICLE["url"])
    assert entry.published_parsed[:4] == (2026, 3, 6, 11)  # in UTC
    assert "<strong>rained</strong>" in entry.content[-1].value
    assert entry.summary == "It rained."
    assert [tag.term for tag in entry.tags] == ["rain"]


@pytest.mark.parametrize("form", FEED_FORMATS)
def test_our_own_reader_reads_the_feed_too(form: FeedFormat) -> None:
    (entry,) = read_feed(write_feed(HEAD, [ARTICLE], form), url=HEAD.feed_url or "").entries
    assert (entry.title, entry.link) == ("Rain & fog", ARTICLE["url"])
    assert entry.authors == ("Ann Lee", "Bo Ek")


def test_rss_has_what_validators_require() -> None:
    root = etree.fromstring(write_feed(HEAD, [ARTICLE]))
    channel = root.find("channel")
    assert root.get("version") == "2.0"
    assert channel is not None
    # RSS 2.0: the three required elements, each once.
    for name in ("title", "link", "description"):
        assert len(channel.findall(name)) == 1
    item = channel.find("item")
    assert item is not None
    guid = item.find("guid")
    assert guid is not None
    assert (guid.text, guid.get("isPermaLink")) == ("gazette-4711", "false")
    assert item.findtext("pubDate") == "Fri, 06 Mar 2026 12:00:00 +0100"  # RFC 822
    own = channel.find("{http://www.w3.org/2005/Atom}link")
    assert own is not None
    assert (own.get("rel"), own.get("href")) == ("self", HEAD.feed_url)


def test_atom_has_what_validators_require() -> None:
    space = "{http://www.w3.org/2005/Atom}"
    root = etree.fromstring(write_feed(HEAD, [ARTICLE, {**ARTICLE, "date_publish": None}], "atom"))
    for node in (root, *root.findall(f"{space}entry")):
        for name in ("id", "title", "updated"):  # RFC 4287, 4.1.1 and 4.1.2
            assert len(node.findall(f"{space}{name}")) == 1
            assert node.findtext(f"{space}{name}")
    assert root.findtext(f"{space}entry/{space}id") == "urn:guid:gazette-4711"


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/",
        "http://127.0.0.1:8080/x.png",
        "http://localhost/x.png",
        "http://2130706433/",
        "http://[::1]/x",
        "http://10.0.0.1/x",
        "http://user:pw@gazette.example/x",
        "file:///etc/hostname",
        "data:image/gif;base64,R0",
        "x.png",
    ],
)
def test_images_at_private_addresses_are_removed(url: str) -> None:
    assert "<img" not in safe_content(f'<p>Rain <img src="{url}" alt="x"> fog</p>')


def test_public_images_stay_unless_images_are_off() -> None:
    assert "a.jpg" in safe_content(ARTICLE["html"])
    assert "<img" not in safe_content(ARTICLE["html"], images=False)


def test_media_at_private_addresses_are_removed_and_others_stay() -> None:
    media = '<video controls src="http://{}/a.mp4"></video><audio src="http://{}/a.mp3"></audio>'
    assert safe_content(f"<p>Rain</p>{media.format('10.0.0.1', 'localhost')}") == "<p>Rain</p>"
    public = media.format("gazette.example", "gazette.example")
    assert safe_content(public, images=False).count("gazette.example") == 2


@pytest.mark.parametrize("text", ["]]>", "a\x00b\x0bc", "\ud800", "<![CDATA[", "&#0;", "\ufffe"])
@pytest.mark.parametrize("form", FEED_FORMATS)
def test_hostile_characters_leave_the_feed_well_formed(form: FeedFormat, text: str) -> None:
    article = {name: f"x{text}" if isinstance(it, str) else [text] for name, it in ARTICLE.items()}
    made = write_feed(FeedHead(f"t{text}", "http://gazette.example/", None), [article], form)
    etree.fromstring(made)
    assert len(parse(made).entries) == 1


@given(
    st.dictionaries(
        st.sampled_from(list(ARTICLE)),
        st.one_of(st.text(), st.none(), st.lists(st.text()), st.integers()),
    ),
    st.sampled_from(FEED_FORMATS),
)
def test_any_article_gives_well_formed_xml(article: dict[str, Any], form: FeedFormat) -> None:
    etree.fromstring(write_feed(HEAD, [article], form))


@pytest.mark.parametrize(
    ("row", "guid", "permanent"),
    [
        ({"guid": "tag:g.example,2026:7"}, "tag:g.example,2026:7", "false"),
        ({"link": "http://g.example/a"}, "http://g.example/a", "true"),
        (
            {"link": "http://g.example/a", "canonical_url": "http://g.example/b"},
            "http://g.example/a",
            "true",
        ),
        ({"id": "ab" * 32}, "ab" * 32, "false"),
    ],
    ids=["the feed's", "the feed's link", "not the canonical URL", "without any link"],
)
def test_an_item_keeps_the_identity_that_readers_know(
    row: dict[str, Any], guid: str, permanent: str
) -> None:
    node = etree.fromstring(write_feed(HEAD, [row])).find("channel/item/guid")
    assert node is not None
    assert (node.text, node.get("isPermaLink")) == (guid, permanent)


@pytest.mark.parametrize("form", FEED_FORMATS)
def test_a_title_is_not_repeated_in_content_or_summary(form: FeedFormat) -> None:
    row = ARTICLE | {
        "html": "<h1>Rain &amp; fog</h1>\n<p>It rained.</p>",
        "description": "Rain & fog",
    }
    (entry,) = parse(write_feed(HEAD, [row], form)).entries
    assert [it.value for it in entry.content] == ["<p>It rained.</p>"]
    assert entry.title == "Rain & fog"
    assert "Rain" not in entry.get("summary", "")


@pytest.mark.parametrize(
    "html",
    [
        "<h2>Rain &amp; fog in May</h2><p>It rained.</p>",
        "<p>Rain &amp; fog</p>",
        '<h1>Rain &amp; fog<img src="http://g.example/a.jpg"></h1><p>It rained.</p>',
    ],
    ids=["another heading", "nothing else", "a picture"],
)
def test_a_first_block_that_says_more_than_the_title_stays(html: str) -> None:
    (entry,) = parse(write_feed(HEAD, [ARTICLE | {"html": html}])).entries
    assert "fog" in entry.content[0].value


def test_a_feed_names_its_language() -> None:
    head = FeedHead("Gazette", "http://g.example/", None, "de")
    assert parse(write_feed(head, [ARTICLE])).feed.language == "de"
    root = etree.fromstring(write_feed(head, [ARTICLE], "atom"))
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == "de"
