"""Pages without an article are listed with their reason and feed entry."""

from __future__ import annotations

import json
from pathlib import Path

from forest_crawler.feed.entry_codec import encode_entry
from forest_crawler.feed.records import FeedEntry
from forest_crawler.store import Candidate, open_store
from forest_crawler.store.skipped_file import skipped_path, write_skipped

SITE = "gazette.example"
ENTRY = encode_entry(FeedEntry("Rain", "It rained.", content="<p>" + "It rained. " * 50))


def rows_in(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_skipped_and_failed_pages_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "skipped.jsonl"
    with open_store("sqlite://") as store:
        source = store.add_source("http://gazette.example/feed")
        names = ["wall", "gone", "moved", "open"]
        urls = {name: f"http://{SITE}/{name}" for name in names}
        store.schedule([Candidate(k, url, SITE, source.id, "g", ENTRY) for k, url in urls.items()])
        store.skip("wall", "no-article-wall")
        store.skip("moved", "moved")
        store.fail("gone", "http-404")
        assert write_skipped(store, path) == 2
    common = {
        "site": SITE,
        "feed_url": "http://gazette.example/feed",
        "guid": "g",
        "entry": {"title": "Rain", "description": "It rained."},
    }
    assert rows_in(path) == [
        {"url": urls["wall"], "outcome": "skipped", "reason": "no-article-wall"} | common,
        {"url": urls["gone"], "outcome": "failed", "reason": "http-404"} | common,
    ]


def test_the_file_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "skipped.jsonl"
    with open_store("sqlite://") as store:
        assert write_skipped(store, path) == 0
        assert not path.exists()
        store.schedule([Candidate("a", "http://a.example/", SITE)])
        store.skip("a", "empty")
        write_skipped(store, path)
        assert write_skipped(store, path) == 1
    with open_store("sqlite://") as store:
        write_skipped(store, path)
    assert path.read_text() == ""
    assert [it.name for it in tmp_path.iterdir()] == ["skipped.jsonl"]


def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "skipped.jsonl"
    path.write_text("my notes\n")
    with open_store("sqlite://") as store:
        store.schedule([Candidate("a", "http://a.example/", SITE)])
        store.skip("a", "empty")
        assert write_skipped(store, path) == 0
    assert path.read_text() == "my notes\n"


def test_two_files_of_articles_have_two_files_of_skipped_pages() -> None:
    assert skipped_path("news/articles.jsonl") == Path("news/skipped.jsonl")
    assert skipped_path("news/a.jsonl") == Path("news/a.skipped.jsonl")
