"""A changed article is fetched again, and archived as a version of the first."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from forest_crawler.store import Candidate, FetchedPage, NewArticle, Store, open_store
from forest_crawler.store.versions import MAX_VERSIONS, first_key, version_key

SITE, KEY, URL = "gazette.example", "gazette.example/live", "http://gazette.example/live"
NOON = datetime(2026, 3, 6, 12, tzinfo=UTC).timestamp()
DAY = 86_400.0


def candidate(updated: float | None) -> Candidate:
    moment = datetime.fromtimestamp(updated, tz=UTC).isoformat() if updated else None
    return Candidate(KEY, URL, SITE, entry={"title": "Live", "updated": moment})


def article(key: str, name: str) -> NewArticle:
    line = json.dumps({"id": name, "near_duplicate_of": None, "version_of": None})
    return NewArticle(name, key, SITE, URL, "page:page", None, name, line, (1, 2, 3))


class Clock:
    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> float:
        return self.time


def archive(store: Store, key: str, name: str) -> set[str]:
    store.begin_run()
    store.hold([FetchedPage(key, b"<p>x")])
    return set(store.archive_lines([article(key, name)]))


def rows(store: Store) -> list[dict[str, object]]:
    return [json.loads(line) for _, line in store.lines_after(0, 100)]


def test_a_changed_article_becomes_a_version() -> None:
    clock = Clock()
    with open_store("sqlite://", now=clock) as store:
        store.schedule([candidate(NOON - 60)])
        archive(store, KEY, "one")
        clock.time = NOON + 3600
        assert store.schedule_versions([candidate(NOON - 60)], 2 * DAY) == 0
        changed = candidate(NOON + 1800)
        assert store.schedule_versions([changed], 2 * DAY) == 1
        assert store.schedule_versions([changed], 2 * DAY) == 0
        later = version_key(KEY, 2)
        assert archive(store, later, "two") == {later}
        assert [(row["id"], row["version_of"]) for row in rows(store)] == [
            ("one", None),
            ("two", "one"),
        ]
        assert rows(store)[1]["near_duplicate_of"] is None


def test_an_unchanged_version_is_not_archived_and_not_listed() -> None:
    clock = Clock()
    with open_store("sqlite://", now=clock) as store:
        store.schedule([candidate(None)])
        archive(store, KEY, "one")
        clock.time = NOON + 3600
        store.schedule_versions([candidate(NOON + 1800)], 2 * DAY)
        later = version_key(KEY, 2)
        assert archive(store, later, "one") == set()
        assert len(rows(store)) == 1
        assert list(store.closed_without_article()) == []


@pytest.mark.parametrize(
    ("updated", "max_age"),
    [(None, 2 * DAY), (NOON + 3 * DAY, 2 * DAY), (NOON + 1800, 0.0), (NOON + 9 * DAY, 99 * DAY)],
    ids=["no-time", "too-late", "turned-off", "in-the-future"],
)
def test_other_pages_are_not_fetched_again(updated: float | None, max_age: float) -> None:
    clock = Clock()
    with open_store("sqlite://", now=clock) as store:
        store.schedule([candidate(None)])
        archive(store, KEY, "one")
        clock.time = NOON + 4 * DAY
        assert store.schedule_versions([candidate(updated)], max_age) == 0


def test_a_page_is_fetched_again_only_so_often() -> None:
    clock = Clock()
    with open_store("sqlite://", now=clock) as store:
        store.schedule([candidate(None)])
        archive(store, KEY, "one")
        clock.time = NOON + DAY
        for n in range(MAX_VERSIONS):
            assert store.schedule_versions([candidate(NOON + 60 + n)], 2 * DAY) == 1
            assert store.schedule_versions([candidate(NOON + 90 + n)], 2 * DAY) == 0  # it is open
            store.skip(version_key(KEY, 2 + n), "empty")
        assert store.schedule_versions([candidate(NOON + 3600)], 2 * DAY) == 0


def test_only_a_version_s_key_has_a_first_key() -> None:
    assert first_key(KEY) is None
