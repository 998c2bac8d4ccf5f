"""Closed pages are opened again while a feed names them, and doubtful ones fetched again."""

from __future__ import annotations

import pytest

from forest_crawler.store import Candidate, FetchedPage, Store
from forest_crawler.store.doubt_pauses import DOUBT_INTERVAL
from forest_crawler.store.records import MAX_DOUBTS
from forest_crawler.store.reopening import MAX_AGE, REOPEN_INTERVAL
from tests.support.store_builders import FakeClock, article, candidate, fetch, schedule

SITE = "gazette.example"
KEY = f"{SITE}/a"


@pytest.fixture
def store(store: Store) -> Store:
    """Return the store in a run, with a leased page."""
    store.begin_run()
    schedule(store, ["a"])
    store.lease(1)
    return store


@pytest.mark.parametrize("close", ["skip", "fail"])
def test_closed_page_is_reopened_after_a_pause_that_doubles(
    store: Store, clock: FakeClock, close: str
) -> None:
    pauses = []
    for _ in range(3):
        getattr(store, close)(KEY, "http-404")
        closed = clock.time
        assert store.has_reopenable([KEY])
        while not store.reopen([KEY]):
            clock.time += REOPEN_INTERVAL / 2
        pauses.append((clock.time - closed) / REOPEN_INTERVAL)
        assert [lease.key for lease in store.lease(1)] == [KEY]
    assert pauses == [1, 2, 4]


def test_page_is_reopened_up_to_an_age(store: Store, clock: FakeClock) -> None:
    store.fail(KEY, "http-404")
    clock.time += MAX_AGE
    assert (store.reopen([KEY]), store.has_reopenable([KEY])) == (0, False)
    assert store.state(KEY) == ("failed", "http-404")


@pytest.mark.parametrize("reason", ["part", "duplicate", "http-410"])
def test_page_that_is_closed_for_good_stays_closed(
    store: Store, clock: FakeClock, reason: str
) -> None:
    store.skip(KEY, reason)
    clock.time += 2 * REOPEN_INTERVAL
    assert (store.reopen([KEY]), store.has_reopenable([KEY])) == (0, False)


@pytest.mark.parametrize(
    ("closes", "hours", "reason", "is_lasting"),
    [
        pytest.param(0, 24, "http-403", False, id="first-close"),
        pytest.param(1, 24, "http-403", False, id="second-close"),
        pytest.param(2, 6.9, "http-403", False, id="young"),
        pytest.param(2, 7, "http-403", True, id="seven-hours"),
        pytest.param(0, 0, "http-410", True, id="gone"),
    ],
)
def test_close_is_lasting_after_two_others_and_hours(
    store: Store, clock: FakeClock, closes: int, hours: float, reason: str, is_lasting: bool
) -> None:
    for _ in range(closes):
        store.fail(KEY, reason)
        store.reopen([KEY], at_once=True)
        store.lease(1)
    clock.time += 3600 * hours
    assert store.is_lasting(KEY, reason) == is_lasting
    assert not store.is_lasting("gazette.example/unknown", reason)


def test_page_that_is_not_named_stays_closed(store: Store, clock: FakeClock) -> None:
    store.fail(KEY, "http-404")
    clock.time += 2 * REOPEN_INTERVAL
    assert store.reopen(["gazette.example/b"]) == 0


def test_feed_of_a_closed_page_is_read_in_full(store: Store) -> None:
    source = store.add_source("https://gazette.example/feed").id
    store.update_source(source, etag='"1"', modified="yesterday")
    store.schedule([candidate("b", source=source)])
    store.lease(9)
    store.fail(f"{SITE}/b", "http-404")
    found = store.get_source(source)
    assert (found.etag, found.modified) == (None, None)


def test_redirected_page_is_reopened_unless_its_target_is_archived(
    store: Store, clock: FakeClock
) -> None:
    schedule(store, ["b"])
    for name, target in (("a", "x"), ("b", "y")):
        store.schedule([Candidate(f"{SITE}/{target}", f"https://{SITE}/{target}", SITE)])
        store.move(f"{SITE}/{name}", f"{SITE}/{target}")
    fetch(store)
    store.archive([article(f"{SITE}/x")])
    clock.time += REOPEN_INTERVAL
    assert store.reopen([KEY, f"{SITE}/b"]) == 1
    assert [store.state(f"{SITE}/{name}") for name in "ab"] == [
        ("skipped", "moved"),
        ("new", "moved"),
    ]
    assert store.count_moves(f"{SITE}/x") == 1


