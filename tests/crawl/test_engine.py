"""The engine holds pages and knows which sites are being polled, without Scrapy."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from forest_crawler.crawl import site_scheduler
from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.page_writer import IncomingPage
from forest_crawler.crawl.planning import Planning
from forest_crawler.crawl.poll_status import PollStatus, source_site
from forest_crawler.store import Source, Store
from tests.support.engine_builders import run_engine
from tests.support.store_builders import schedule

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
