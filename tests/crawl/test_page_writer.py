"""Fetched pages are written together, and at once if there are enough of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import Engine, event

from forest_crawler.crawl.body_transfers import BodyTransfers
from forest_crawler.crawl.page_writer import IncomingPage, PageWriter
from forest_crawler.crawl.store_thread import Step, StoreThread
from forest_crawler.store import Store, open_store
from tests.support.store_builders import schedule
from tests.support.waiting import HANG

LONG, SHORT = 3600.0, HANG
"""Seconds that writes wait for others, and that a test waits for writes."""


T = TypeVar("T")


def refuse(_: Store) -> None:
    raise ValueError("of this step alone")


def hold(
    path: Path, names: str, *, batch_size: int, within: float = SHORT, beside: Step | None = None
) -> list[bool] | None:
    """Hold pages of a store at once; return `None` if they are not on disk in time.

    `beside`: another write of the same commit, after them.
    """

    async def run(store: Store) -> list[bool] | None:
        store_thread = StoreThread(store, on_failure=print, delay=LONG)
        writer = PageWriter(store_thread, BodyTransfers(store, store_thread), batch_size)
        items = [IncomingPage(f"https://a/{n}", b"x", key=f"a/{n}") for n in names]
        coming = [writer.hold(item, item.key or "", "a") for item in items]
        held = asyncio.gather(*coming)
        await asyncio.sleep(0)  # they are under way
        other = (
            asyncio.gather(store_thread.write(beside), return_exceptions=True) if beside else None
        )
        try:
            return await asyncio.wait_for(held, within)
        except TimeoutError:
            return None
        finally:
            await store_thread.close()
            assert other is None or isinstance((await other)[0], ValueError)

    return with_store(path, run)


def with_store(path: Path, run: Callable[[Store], Coroutine[Any, Any, T]]) -> T:
    with open_store(f"sqlite:///{path}/s.db") as store:
        store.begin_run()
        schedule(store, list("123"), site="a")
        return asyncio.run(run(store))


def test_full_batch_of_pages_is_written_at_once(tmp_path: Path) -> None:
    assert hold(tmp_path, "123", batch_size=3) == [True, True, True]


def test_smaller_batch_waits_for_more_pages(tmp_path: Path) -> None:
    assert hold(tmp_path, "123", batch_size=9, within=0.3) is None


def test_page_that_was_not_scheduled_is_not_held(tmp_path: Path) -> None:
    assert hold(tmp_path, "14", batch_size=2) == [True, False]


def test_pages_are_held_though_another_write_of_their_commit_fails(tmp_path: Path) -> None:
    assert hold(tmp_path, "123", batch_size=3, beside=refuse) == [True, True, True]


def test_flush_during_a_commit_does_not_flush_the_next(tmp_path: Path) -> None:
    async def run(store: Store) -> None:
        loop = asyncio.get_running_loop()
        store_thread = StoreThread(store, on_failure=print, delay=LONG)
        first = store_thread.write(lambda _: loop.call_soon_threadsafe(store_thread.flush_soon))
        store_thread.flush_soon()
        await asyncio.wait_for(first, SHORT)
        second = store_thread.write(Store.account)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(second, 0.3)
        await store_thread.close()

    with_store(tmp_path, run)


def test_writes_that_come_together_share_one_commit(tmp_path: Path) -> None:
    commits: list[object] = []
    note = commits.append

    async def run(store: Store) -> None:
        store_thread = StoreThread(store, on_failure=print, delay=LONG)
        writer = PageWriter(store_thread, BodyTransfers(store, store_thread), batch_size=3)
        items = [IncomingPage(f"https://a/{n}", b"x", key=f"a/{n}") for n in "123"]
        held = asyncio.gather(*(writer.hold(item, item.key or "", "a") for item in items))
        others = [store_thread.write(Store.account) for _ in range(30)]
        event.listen(Engine, "commit", note)
        try:
            await asyncio.wait_for(asyncio.gather(held, *others), SHORT)
        finally:
            event.remove(Engine, "commit", note)
        await store_thread.close()

    with_store(tmp_path, run)
    assert len(commits) == 1
