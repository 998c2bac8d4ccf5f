"""The engine holds pages and knows which sites are being polled, without Scrapy."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from forest_crawler.crawl import site_scheduler
from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.jobs import InductionResult
from forest_crawler.crawl.page_writer import IncomingPage
from forest_crawler.crawl.planning import Planning, Sample
from forest_crawler.crawl.poll_status import PollStatus, source_site
from forest_crawler.errors import StoreError
from forest_crawler.store import Source, Store
from tests.support.engine_builders import run_engine
from tests.support.store_builders import schedule
from tests.support.waiting import HANG

SITE = "gazette.example"


def test_page_that_is_added_is_held_and_counted(tmp_path: Path) -> None:
    stats = Counter[str]()

    async def use(engine: CrawlEngine) -> list[tuple[str, int, int]]:
        schedule(engine.session.store, ["1"])
        await engine.add_page(IncomingPage(f"https://{SITE}/1", b"<p>text", key=f"{SITE}/1"))
        assert not engine.is_idle
        return await engine.session.store_thread.call(Store.held_sites)

    assert [row[:2] for row in run_engine(tmp_path, use, stats)] == [(SITE, 1)]
    assert stats["forest/pages"] == 1


def test_page_without_a_site_is_not_held(tmp_path: Path) -> None:
    async def use(engine: CrawlEngine) -> bool:
        await engine.add_page(IncomingPage("about:blank", b"<p>text"))
        return engine.is_idle

    assert run_engine(tmp_path, use)


def test_part_that_redirects_is_skipped(tmp_path: Path) -> None:
    stats = Counter[str]()

    async def use(engine: CrawlEngine) -> object:
        schedule(engine.session.store, ["2"])
        part = IncomingPage(f"https://{SITE}/1", b"<p>text", key=f"{SITE}/2", is_part=True)
        await engine.add_page(part)
        return engine.session.store.account()["skipped"]

    assert run_engine(tmp_path, use, stats) == {"moved": 1}
    assert stats["forest/parts/missing"] == 1


def test_error_of_ours_in_a_job_leaves_its_site_to_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*arguments: object) -> None:
        raise KeyError("a mistake of ours")

    monkeypatch.setattr(site_scheduler, "induce_within_limits", fail)
    stats = Counter[str]()

    async def use(engine: CrawlEngine) -> list[tuple[str, int, int]]:
        await engine.start()
        schedule(engine.session.store, ["1"])
        await engine.add_page(IncomingPage(f"https://{SITE}/1", b"<p>text", key=f"{SITE}/1"))
        await engine.finish()  # previously it never ended
        assert engine.is_idle
        return await engine.session.store_thread.call(Store.held_sites)

    assert [row[:2] for row in run_engine(tmp_path, use, stats)] == [(SITE, 1)]
    assert stats["forest/errors"] == 1
    assert f"{SITE}: left to the next run" in caplog.text


def test_jobs_whose_results_wait_for_a_commit_leave_the_workers_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    induced: list[str] = []

    async def induce(_: object, sample: Sample) -> InductionResult:
        induced.append(sample.site)
        return InductionResult(sample.site, broken={page.key: "x" for page in sample.held})

    async def use(engine: CrawlEngine) -> None:
        for number in range(20):
            site = f"{number}.example"
            schedule(engine.session.store, ["1"], site)
            await engine.add_page(IncomingPage(f"https://{site}/1", b"<p>text", key=f"{site}/1"))
        commits: list[asyncio.Future[object]] = []
        write = engine.session.store_thread.write

        def wait_for_commit(step: Callable[[Store], object]) -> asyncio.Future[object]:
            commits.append(asyncio.get_running_loop().create_future())
            return commits[-1]

        monkeypatch.setattr(engine.session.store_thread, "write", wait_for_commit)
        await engine.start()
        ending = asyncio.ensure_future(engine.finish())
        async with asyncio.timeout(10):
            while len(commits) < site_scheduler.WRITTEN:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        # One worker: two jobs at a time, until the results of four wait for the store.
        assert site_scheduler.WRITTEN <= len(induced) <= site_scheduler.WRITTEN + 1
        monkeypatch.setattr(engine.session.store_thread, "write", write)
        for commit in commits:
            commit.cancel()
        ending.cancel()

    monkeypatch.setattr(site_scheduler, "induce_within_limits", induce)
    run_engine(tmp_path, use)


def test_a_kept_page_that_is_damaged_ends_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*arguments: object) -> None:
        raise StoreError("is damaged; restore a copy", "the kept page")

    monkeypatch.setattr(site_scheduler, "induce_within_limits", fail)

    async def use(engine: CrawlEngine) -> tuple[StoreError | None, list[tuple[str, int, int]]]:
        await engine.start()
        schedule(engine.session.store, ["1"])
        await engine.add_page(IncomingPage(f"https://{SITE}/1", b"<p>text", key=f"{SITE}/1"))
        ending = asyncio.ensure_future(engine.finish())
        async with asyncio.timeout(HANG):
            while not engine.session.is_lost:
                await asyncio.sleep(0.01)
        ending.cancel()
        held = await engine.session.store_thread.call(Store.held_sites)
        return engine.session.store_thread.failure, held

    failure, held = run_engine(tmp_path, use)
    assert "is damaged" in str(failure)
    assert [row[:2] for row in held] == [(SITE, 1)]


def test_error_of_ours_in_planning_leaves_its_sites_to_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("a mistake of ours")

    monkeypatch.setattr(Planning, "plan", fail)
    stats = Counter[str]()

    async def use(engine: CrawlEngine) -> bool:
        await engine.start()
        schedule(engine.session.store, ["1"])
        await engine.add_page(IncomingPage(f"https://{SITE}/1", b"<p>text", key=f"{SITE}/1"))
        await engine.finish()
        return engine.is_idle

    assert run_engine(tmp_path, use, stats)
    assert stats["forest/errors"] == 1
    assert f"{SITE}: left to the next run" in caplog.text


def test_site_is_being_polled_until_its_last_poll_ends() -> None:
    status = PollStatus()
    assert not status.is_polling(SITE)
    status.begin(SITE)
    status.begin(SITE)
    status.end(SITE)
    assert status.is_polling(SITE)
    status.end(SITE)
    assert not status.is_polling(SITE)


def test_site_of_a_source_is_that_of_its_url() -> None:
    assert source_site(Source(1, "https://www.gazette.example/feed")) == SITE


def test_engine_imports_neither_scrapy_nor_twisted() -> None:
    code = (
        "import sys, forest_crawler.crawl.page_queue, forest_crawler.crawl.source_polls;"
        "sys.exit(sorted({'scrapy', 'twisted'} & set(sys.modules)) or 0)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
