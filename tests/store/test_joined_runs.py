"""Runs that share a store: who leases what, and what the fence refuses."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, pool, text

from forest_crawler.cli._archive_target import ArchiveTarget
from forest_crawler.cli._outputs import PartsOutput
from forest_crawler.errors import FencedError, InputError, StoreError
from forest_crawler.export.folders import open_folder
from forest_crawler.export.manifest import check_parts, list_parts
from forest_crawler.store import FetchedPage, Store, open_store
from forest_crawler.store import locks as store_locks
from tests.support.store_builders import FakeClock, article, candidate, fetch, schedule

DUMP = Path(__file__).parents[1] / "data" / "store_version_9.sql"
LEASE = 60.0
SITES = ("a.example", "b.example", "c.example")


@pytest.fixture
def joined(postgres_schema: str, clock: FakeClock) -> Iterator[tuple[Store, Store]]:
    """Open a store twice, each with a run of its own."""
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(open_store(postgres_schema, now=clock, join=LEASE))
            for _ in range(2)
        )
        first.begin_run()
        second.begin_run()
        yield first, second


def expire(url: str, store: Store) -> None:
    """Let the time of a run's leases be over."""
    engine = create_engine(url, poolclass=pool.NullPool)
    with engine.begin() as connection:
        connection.execute(text("UPDATE runs SET expires = 0 WHERE id = :id"), {"id": store._run})


def end_expired(store: Store) -> int:
    """Look for runs whose time is over, as if the server had not just started."""
    store.lease_seconds = -1e9
    with store._database.writing("run") as connection:
        return store._end_expired(connection)


def take_over(url: str, gone: Store, other: Store) -> None:
    """Let another run find that the time of a run's leases is over."""
    expire(url, gone)
    assert end_expired(other) == 1


def sites_of(store: Store, limit: int) -> list[str]:
    return [lease.site for lease in store.lease(limit, per_site=1)]


def test_a_site_is_leased_by_one_run_at_a_time(joined: tuple[Store, Store]) -> None:
    first, second = joined
    for site in SITES:
        schedule(first, ["1", "2"], site)
    assert sites_of(first, 2) == ["a.example", "b.example"]
    assert [lease.site for lease in second.lease(9)] == ["c.example", "c.example"]
    assert first.count_leased() == (2, 1)
    assert second.lease(9) == []


def test_a_site_without_work_is_given_back_and_rests_before_another_run_leases_it(
    postgres_schema: str, clock: FakeClock
) -> None:
    with (
        open_store(postgres_schema, now=clock, join=LEASE) as first,
        open_store(postgres_schema, now=clock, join=LEASE) as second,
    ):
        first.begin_run(rest=5.0)
        second.begin_run(rest=5.0)
        schedule(first, ["1"], "a.example")
        (lease,) = first.lease(1)
        first.skip(lease.key, "robots")
        assert first.lease_work(1, busy=["a.example"]).pages == []  # it is worked on
        assert first.count_leased() == (1, 0)
        assert first.lease(1) == []
        assert first.count_leased() == (0, 0)
        schedule(second, ["2"], "a.example")
        assert second.lease(1) == []
        clock.time += 5.0
        assert [it.key for it in second.lease(1)] == ["a.example/2"]


def test_max_sites_leaves_work_to_others(joined: tuple[Store, Store]) -> None:
    first, second = joined
    for site in SITES:
        schedule(first, ["1"], site)
    assert len(first.lease_work(9, max_sites=2).pages) == 2
    assert len(second.lease_work(9, max_sites=2).pages) == 1


def test_what_a_run_still_writes_after_its_leases_are_taken_over_is_refused(
    joined: tuple[Store, Store], postgres_schema: str
) -> None:
    first, second = joined
    schedule(first, ["1", "2"], "a.example")
    (lease,) = first.lease(1)
    take_over(postgres_schema, first, second)
    with pytest.raises(FencedError, match="others have taken its sites over"):
        first.hold([FetchedPage(lease.key, b"<p>late")])
    with pytest.raises(FencedError):
        first.renew()
    assert [it.key for it in second.lease(9)] == ["a.example/1", "a.example/2"]
    assert second.hold([FetchedPage(lease.key, b"<p>in time")]) == 1


