"""A slow place for bodies delays the pages that wait for it: no transaction, and no heartbeat."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from forest_crawler.crawl import body_transfers
from forest_crawler.crawl.body_transfers import BodyTransfers
from forest_crawler.crawl.page_writer import IncomingPage, PageWriter
from forest_crawler.crawl.store_thread import StoreThread
from forest_crawler.errors import StoreError
from forest_crawler.store import Store, open_store
from forest_crawler.store.page_bodies import BodyFolder, read_packed, remove_body, unpack_body
from forest_crawler.store.records import HeldPage
from tests.support.store_builders import archive_held, fetch, schedule
from tests.support.waiting import HANG

SITE = "gazette.example"


class Gate:
    """Blocks calls until it is opened, as an object store that does not answer."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self.reached, self.opened = threading.Event(), threading.Event()

    def __call__(self, *arguments: Any) -> Any:
        self.reached.set()
        assert self.opened.wait(HANG)
        return self._call(*arguments)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path}/s.db", bodies=str(tmp_path / "bodies")) as opened:
        opened.begin_run()
        yield opened


Work = Callable[[StoreThread, BodyTransfers], Coroutine[Any, Any, None]]


def run(store: Store, work: Work) -> list[StoreError]:
    """Run something beside a store's thread; return what the thread reported as failures."""
    failures: list[StoreError] = []

    async def main() -> None:
        store_thread = StoreThread(store, failures.append, delay=0.0)
        transfers = BodyTransfers(store, store_thread)
        try:
            await work(store_thread, transfers)
        finally:
            await store_thread.close()
            await transfers.close()

    asyncio.run(main())
    return failures


def unpack(page: HeldPage) -> bytes:
    assert page.packed is not None
    return unpack_body(page.packed, page.url)


async def until(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, HANG)


def test_leases_are_renewed_while_a_body_is_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.bodies is not None
    gate = Gate(partial(BodyFolder.write, store.bodies))
    monkeypatch.setattr(BodyFolder, "write", lambda _, body: gate(body))
    schedule(store, "a")
    store.lease(1)

    async def work(store_thread: StoreThread, transfers: BodyTransfers) -> None:
        writer = PageWriter(store_thread, transfers, 1)
        item = IncomingPage(f"https://{SITE}/a", b"<p>Rain", key=f"{SITE}/a")
        held = asyncio.ensure_future(writer.hold(item, f"{SITE}/a", SITE))
        await until(gate.reached)
        await asyncio.wait_for(store_thread.call(Store.renew), HANG)
        assert await store_thread.write(lambda it: it.state(f"{SITE}/a")) == ("claimed", None)
        assert not held.done()
        gate.opened.set()
        assert await asyncio.wait_for(held, HANG)

    assert run(store, work) == []
    assert [page.body for page in store.held_pages(SITE, 9)] == [b"<p>Rain"]


def test_leases_are_renewed_while_bodies_are_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule(store, "ab")
    fetch(store)
    gate = Gate(lambda address: read_packed(address, "store"))
    monkeypatch.setattr(Store, "read_packed", lambda _, address: gate(address))
    pages = store.held_pages(SITE, 9, load=False)
    pages[0] = replace(pages[0], parts=(pages[1],))

    async def work(store_thread: StoreThread, transfers: BodyTransfers) -> None:
        loading = asyncio.ensure_future(transfers.load(pages))
        await until(gate.reached)
        await asyncio.wait_for(store_thread.call(Store.renew), HANG)
        gate.opened.set()
        first, second = await asyncio.wait_for(loading, HANG)
        bodies = [unpack(it).decode() for it in (first, *first.parts, second)]
        assert bodies == [f"<p>{SITE}/{name}</p>" for name in "abb"]
        assert first.body_at is None

    assert run(store, work) == []


def test_a_step_is_done_before_its_bodies_are_removed(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gate = Gate(remove_body)
    monkeypatch.setattr(body_transfers, "remove_body", gate)
    schedule(store, "a")
    fetch(store)

    async def work(store_thread: StoreThread, transfers: BodyTransfers) -> None:
        await store_thread.write(lambda it: it.skip(f"{SITE}/a", "no-article"))
        await until(gate.reached)
        assert list(tmp_path.rglob("*.z"))
        gate.opened.set()

    assert run(store, work) == []
    assert not list(tmp_path.rglob("*.z"))


def test_removals_that_take_too_long_are_left_to_a_vacuum(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(remove_body)
    monkeypatch.setattr(body_transfers, "remove_body", gate)
    monkeypatch.setattr(body_transfers, "CLOSE_GRACE", 0.01)
    schedule(store, "a")
    fetch(store)

    async def work(store_thread: StoreThread, transfers: BodyTransfers) -> None:
        await store_thread.write(lambda it: it.skip(f"{SITE}/a", "no-article"))
        await until(gate.reached)

    try:
        assert run(store, work) == []
    finally:
        gate.opened.set()


def test_a_body_that_is_missing_ends_the_crawl_by_name(store: Store, tmp_path: Path) -> None:
    schedule(store, "a")
    fetch(store)
    pages = store.held_pages(SITE, 9, load=False)
    next(tmp_path.rglob("*.z")).unlink()

    async def work(store_thread: StoreThread, transfers: BodyTransfers) -> None:
        with pytest.raises(StoreError, match="is missing"):
            await transfers.load(pages)

    (failure,) = run(store, work)
    assert "is missing" in str(failure)


def test_pages_in_the_database_need_no_transfer(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/s.db") as store:
        store.begin_run()
        schedule(store, "a")
        fetch(store)
        pages = store.held_pages(SITE, 9, load=False)

        async def work(_: StoreThread, transfers: BodyTransfers) -> None:
            assert await transfers.put(b"<p>Rain") is None
            assert await transfers.load(pages) == tuple(pages)

        assert run(store, work) == []
        assert unpack(pages[0]) == f"<p>{SITE}/a</p>".encode()
        assert archive_held(store) == 1
