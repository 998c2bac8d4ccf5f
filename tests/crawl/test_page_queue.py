"""The queue leases pages up to its window, and retries, skips or fails misses."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.misses import MAX_ATTEMPTS
from forest_crawler.crawl.outcomes import Outcome
from forest_crawler.crawl.page_queue import MAX_WAIT, PageQueue
from forest_crawler.crawl.page_writer import IncomingPage
from forest_crawler.errors import ConflictError
from forest_crawler.store import Lease, Store
from forest_crawler.store.leases import LeasedWork
from tests.support.engine_builders import run_engine
from tests.support.store_builders import schedule


async def lease_now(queue: PageQueue) -> list[Lease]:
    """Lease pages, however few there is room for, without the pause before that."""
    queue._last_lease = 0.0
    return await queue.lease_next()


def test_no_more_pages_are_in_flight_than_the_window_holds(tmp_path: Path) -> None:
    async def use(engine: CrawlEngine) -> tuple[int, int, int]:
        for site in "abcdef":
            schedule(engine.session.store, ["1", "2"], site)
        queue = PageQueue(engine, window=4, max_per_site=2)
        first = await lease_now(queue)
        full = await lease_now(queue)
        queue.release(first[0].key)
        return len(first), len(full), len(await lease_now(queue))

    assert run_engine(tmp_path, use) == (4, 0, 1)


def test_site_without_an_answer_has_half_of_the_window_at_most(tmp_path: Path) -> None:
    async def use(engine: CrawlEngine) -> tuple[int, int]:
        schedule(engine.session.store, [str(number) for number in range(12)], "a.example")
        queue = PageQueue(engine, window=8, max_per_site=8)
        first = await lease_now(queue)
        for lease in first:
            queue.arrived(lease)
            await engine.add_page(IncomingPage(lease.url, b"<p>text", key=lease.key))
            queue.release(lease.key)
        return len(first), len(await lease_now(queue))

    # Its one slot counts towards the half. Four answers give it five slots, and the spare half
    # is for all sites: there is room for all eight pages that are left.
    assert run_engine(tmp_path, use) == (4, 8)


def test_process_that_gave_a_site_up_does_not_wait_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(engine: CrawlEngine) -> tuple[bool, bool]:
        queue = PageQueue(engine, window=4, max_per_site=2)
        with monkeypatch.context() as patched:
            patched.setattr(Store, "is_shared", True)
            patched.setattr(Store, "count_leased", lambda _: (1, 1))
            waits = not await queue.is_alone()
            engine.scheduler._give_up(["gazette.example"])
            return waits, await queue.is_alone()

    # The other one may have given a site up, too, and keeps it until its end.
    assert run_engine(tmp_path, use) == (True, True)


def test_lease_that_the_server_rolls_back_halfway_forgets_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def lease_work(store: Store, *args: Any, **options: Any) -> LeasedWork:
        calls.append(args)
        if len(calls) == 2:
            raise ConflictError("deadlock detected", "store")
        return real(store, *args, **options)

    real = Store.lease_work

    async def use(engine: CrawlEngine) -> list[str]:
        schedule(engine.session.store, ["1", "2"], "a.example")
        queue = PageQueue(engine, window=4, max_per_site=2)
        monkeypatch.setattr(Store, "lease_work", lease_work)
        return [lease.key for lease in await lease_now(queue)]

    assert run_engine(tmp_path, use) == ["a.example/1", "a.example/2"]
    assert len(calls) == 4


OUTCOMES: Sequence[tuple[str, Outcome, str, str]] = [
    ("passing", Outcome("timeout", True), "retried", "new"),
    ("postponed", Outcome("retry-after", True, retry_at=1e10), "left", "new"),
    ("refused", Outcome("robots", False, is_refusal=True), "skipped", "skipped"),
    ("permanent", Outcome("http-404", False), "failed", "failed"),
]


@pytest.mark.parametrize(
    ("outcome", "what", "state"), [row[1:] for row in OUTCOMES], ids=[row[0] for row in OUTCOMES]
)
def test_page_that_does_not_arrive_is_retried_skipped_or_failed_by_its_outcome(
    tmp_path: Path, outcome: Outcome, what: str, state: str
) -> None:
    stats = Counter[str]()

    async def use(engine: CrawlEngine) -> tuple[dict[str, object], bool]:
        schedule(engine.session.store, ["1"], "a")
        queue = PageQueue(engine, window=4, max_per_site=1)
        (lease,) = await queue.lease_next()
        await queue.missed(lease, outcome)
        return engine.session.store.account(), await queue.is_done()

    account, is_done = run_engine(tmp_path, use, stats)
    assert is_done  # the retry is later than a run waits for
    assert stats[f"forest/{what}/{outcome.reason}"] == 1
    counted = {"new": account["pending"], **{k: account[k] for k in ("skipped", "failed")}}
    assert counted[state] in (1, {outcome.reason: 1})


def test_passing_fault_counts_as_permanent_after_so_many_attempts(tmp_path: Path) -> None:
    stats = Counter[str]()

    async def use(engine: CrawlEngine) -> None:
        schedule(engine.session.store, ["1"], "a")
        queue = PageQueue(engine, window=4, max_per_site=1)
        (lease,) = await queue.lease_next()
        for attempts in range(MAX_ATTEMPTS):
            await queue.missed(
                Lease("a/1", lease.url, "a", None, None, None, attempts), Outcome("timeout", True)
            )

    run_engine(tmp_path, use, stats)
    assert (stats["forest/retried"], stats["forest/failed"]) == (MAX_ATTEMPTS - 1, 1)


def test_part_is_retried_only_if_its_host_says_when(tmp_path: Path) -> None:
    stats = Counter[str]()

    async def use(engine: CrawlEngine) -> None:
        queue = PageQueue(engine, window=4, max_per_site=1)
        part = Lease("a/1", "https://a/1", "a", None, None, None, 1, is_part=True)
        await queue.missed(part, Outcome("timeout", True))
        await queue.missed(part, Outcome("retry-after", True, retry_at=time.time() + 9))

    run_engine(tmp_path, use, stats)
    assert (stats["forest/failed"], stats["forest/retried"]) == (1, 1)
    assert stats["forest/parts/missing"] == 1


@pytest.mark.parametrize(("wait", "is_done"), [(5.0, False), (MAX_WAIT + 60.0, True)])
def test_run_waits_for_a_page_that_is_due_soon(tmp_path: Path, wait: float, is_done: bool) -> None:
    async def use(engine: CrawlEngine) -> bool:
        schedule(engine.session.store, ["1"], "a")
        queue = PageQueue(engine, window=4, max_per_site=1)
        (lease,) = await queue.lease_next()
        await queue.missed(lease, Outcome("crawl-delay", True, retry_at=time.time() + wait))
        return await queue.is_done()

    assert run_engine(tmp_path, use) is is_done


def test_page_in_flight_keeps_the_run_from_ending(tmp_path: Path) -> None:
    async def use(engine: CrawlEngine) -> tuple[bool, bool]:
        schedule(engine.session.store, ["1"], "a.example")
        queue = PageQueue(engine, window=4, max_per_site=1)
        (lease,) = await queue.lease_next()
        before = await queue.is_done()
        await engine.add_page(IncomingPage("https://a.example/1", b"<p>text", key=lease.key))
        queue.release(lease.key)
        return before, await queue.is_done()

    assert run_engine(tmp_path, use) == (False, True)