def test_doubtful_page_is_fetched_again_later_and_settled_at_last(
    store: Store, clock: FakeClock
) -> None:
    pauses = []
    while True:
        store.hold([FetchedPage(KEY, b"<p>Back soon</p>")])
        if not store.put_back(KEY, "repeated-text"):
            break
        assert store.state(KEY) == ("new", "repeated-text")
        due = store.next_due()
        assert due is not None
        pauses.append((due - clock.time) / DOUBT_INTERVAL)
        clock.time = due
        assert len(store.lease(1)) == 1
    assert pauses == [1, 2, 4, 8, 16]
    assert len(pauses) == MAX_DOUBTS - 1
    assert store.archive([article(KEY)]) == 1


def fetch_again(store: Store, clock: FakeClock, late: float) -> int:
    """Fetch a page again so long after it was due; return its doubts, as the store counts them."""
    clock.time = (store.next_due() or 0.0) + late
    assert len(store.lease(1)) == 1
    store.hold([FetchedPage(KEY, b"<p>Back soon</p>")])
    (page,) = store.held_pages(SITE, 1)
    return page.doubts


def test_teaser_is_settled_by_the_time_and_not_by_the_number_of_crawls(
    store: Store, clock: FakeClock
) -> None:
    store.hold([FetchedPage(KEY, b"<p>Back soon</p>")])
    assert store.put_back(KEY, "teaser")
    # The next pauses would have been two and four intervals.
    assert fetch_again(store, clock, late=6 * DOUBT_INTERVAL) == 3
    assert store.put_back(KEY, "teaser")
    assert store.next_due() == clock.time + 8 * DOUBT_INTERVAL
    assert fetch_again(store, clock, late=24 * 3600) == MAX_DOUBTS
    assert not store.put_back(KEY, "teaser")
    assert store.archive([article(KEY)]) == 1


@pytest.mark.parametrize("hours", [12, 24])  # until doubts would be counted to 5 and to 6
def test_notice_on_the_page_of_a_teaser_that_time_has_settled_is_looked_at_once_more(
    store: Store, clock: FakeClock, hours: int
) -> None:
    store.hold([FetchedPage(KEY, b"<p>Rain</p>")])
    assert store.put_back(KEY, "teaser")
    assert fetch_again(store, clock, late=hours * 3600) == MAX_DOUBTS
    assert store.put_back(KEY, "repeated-text")
    assert store.next_due() == clock.time + 16 * DOUBT_INTERVAL
    fetch_again(store, clock, late=24 * 3600)
    assert not store.put_back(KEY, "repeated-text")  # the last pause is over
    assert not store.put_back(KEY, "teaser")


def test_notice_has_to_be_seen_again_and_again_however_late(store: Store, clock: FakeClock) -> None:
    store.hold([FetchedPage(KEY, b"<p>Back soon</p>")])
    assert store.put_back(KEY, "other-title")
    assert fetch_again(store, clock, late=24 * 3600) == 1
    assert store.put_back(KEY, "teaser")  # what it is now may pass as well
    assert store.next_due() == clock.time + 2 * DOUBT_INTERVAL


def test_failed_fetches_cost_a_page_neither_pauses_nor_doubts(
    store: Store, clock: FakeClock
) -> None:
    for _ in range(2):
        store.retry(KEY, "http-503", at=clock.time)
        store.lease(1)
    store.fail(KEY, "http-503")
    clock.time += REOPEN_INTERVAL  # as if it had failed at the first fetch
    assert store.reopen([KEY]) == 1
    for _ in range(4):
        store.lease(1)
        store.fail(KEY, "http-404")
        store.reopen([KEY], at_once=True)
    store.lease(1)
    store.hold([FetchedPage(KEY, b"<p>Back soon</p>")])
    assert store.put_back(KEY, "repeated-text")  # its first notice after seven failures
    assert store.next_due() == clock.time + DOUBT_INTERVAL


def test_doubts_cost_a_page_no_attempts(store: Store, clock: FakeClock) -> None:
    for _ in range(3):
        store.hold([FetchedPage(KEY, b"<p>Back soon</p>")])
        store.put_back(KEY, "repeated-text")
        clock.time = store.next_due() or 0.0
        leases = store.lease(1)
    assert [lease.attempts for lease in leases] == [0]
