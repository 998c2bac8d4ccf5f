"""Sources: each URL once, polled when due, and no feed is silenced for ever."""

from __future__ import annotations

import pytest

from forest_crawler.store import Store
from forest_crawler.store.sources import MAX_INTERVAL
from tests.support.store_builders import FakeClock


def test_many_sources_are_added_once_and_returned_in_order(store: Store) -> None:
    known = store.add_source("https://b.example/")
    urls = ["https://a.example/", "https://b.example/", "https://a.example/", "https://c.example/"]
    found = store.add_sources(urls)
    assert [source.url for source in found] == urls
    assert (found[1], found[0].id) == (known, found[2].id)
    assert len(store.sources()) == 3


def test_a_url_is_one_source_however_often_it_is_added(store: Store) -> None:
    first = store.add_source("https://a.example/feed")
    assert store.add_source("https://b.example/feed").id != first.id
    assert store.add_source("https://a.example/feed") == first
    assert [source.url for source in store.sources()] == [
        "https://a.example/feed",
        "https://b.example/feed",
    ]


def test_a_source_is_due_again_after_its_interval(store: Store, clock: FakeClock) -> None:
    late, soon = (store.add_source(f"https://{name}.example/").id for name in "ab")
    store.update_source(late, next_poll=clock.time + 60)
    assert [source.id for source in store.due_sources(9)] == [soon]
    clock.time += 60
    assert [source.id for source in store.due_sources(9)] == [soon, late]
    assert [source.id for source in store.due_sources(1)] == [soon]


def test_a_disabled_source_is_not_due(store: Store) -> None:
    gone = store.add_source("https://a.example/").id
    store.update_source(gone, disabled=True, status="http 410")
    assert store.due_sources(9) == []
    assert store.get_source(gone).status == "http 410"


def test_the_results_of_a_poll_are_kept(store: Store) -> None:
    source = store.add_source("https://a.example/").id
    changes = {
        "feed_url": "https://a.example/feed",
        "site": "a.example",
        "title": "A \x00\ud800",
        "etag": '"1"',
        "modified": "Mon",
        "interval": 900.0,
        "failures": 2,
    }
    store.update_source(source, **changes)
    found = store.get_source(source)
    kept = {name: getattr(found, name) for name in changes}
    assert kept == changes | {"title": "A \ufffd\ufffd"}  # no database stores these


def test_only_known_columns_can_be_changed(store: Store) -> None:
    source = store.add_source("https://a.example/").id
    with pytest.raises(TypeError, match="url"):
        store.update_source(source, url="https://b.example/")


def test_an_unknown_source_is_a_key_error(store: Store) -> None:
    with pytest.raises(KeyError):
        store.get_source(7)


def test_the_next_poll_is_bounded_when_it_is_set(store: Store, clock: FakeClock) -> None:
    source = store.add_source("https://a.example/").id
    store.update_source(source, next_poll=clock.time + 10 * MAX_INTERVAL)
    assert store.get_source(source).next_poll == clock.time + MAX_INTERVAL


def test_a_clock_set_back_a_year_silences_no_feed(store: Store, clock: FakeClock) -> None:
    source = store.add_source("https://a.example/").id
    store.update_source(source, next_poll=clock.time + 900)
    clock.time -= 365 * 86400
    store.begin_run()
    assert store.get_source(source).next_poll == clock.time + MAX_INTERVAL
