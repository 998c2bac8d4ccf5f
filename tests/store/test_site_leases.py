"""Leases of sites: what a lease costs, and which sites are due."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from forest_crawler.store import FetchedPage, Store, open_store
from forest_crawler.store.site_leases import _FREE_DUE
from tests.store.test_growth import count_work
from tests.support.store_builders import FakeClock, candidate, schedule

DUMP = Path(__file__).parents[1] / "data" / "store_version_7.sql"


def fill(path: Path, sites: int) -> Store:
    """Fill a store with sites of one page each."""
    store = open_store(f"sqlite:///{path}/{sites}.db")
    with store.batch():
        store.begin_run()
        store.schedule([candidate("1", f"{n}.example") for n in range(sites)])
    return store


def lease_and_hold(store: Store) -> None:
    leases = store.lease(16, per_site=1)
    assert len(leases) == 16
    store.hold([FetchedPage(lease.key, b"") for lease in leases])
    store.next_due()


def test_a_lease_costs_the_same_with_thirty_times_as_many_sites(tmp_path: Path) -> None:
    with fill(tmp_path, 100) as few, fill(tmp_path, 3000) as many:
        work = [count_work(lease_and_hold, store) for store in (few, many)]
    assert 0 < work[1] < 1.5 * work[0]


def test_sites_that_were_leased_come_after_those_that_waited(store: Store) -> None:
    for site in ("a.example", "b.example", "c.example"):
        schedule(store, ["1", "2"], site)
    assert [lease.site for lease in store.lease(2)] == ["a.example", "b.example"]
    assert [lease.site for lease in store.lease(2, per_site=1)] == ["c.example"]


def test_a_host_that_wants_a_pause_gets_it_whoever_leases_its_pages(
    store_url: str, clock: FakeClock
) -> None:
    with open_store(store_url, now=clock) as store:
        store.begin_run()
        schedule(store, ["1", "2"], "a.example")
        schedule(store, ["1"], "b.example")
        store.pause_host("a.example", "retry-after", clock.time + 600)
    with open_store(store_url, now=clock) as store:  # after a kill
        store.begin_run()
        assert [lease.key for lease in store.lease(9)] == ["b.example/1"]
        assert store.next_due() == clock.time + 600
        clock.time += 600
        assert len(store.lease(9)) == 2


def test_a_pause_that_a_wrong_clock_made_too_long_is_forgotten(
    store: Store, clock: FakeClock
) -> None:
    schedule(store, ["1"], "a.example")
    store.pause_host("a.example", "retry-after", clock.time + 600)
    clock.time -= 365 * 86400.0
    store.begin_run()
    assert len(store.lease(1)) == 1


def test_a_store_of_version_seven_goes_on_where_it_was_killed(
    tmp_path: Path, clock: FakeClock
) -> None:
    """Three sites of four pages: two archived, one held, two leased, one of them put off."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DUMP.read_text())
    with open_store(f"sqlite:///{path}", now=clock) as store:
        store.begin_run()
        assert store.held_sites() == [("valley.example", 1, 3)]
        leased = [lease.key for lease in store.lease(99)]
        assert len(leased) == 8  # nine are new, and one waits until its retry
        assert "gazette.example/2" not in leased
        assert store.next_due() == clock.time + 600
        account = store.account()
    assert (account["scheduled"], account["archived"], account["pending"]) == (12, 2, 10)


@pytest.mark.parametrize("seconds", [-4000.0, -365 * 86400.0], ids=["hour", "year"])
def test_new_pages_are_due_in_the_next_run_though_the_clock_was_set_back(
    store: Store, clock: FakeClock, seconds: float
) -> None:
    store.begin_run()
    schedule(store, ["1"], "a.example")
    clock.time += seconds
    store.begin_run()
    assert len(store.lease(1)) == 1


def test_a_server_finds_free_sites_in_order_without_sorting_them(postgres_schema: str) -> None:
    with open_store(postgres_schema) as store:
        store.schedule([candidate("1", f"{n}.example") for n in range(3000)])
        store._database.compact()  # so that the server knows the numbers
        with store._database.reading() as connection:
            query = str(_FREE_DUE.compile(connection))
            values = {"now": time.time(), "limit": 16}
            rows = connection.exec_driver_sql(f"EXPLAIN {query}", values)
            plan = "\n".join(row[0] for row in rows)
    assert "free_sites" in plan
    assert "Sort" not in plan
