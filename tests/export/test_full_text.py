"""Full-text feeds of a store: newest first, under the ids of the original, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import feedparser
import pytest
from lxml import etree

from forest_crawler.export.feed import FeedHead, write_feed
from forest_crawler.export.feed_rows import newest_rows
from forest_crawler.export.full_text import feed_document, full_text, full_text_feed, page_document
from forest_crawler.export.source_feeds import name_feeds, write_source_feeds
from forest_crawler.store import Candidate, FetchedPage, NewArticle, Source, Store, open_store

SITE = "gazette.example"
FEED = f"https://{SITE}/feed.xml"


def archive(store: Store, source: int, name: str, **row: object) -> None:
    """Archive an article as a crawl does."""
    key, url = f"{SITE}/{name}", f"https://{SITE}/{name}"
    store.schedule([Candidate(key, url, SITE, source, guid=f"guid-{name}")])
    store.lease(10)
    store.hold([FetchedPage(key, b"<p>It rained.", url=f"{url}?moved")])
    values = {"id": name, "url": f"{url}?moved", "title": name.title(), "language": "en", **row}
    line = json.dumps(values)
    store.archive([NewArticle(name, key, SITE, url, "wrapper", None, name, line)])


@pytest.fixture
def store() -> Iterator[Store]:
    """A store with a feed of three articles, fetched in the order of the feed: newest first."""
    with open_store("sqlite://") as opened:
        source = opened.add_source(FEED)
        opened.update_source(source.id, feed_url=FEED, site=SITE, title="The Gazette")
        opened.begin_run()
        for day, name in ((7, "sun"), (6, "rain"), (5, "fog")):
            html = f"<h1>{name.title()}</h1><p>All about {name}.</p>"
            published = f"2026-03-0{day}T12:00:00+00:00"
            text = f"All about {name}."
            archive(opened, source.id, name, html=html, text=text, date_publish=published)
        yield opened


def titles(rows: list[dict[str, object]]) -> list[object]:
    return [row["title"] for row in rows]


def test_the_newest_articles_come_first_whenever_they_were_fetched(store: Store) -> None:
    assert titles(newest_rows(store, site=SITE, limit=2)) == ["Sun", "Rain"]
    assert titles(newest_rows(store, source=1, limit=9)) == ["Sun", "Rain", "Fog"]


def test_an_article_without_a_date_is_placed_by_when_it_was_fetched(store: Store) -> None:
    archive(store, 1, "hail", date_publish=None, date_download="2026-03-06T18:00:00+00:00")
    assert titles(newest_rows(store, site=SITE, limit=9)) == ["Sun", "Hail", "Rain", "Fog"]


def test_an_article_that_only_states_its_last_change_is_placed_and_dated_by_it(
    store: Store,
) -> None:
    # As from an Atom feed without `published`, fetched weeks later.
    dates = {"date_modify": "2026-03-05T18:00:00+00:00", "date_download": "2026-04-01T18:00:00Z"}
    archive(store, 1, "hail", html="<p>Hail.</p>", date_publish=None, **dates)
    rows = newest_rows(store, site=SITE, limit=9)
    assert titles(rows) == ["Sun", "Rain", "Hail", "Fog"]
    feed = feedparser.parse(write_feed(FeedHead("Gazette", "https://gazette.example/"), rows))
    assert feed.entries[2].published == "Thu, 05 Mar 2026 18:00:00 +0000"
    item = feed_document(FeedHead("Gazette", "https://gazette.example/"), rows)["rss"]["channel"]
    assert item["item"][2]["pubDate"] == "Thu, 05 Mar 2026 18:00:00 +0000"


def test_of_an_articles_versions_the_latest_is_listed(store: Store) -> None:
    archive(store, 1, "sun~2", title="More sun", version_of="sun", date_publish="2026-03-07")
    assert titles(newest_rows(store, site=SITE, limit=9)) == ["More sun", "Rain", "Fog"]


def test_each_source_has_its_own_guid_for_a_page(store: Store) -> None:
    other = store.add_source(f"https://{SITE}/all.xml")
    again = Candidate(f"{SITE}/sun", f"https://{SITE}/sun", SITE, other.id, guid="all-1")
    store.schedule([again])
    assert [row["guid"] for row in newest_rows(store, source=other.id, limit=9)] == ["all-1"]
    assert newest_rows(store, source=1, limit=1)[0]["guid"] == "guid-sun"


def test_files_are_named_by_site_and_listed_in_an_index(store: Store, tmp_path: Path) -> None:
    written = write_source_feeds(store, tmp_path, base_url="https://reader.example/feeds/")
    assert [path.name for path in written] == ["gazette.example.xml"]
    feed = feedparser.parse(written[0].read_bytes())
    assert not feed.bozo
    assert (feed.feed.link, feed.feed.language) == (f"https://{SITE}/", "en")
    (own,) = (it.href for it in feed.feed.links if it.rel == "self")
    assert own == "https://reader.example/feeds/gazette.example.xml"
    assert (feed.entries[0].link, feed.entries[0].id) == (f"https://{SITE}/sun", "guid-sun")
    (outline,) = etree.parse(tmp_path / "index.opml").iter("outline")
    assert dict(outline.attrib) == {
        "type": "rss",
        "text": "The Gazette",
        "title": "The Gazette",
        "xmlUrl": own,
        "htmlUrl": f"https://{SITE}/",
    }
    assert write_source_feeds(store, tmp_path, base_url="https://reader.example/feeds/") == []


def test_further_feeds_of_a_site_have_names_of_their_own() -> None:
    sources = [Source(1, FEED, site=SITE), Source(2, f"https://{SITE}/all", site=SITE)]
    sources += [Source(3, "https://x.example/f", site="../x"), Source(4, "https://y.example/f")]
    first, second, third, fourth = (name for _, name in name_feeds(sources))
    assert first == "gazette.example.xml"
    assert second.startswith("https-gazette-example-all-")
    assert third.startswith("https-x-example-f-")
    assert fourth.startswith("https-y-example-f-")


def test_a_feed_is_answered_as_full_text_rss_does(store: Store) -> None:
    made = full_text_feed(store, FEED, limit=2)
    assert made is not None
    assert made["rss"]["@attributes"]["version"] == "2.0"
    channel = made["rss"]["channel"]
    assert (channel["title"], channel["link"]) == ("The Gazette", f"https://{SITE}/")
    assert [item["title"] for item in channel["item"]] == ["Sun", "Rain"]
    assert channel["item"][0] == {
        "title": "Sun",
        "link": f"https://{SITE}/sun",
        "guid": "guid-sun",
        "description": "<p>All about sun.</p>",
        "content_encoded": "<p>All about sun.</p>",
        "pubDate": "Sat, 07 Mar 2026 12:00:00 +0000",
        "dc_language": "en",
        "dc_format": "text/html",
        "dc_identifier": f"https://{SITE}/sun?moved",
    }


def test_an_article_is_answered_as_the_postlight_parser_does(store: Store) -> None:
    assert full_text(store, f"http://www.{SITE}/rain?utm_source=feed") == {
        "title": "Rain",
        "content": "<p>All about rain.</p>",
        "author": None,
        "date_published": "2026-03-06T12:00:00+00:00",
        "lead_image_url": None,
        "dek": None,
        "next_page_url": None,
        "url": f"https://{SITE}/rain",
        "domain": SITE,
        "excerpt": "All about rain.",
        "word_count": 3,
        "direction": "ltr",
        "total_pages": 1,
        "rendered_pages": 1,
    }


@pytest.mark.parametrize("url", ["https://other.example/feed", "mailto:a@b", ""])
def test_what_a_store_does_not_have_is_none(store: Store, url: str) -> None:
    assert full_text_feed(store, url) is None
    assert full_text(store, url) is None


def test_one_article_is_an_object_and_none_an_empty_list(store: Store) -> None:
    (row,) = newest_rows(store, site=SITE, limit=1)
    head = FeedHead("G", "http://g.example/")
    assert isinstance(feed_document(head, [row])["rss"]["channel"]["item"], dict)
    assert feed_document(head, [])["rss"]["channel"]["item"] == []


def test_pictures_at_private_addresses_and_on_request_all_are_removed() -> None:
    html = '<p>a<img src="http://10.0.0.1/x"><img src="http://g.example/y">b</p>'
    row = {"url": "http://g.example/a", "html": html, "language": "ar-EG", "authors": ["A", "B"]}
    made = page_document(row)
    assert made["content"] == '<p>a<img src="http://g.example/y">b</p>'
    assert (made["direction"], made["author"]) == ("rtl", "A, B")
    assert page_document(row, images=False)["content"] == "<p>ab</p>"


def test_a_long_text_is_cut_for_the_excerpt_after_a_word() -> None:
    excerpt = page_document({"text": "word " * 100})["excerpt"]
    assert excerpt == "word " * 39 + "word…"