def test_sites_of_a_run_that_is_gone_come_before_those_that_wait(
    joined: tuple[Store, Store], postgres_schema: str, clock: FakeClock
) -> None:
    first, second = joined
    schedule(first, ["1", "2"], "z.example")
    first.lease(1)
    clock.time += 60.0
    schedule(second, ["1"], "a.example")
    clock.time += 60.0
    take_over(postgres_schema, first, second)
    assert sites_of(second, 1) == ["z.example"]


def test_a_vacuum_ends_runs_that_have_lost_their_server(
    postgres_schema: str, tmp_path: Path
) -> None:
    with open_store(postgres_schema, join=LEASE, bodies=str(tmp_path)) as gone:
        gone.begin_run()
        schedule(gone, ["1"], "a.example")
        gone.lease(1)
        assert gone.bodies is not None
        gone.bodies.write(b"<p>Rain")  # which it is about to commit
        gone._database.lose()
        with open_store(postgres_schema) as store:
            assert store.vacuum(0.0, store.open_bodies(str(tmp_path))).bodies == 1
        with pytest.raises(FencedError):  # else it would hold a page without a body
            gone.reconnect()


def test_a_run_that_renews_its_leases_keeps_them(
    joined: tuple[Store, Store], postgres_schema: str
) -> None:
    first, second = joined
    assert (first.renew(), second.renew()) == (0, 0)
    expire(postgres_schema, first)
    assert first.renew() == 0  # late, but before anybody noticed
    assert end_expired(second) == 0


def test_nobody_is_ended_just_after_the_server_started(
    joined: tuple[Store, Store], postgres_schema: str
) -> None:
    first, second = joined
    expire(postgres_schema, first)
    second.lease_seconds = 1e9  # the server has not run for that long
    assert (second.renew(), first.renew()) == (0, 0)


def test_held_pages_of_a_run_that_is_gone_come_with_their_site(
    joined: tuple[Store, Store], postgres_schema: str
) -> None:
    first, second = joined
    schedule(first, ["1", "2"], "a.example")
    (lease,) = first.lease(1)
    first.hold([FetchedPage(lease.key, b"<p>Rain")])
    take_over(postgres_schema, first, second)
    found = second.lease_work(9)
    assert ([it.key for it in found.pages], found.held) == (["a.example/2"], {"a.example": 1})
    second.skip("a.example/2", "robots")
    again = second.lease_work(9)  # still held, though nothing is due
    assert (again.pages, again.held) == ([], {"a.example": 1})


def test_held_pages_of_a_site_that_rests_are_not_forgotten(
    postgres_schema: str, clock: FakeClock
) -> None:
    with (
        open_store(postgres_schema, now=clock, join=LEASE) as first,
        open_store(postgres_schema, now=clock, join=LEASE) as second,
    ):
        first.begin_run(rest=5.0)
        second.begin_run(rest=5.0)
        schedule(first, ["1"], "a.example")
        fetch(first)
        take_over(postgres_schema, first, second)
        assert second.lease_work(9).held == {}  # the host rests
        assert second.next_due() == clock.time  # so the run isn't over
        clock.time += 6.0
        assert second.lease_work(9).held == {"a.example": 1}
        assert second.next_due() is None  # once it is ours, only new pages count


def test_a_page_that_another_run_brings_to_a_busy_site_is_found_before_it_is_given_back(
    joined: tuple[Store, Store],
) -> None:
    first, second = joined
    schedule(first, ["1"], "a.example")
    fetch(first)
    first.skip("a.example/1", "no-article")
    schedule(second, ["2"], "a.example")  # a redirect has led there
    second.hold([FetchedPage("a.example/2", b"<p>Rain")])
    assert not second.wake_unless_owned("a.example")
    assert first.lease_work(9, busy=["a.example"]).held == {}  # its own pages come first
    assert first.next_due() is None
    assert first.lease_work(9).held == {"a.example": 1}


def test_a_run_that_ends_leaves_its_work_to_others(joined: tuple[Store, Store]) -> None:
    first, second = joined
    schedule(first, ["1"], "a.example")
    first.lease(1)
    schedule(first, ["1"], "b.example")
    (lease,) = first.lease(1)
    first.hold([FetchedPage(lease.key, b"<p>Rain")])
    schedule(first, ["1"], "c.example")
    (lease,) = first.lease(1)
    first.skip(lease.key, "robots")
    first.end_run()
    assert second.waiting_sites()[0] == 2  # nothing is left of the third
    found = second.lease_work(9)
    assert ([it.key for it in found.pages], found.held) == (["a.example/1"], {"b.example": 1})


