"""Broken feeds are repaired entry by entry."""

from __future__ import annotations

import pytest

from tests.support.feed_documents import item, read, rss

BROKEN = {
    "blanks in front": "\n\n " + rss(item()),
    "a warning in front": "<br /><b>Warning</b>: x in <b>y.php</b>\n" + rss(item()),
    "something after it": rss(item()) + "<script>count()</script>",
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
def test_damage_is_confined_to_its_entry(name: str) -> None:
    feed = read(BROKEN[name])
    assert [entry.link for entry in feed.entries][1:] == ["http://feeds.example/b"]
    assert feed.repaired


@pytest.mark.parametrize("tag", ["link", "guid", "guid isPermaLink='true'"])
def test_a_url_that_the_document_breaks_off_in_is_none(tag: str) -> None:
    last = f"<item><title>u</title><{tag}>http://gazette.exa"
    feed = read(rss(item(), last).removesuffix("</channel></rss>"))
    assert [(it.title, it.link, it.guid) for it in feed.entries[1:]] == [("u", None, None)]


def test_unclosed_comment_hides_nothing_after_it() -> None:
    feed = read(BROKEN["unclosed comment"])
    assert (feed.entries[1].title, feed.entries[1].link) == ("A&B", "http://feeds.example/b")


def test_comment_with_hyphens_needs_no_repair() -> None:
    feed = read(rss("<!-- a -- b & <c> -->", item()))
    assert (len(feed.entries), feed.repaired) == (1, False)


def test_unescaped_markup_is_read_as_text() -> None:
    (entry,) = read(rss(item(description="<p>One<br>two & <b>three"))).entries
    assert entry.description == "One two & three"


def test_undeclared_prefix_gets_its_customary_namespace() -> None:
    (entry,) = read(rss(item(**{"dc:creator": "Ann"}))).entries
    assert entry.authors == ("Ann",)
