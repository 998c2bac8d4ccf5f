"""Pages of one article: the first waits for its parts; all are closed with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from forest_crawler.store import FetchedPage, Store, open_store
from tests.support.store_builders import FakeClock, archive_held, candidate, fetch, schedule

SITE = "gazette.example"
FIRST, SECOND = f"{SITE}/rain", f"{SITE}/rain-2"


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """Open a store with one held page."""
    with open_store(store_url, now=FakeClock()) as opened:
        opened.begin_run()
        schedule(opened, ["rain"])
        fetch(opened)
        yield opened


def states(store: Store) -> list[str]:
    return [found[0] for key in (FIRST, SECOND) if (found := store.state(key))]


def test_a_page_that_waits_for_a_part_is_not_held(store: Store) -> None:
    assert store.follow_part(FIRST, candidate("rain-2"))
    assert states(store) == ["waiting", "new"]
    assert store.held_pages(SITE, 10) == []
    assert store.account()["pending"] == 2


def test_a_part_comes_with_the_first_page_only(store: Store) -> None:
    store.follow_part(FIRST, candidate("rain-2"))
    (lease,) = store.lease(10)
    assert (lease.key, lease.is_part) == (SECOND, True)
    store.hold([FetchedPage(SECOND, b"<p>On</p>")])
    (page,) = store.held_pages(SITE, 10)
    assert (page.key, [part.body for part in page.parts]) == (FIRST, [b"<p>On</p>"])


def test_parts_come_in_their_order(store: Store) -> None:
    for name in ("rain-2", "rain-3", "rain-4"):
        assert store.follow_part(FIRST, candidate(name))
        fetch(store)
    (page,) = store.held_pages(SITE, 10)
    assert [part.key for part in page.parts] == [f"{SITE}/rain-{n}" for n in (2, 3, 4)]


def test_a_part_is_closed_with_its_article(store: Store) -> None:
    store.follow_part(FIRST, candidate("rain-2"))
    fetch(store)
    assert archive_held(store) == 1
    assert store.state(FIRST) == ("done", None)
    assert store.state(SECOND) == ("skipped", "part")
    assert [page.key for page in store.recent_pages(SITE)] == [FIRST]
    assert store.account()["pending"] == 0


@pytest.mark.parametrize("close", [Store.skip, Store.fail])
def test_a_part_that_is_skipped_or_failed_releases_its_first_page_and_is_not_fetched_again(
    store: Store, close: object
) -> None:
    store.follow_part(FIRST, candidate("rain-2"))
    store.lease(1)
    assert callable(close)
    close(store, SECOND, "gone")
    (page,) = store.held_pages(SITE, 10)
    assert (page.key, page.parts) == (FIRST, ())
    assert not store.follow_part(FIRST, candidate("rain-2"))


def test_a_page_that_a_feed_named_does_not_become_a_part(store: Store) -> None:
    schedule(store, ["rain-2"])
    assert not store.follow_part(FIRST, candidate("rain-2"))
    assert states(store) == ["held", "new"]


def test_a_part_that_a_feed_names_later_stays_a_part(store: Store) -> None:
    store.follow_part(FIRST, candidate("rain-2"))
    schedule(store, ["rain-2"])
    (lease,) = store.lease(10)
    assert lease.is_part


def test_a_part_leased_by_a_dead_run_is_fetched_by_the_next(store: Store) -> None:
    store.follow_part(FIRST, candidate("rain-2"))
    store.lease(1)
    store.begin_run()
    assert states(store) == ["waiting", "new"]
    assert fetch(store) == [SECOND]
    assert states(store) == ["held", "part"]


def test_parts_of_a_page_without_article_are_closed_too(store: Store) -> None:
    store.follow_part(FIRST, candidate("rain-2"))
    fetch(store)
    store.skip(FIRST, "no-article-listing")
    assert store.state(SECOND) == ("skipped", "part")
    assert store.account()["pending"] == 0