def test_a_source_is_polled_by_one_run(joined: tuple[Store, Store], clock: FakeClock) -> None:
    first, second = joined
    source = first.add_source("https://a.example/feed")
    assert second.add_source("https://a.example/feed") == source
    assert first.lease_sources([source], 9).mine == [source]
    assert second.lease_sources([source], 9).elsewhere == [source]
    first.update_source(source.id, last_poll=clock.time, next_poll=clock.time + 600)
    first.lease(1)  # gives the site back
    (polled,) = second.lease_sources([source], 9).later
    assert polled.last_poll == clock.time
    assert second.lease_sources([polled], 9).mine == [polled]


def test_a_source_of_a_host_that_wants_a_pause_is_polled_afterwards(
    joined: tuple[Store, Store], clock: FakeClock
) -> None:
    first, second = joined
    source = second.add_source("https://www.a.example/feed")
    other = second.add_source("https://a.example/feed")  # the same site, another host
    first.pause_host("www.a.example", "retry-after", clock.time + 90)
    first.pause_host("www.a.example", "retry-after", clock.time + 6)  # the longer one goes on
    found = second.lease_sources([source, other], 9)
    assert found.mine == [other]
    assert [it.next_poll for it in found.later] == [clock.time + 90]
    clock.time += 90
    assert second.lease_sources([source], 9).mine == found.later


def test_the_delay_that_a_host_wants_is_kept_by_whoever_takes_its_site_over(
    joined: tuple[Store, Store], postgres_schema: str, clock: FakeClock
) -> None:
    first, second = joined
    schedule(first, ["1", "2"], "a.example")
    (lease,) = first.lease(1)
    first.note_delay("a.example", 120.0)
    first.note_delay("a.example", 5.0)  # of another host of the site
    first.retry(lease.key, "timeout", clock.time)
    take_over(postgres_schema, first, second)
    assert second.lease(9) == []
    clock.time += 119
    assert second.lease(9) == []
    clock.time += 1
    assert len(second.lease(9)) == 2
    second.end_run()  # and by the next after a usual end, too
    third = second
    third.begin_run()
    assert third.lease(9) == []
    clock.time += 120
    assert len(third.lease(9)) == 2


def test_pages_and_feeds_of_a_host_have_one_owner(joined: tuple[Store, Store]) -> None:
    first, second = joined
    source = first.add_source("https://a.example/feed")
    schedule(first, ["1"], "a.example")
    assert first.lease_sources([source], 9).mine
    assert second.lease(9) == []
    assert len(first.lease(9)) == 1


def test_a_lower_number_that_commits_later_is_waited_for(
    joined: tuple[Store, Store], postgres_schema: str
) -> None:
    first, second = joined
    schedule(first, ["1"], "a.example")
    fetch(first)
    schedule(second, ["1"], "b.example")
    fetch(second)
    with ThreadPoolExecutor(1) as thread, open_store(postgres_schema, join=LEASE) as reader:
        with first.batch():
            first.archive([article("a.example/1")])
            second.archive([article("b.example/1")])
            assert [number for number, _ in reader.lines_after(0, 9)] == [2]
            last = thread.submit(reader.last_article)
            with pytest.raises(TimeoutError):
                last.result(0.3)
        assert last.result(30) == 2
        assert [number for number, _ in reader.lines_after(0, 9, last.result())] == [1, 2]


def test_an_article_that_two_runs_archive_at_the_same_time_is_there_once(
    joined: tuple[Store, Store],
) -> None:
    first, second = joined
    for store, site in zip(joined, ("a.example", "b.example"), strict=True):
        schedule(store, ["1"], site)
        fetch(store)
    with ThreadPoolExecutor(1) as thread:
        with first.batch():
            assert first.archive([article("a.example/1", "same")]) == 1
            other = thread.submit(second.archive, [article("b.example/1", "same")])
            with pytest.raises(TimeoutError):
                other.result(0.3)
        assert other.result(30) == 0
    assert first.count_articles() == 1
    assert first.state("b.example/1") == ("skipped", "duplicate")


