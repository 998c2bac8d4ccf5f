"""Raw pages: held until archived; the last few of every site stay longer."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from forest_crawler.errors import StoreError
from forest_crawler.store import Candidate, FetchedPage, Store, open_store
from forest_crawler.store.pages import KEPT_PAGES
from tests.support.store_builders import archive_held, article, fetch, schedule

SITE = "gazette.example"


@pytest.fixture
def store(store: Store) -> Store:
    store.begin_run()
    return store


def names(number: int) -> list[str]:
    return [f"{i:02}" for i in range(number)]


def test_a_held_page_has_all_that_is_known_about_it(store: Store) -> None:
    source = store.add_source("https://gazette.example/")
    store.update_source(source.id, feed_url="https://gazette.example/feed")
    entry = {"title": "Rain"}
    store.schedule([Candidate("k", "https://g.example/k", "g.example", source.id, "guid", entry)])
    store.lease(1)
    body = bytes(range(256)) * 100
    store.hold([FetchedPage("k", body, 203, "text/html", "https://g.example/moved", 12.5)])
    (page,) = store.held_pages("g.example", 5)
    assert (page.body, page.status, page.content_type) == (body, 203, "text/html")
    assert (page.url, page.fetched_at) == ("https://g.example/moved", 12.5)
    assert (page.entry, page.guid, page.feed_url) == (entry, "guid", "https://gazette.example/feed")


def test_a_page_fetched_without_a_lease_is_held_too(store: Store) -> None:
    schedule(store, ["a"])
    assert store.hold([FetchedPage(f"{SITE}/a", b"x"), FetchedPage("unknown", b"x")]) == 1
    assert store.lease(9) == []


def test_a_page_is_held_once(store: Store) -> None:
    schedule(store, ["a"])
    store.lease(1)
    assert [store.hold([FetchedPage(f"{SITE}/a", body)]) for body in (b"first", b"second")] == [
        1,
        0,
    ]
    assert store.held_pages(SITE, 9)[0].body == b"first"


def test_held_pages_come_the_oldest_or_the_newest_first(store: Store) -> None:
    schedule(store, names(5))
    fetch(store)
    oldest = [page.key for page in store.held_pages(SITE, 2)]
    newest = [page.key for page in store.held_pages(SITE, 2, newest=True)]
    assert oldest == [f"{SITE}/00", f"{SITE}/01"]
    assert newest == [f"{SITE}/04", f"{SITE}/03"]


def test_held_sites_count_held_pages_and_pages_still_to_be_fetched(store: Store) -> None:
    schedule(store, names(3), "a.example")
    schedule(store, names(1), "b.example")
    fetch(store, 3)  # 00 of a, 00 of b, 01 of a
    store.lease(1)
    assert store.held_sites() == [("a.example", 2, 1), ("b.example", 1, 0)]


def test_the_newest_pages_of_a_site_stay_after_they_are_archived(store: Store) -> None:
    schedule(store, names(KEPT_PAGES + 3))
    schedule(store, ["x"], "b.example")
    fetch(store, 5)
    archive_held(store)
    fetch(store)
    archive_held(store)
    kept = [page.key for page in store.recent_pages(SITE, 99)]
    assert kept == [f"{SITE}/{name}" for name in reversed(names(KEPT_PAGES + 3)[3:])]
    assert [page.body for page in store.recent_pages("b.example", 99)] == [b"<p>b.example/x</p>"]
    assert store.held_pages(SITE, 99) == []


def test_refused_pages_take_no_place_among_a_site_s_recent_ones(
    store: Store, tmp_path: Path
) -> None:
    schedule(store, ["a", "b"])
    shown = fetch(store, 1)
    store.bodies = store.open_bodies(str(tmp_path / "bodies"))
    store.hold([FetchedPage(lease.key, b"", status=403) for lease in store.lease(1)])
    assert [(page.status, page.body) for page in store.held_pages(SITE, 99)] == [
        (200, b"<p>gazette.example/a</p>"),
        (403, b""),
    ]
    assert not (tmp_path / "bodies").exists()  # an empty body needs no file
    archive_held(store)
    assert [page.key for page in store.recent_pages(SITE, 99)] == shown


def test_skipped_and_duplicate_pages_leave_no_body(store: Store, store_url: str) -> None:
    schedule(store, ["a", "b", "c"])
    held = fetch(store)
    store.archive([article(held[0], "same")])
    store.archive([article(held[1], "same")])
    store.skip(held[2], "no article")
    assert [page.key for page in store.recent_pages(SITE, 99)] == [held[0]]
    assert [store.state(key) for key in held] == [
        ("done", None),
        ("skipped", "duplicate"),
        ("skipped", "no article"),
    ]


def test_bodies_are_stored_compressed(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/s.db") as store:
        schedule(store, ["a"])
        store.lease(1)
        store.hold([FetchedPage(f"{SITE}/a", b"<p>Rain</p>" * 100_000)])
    assert (tmp_path / "s.db").stat().st_size < 400_000  # of 1.1 MB


def test_a_body_that_cannot_be_decompressed_names_the_store(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/s.db") as store:
        schedule(store, ["a"])
        fetch(store)
    connection = sqlite3.connect(tmp_path / "s.db")
    connection.execute("UPDATE pages SET body = x'00'")
    connection.commit()
    connection.close()
    with (
        open_store(f"sqlite:///{tmp_path}/s.db") as store,
        pytest.raises(StoreError, match=r"s\.db: is damaged"),
    ):
        store.held_pages(SITE, 1)


def test_a_page_is_found_by_its_key_while_its_body_is_kept(store: Store) -> None:
    schedule(store, ["held", "archived", "skipped", "new"])
    for name in ("held", "archived", "skipped"):
        store.hold([FetchedPage(f"{SITE}/{name}", name.encode())])
    store.archive([article(f"{SITE}/archived")])
    store.skip(f"{SITE}/skipped", "no article")
    found = [store.kept_page(f"{SITE}/{name}") for name in ("held", "archived", "skipped", "new")]
    assert [page and page.body for page in found] == [b"held", b"archived", None, None]
