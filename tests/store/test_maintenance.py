"""What a vacuum deletes, and what stays known."""

from __future__ import annotations

from dataclasses import replace

from forest_crawler.store import Store
from forest_crawler.store.pages import KEPT_PAGES
from tests.support.store_builders import (
    FakeClock,
    archive_held,
    article,
    candidate,
    fetch,
    schedule,
)

DAY = 86_400.0


def test_a_page_without_an_article_is_forgotten_but_not_fetched_again(
    store: Store, clock: FakeClock
) -> None:
    source = store.add_source("https://gazette.example/feed").id
    store.schedule([candidate(name, source=source) for name in "abc"])
    fetch(store, 2)
    store.archive([article("gazette.example/a")])
    store.fail("gazette.example/b", "http-404")
    clock.time += 91 * DAY
    done = store.vacuum(90 * DAY)
    assert (done.pages, done.bodies) == (1, 0)
    assert store.state("gazette.example/b") is None
    assert store.state("gazette.example/c") == ("new", None)  # still to be fetched
    again = [candidate(name, source=source) for name in "abd"]
    assert store.known_keys([it.key for it in again]) == {"gazette.example/a", "gazette.example/b"}
    assert store.schedule(again) == 1
    assert store.account()["scheduled"] == 3
    assert store.vacuum(90 * DAY).pages == 0


def test_an_archived_page_loses_its_feed_entry_once_its_body_is_gone(
    store: Store, clock: FakeClock
) -> None:
    source = store.add_source("https://gazette.example/feed").id
    entry = {"title": "Rain", "description": "It rains."}
    names = [f"{number:02}" for number in range(KEPT_PAGES + 2)]
    pages = [replace(candidate(it, source=source), entry=entry) for it in names]
    store.schedule(pages)
    fetch(store, len(pages))
    assert archive_held(store) == len(pages)
    fed, account = store.feed_articles(source=source), store.account()
    assert store.vacuum(90 * DAY).entries == 0  # they are too young
    clock.time += 91 * DAY
    assert store.vacuum(90 * DAY).entries == 2
    assert [page.entry for page in store.recent_pages("gazette.example")] == [entry] * KEPT_PAGES
    assert store.schedule(pages) == 0  # archived once
    assert (store.feed_articles(source=source), store.account()) == (fed, account)
    assert store.vacuum(90 * DAY).entries == 0


def test_a_recent_page_is_not_forgotten(store: Store, clock: FakeClock) -> None:
    schedule(store, "a")
    store.fail("gazette.example/a", "http-404")
    clock.time += 89 * DAY
    assert store.vacuum(90 * DAY).pages == 0


def test_sites_without_pages_and_old_runs_are_deleted(store: Store, clock: FakeClock) -> None:
    store.begin_run()
    schedule(store, "a", "a.example")
    schedule(store, "b", "b.example")
    fetch(store, 1)
    archive_held(store)
    store.lease(9)  # gives back what has nothing due
    store.end_run()
    clock.time += 91 * DAY
    done = store.vacuum(90 * DAY)
    assert (done.sites, done.runs) == (1, 1)
    store.begin_run()
    assert [lease.key for lease in store.lease(9)] == ["b.example/b"]


def test_sizes_and_waits_are_known(store: Store, clock: FakeClock) -> None:
    schedule(store, "ab", "a.example")
    schedule(store, "c", "b.example")
    clock.time += 60.0
    assert store.sizes()["frontier"][0] == 3
    assert store.waiting_sites() == (2, 60.0)
    store.begin_run()
    store.lease(9)
    assert store.waiting_sites() == (0, None)
    (run,) = store.live_runs()
    assert (run.sites, run.expires_in) == (2, None)
    assert (store.total_size() or 0) > 0