def test_pages_that_two_runs_find_at_the_same_time_are_scheduled_once(
    joined: tuple[Store, Store],
) -> None:
    first, second = joined
    with ThreadPoolExecutor(1) as thread:
        with first.batch():
            first.schedule([candidate("1", "a.example")])
            other = thread.submit(second.schedule, [candidate("1", "a.example")])
        other.result(30)
    assert first.account()["scheduled"] == 1


def test_a_page_that_two_runs_fetch_at_the_same_time_is_held_once(
    joined: tuple[Store, Store],
) -> None:
    """A redirect leads to a page that another run fetches."""
    first, second = joined
    schedule(first, ["1"], "a.example")
    (lease,) = first.lease(1)
    page = FetchedPage(lease.key, b"<p>Rain")
    with ThreadPoolExecutor(1) as thread:
        with first.batch():
            assert first.hold([page]) == 1
            other = thread.submit(second.hold, [page])
        assert other.result(30) == 0


def test_one_process_at_a_time_writes_an_output(postgres_schema: str, tmp_path: Path) -> None:
    path = f"{tmp_path}/articles.jsonl/"
    outputs = [PartsOutput(ArchiveTarget.from_options(path, "forest", None)) for _ in range(2)]
    with (
        open_store(postgres_schema, join=LEASE) as first,
        open_store(postgres_schema, join=LEASE) as second,
    ):
        schedule(first, ["1", "2"], "a.example")
        first.hold([FetchedPage(f"a.example/{n}", b"<p>Rain") for n in (1, 2)])
        first.archive([article("a.example/1")])
        outputs[0].write(first)
        first.archive([article("a.example/2")])
        outputs[1].write(second)  # not its turn
        parts = open_folder(path)
        assert [part.rows for part in list_parts(parts)] == [1]
        first.close()
        outputs[1].finish(second)
        assert [part.rows for part in list_parts(parts)] == [1, 1]
        assert list(check_parts(parts)) == []


def test_a_stopped_process_with_long_leases_ends_none_that_wait_for_its_locks(
    postgres_schema: str,
) -> None:
    with (
        open_store(postgres_schema, join=600.0) as store,
        store._database.reading() as connection,
    ):
        limits = "idle_in_transaction_session_timeout", "lock_timeout"
        idle, wait = (connection.scalar(text(f"SHOW {name}")) for name in limits)
    assert (idle, wait) == ("20s", "30s")


def test_an_sqlite_file_cannot_be_shared(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only a store in PostgreSQL"):
        open_store(f"sqlite:///{tmp_path}/forest.db", join=LEASE)


def test_a_crawl_that_shares_nothing_excludes_those_that_do(
    postgres_schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_locks, "_SERVER_GRACE", 0.1)
    with (
        open_store(postgres_schema, join=LEASE),
        pytest.raises(StoreError, match="in use by another process"),
    ):
        open_store(postgres_schema)
    with (
        open_store(postgres_schema),
        pytest.raises(StoreError, match="in use by a crawl without --join"),
    ):
        open_store(postgres_schema, join=LEASE)


def test_tables_are_not_upgraded_while_others_use_them(
    postgres_schema: str,
) -> None:
    with open_store(postgres_schema, join=LEASE) as store:
        with store._database.writing("schema") as connection:
            connection.execute(text("UPDATE store_version SET version = version - 1"))
        with pytest.raises(StoreError, match="end them, then run `forest store migrate`"):
            open_store(postgres_schema, join=LEASE)


def test_a_store_of_version_nine_goes_on_where_it_was_killed(
    tmp_path: Path, clock: FakeClock
) -> None:
    """Three sites of four pages: two archived, one held, one leased, one put off, one paused."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DUMP.read_text())
    with open_store(f"sqlite:///{path}", now=clock) as store:
        assert [run.machine for run in store.live_runs()] == [None]
        store.begin_run()
        assert store.held_sites() == [("valley.example", 1, 3)]
        # Nine are new: one waits until its retry, three until their host's pause is over.
        assert len(store.lease(99)) == 5
        assert store.next_due() == clock.time + 300
        account = store.account()
    assert (account["scheduled"], account["archived"], account["pending"]) == (12, 2, 10)
