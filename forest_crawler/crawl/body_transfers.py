"""`BodyTransfers`: moves bodies of pages to and from their files, beside the store's thread.

Where bodies are files (`--store-bodies`), a slow disk or object store delays the pages that wait
for it, and nothing else: no transaction is open meanwhile, and the store's thread is free, so that
the heartbeat renews the leases. Without files, nothing here waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import ParamSpec, TypeVar

from forest_crawler.crawl.store_thread import StoreThread
from forest_crawler.errors import StoreError
from forest_crawler.store import HeldPage, Store
from forest_crawler.store.page_bodies import remove_body

MAX_TRANSFERS = 16
"""Files that are written, read or removed at a time."""

CLOSE_GRACE = 10.0
"""Seconds in which removals must end when a crawl does; `forest store vacuum` removes the rest."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


class BodyTransfers:
    """Writes, reads and removes the files of a store's bodies, in threads of its own."""

    def __init__(self, store: Store, store_thread: StoreThread) -> None:
        self._store = store
        self._store_thread = store_thread
        self._threads = ThreadPoolExecutor(MAX_TRANSFERS, thread_name_prefix="forest-bodies")
        self._removals: set[Future[None]] = set()
        store.discard_body = self.remove

    async def put(self, body: bytes) -> str | None:
        """Write a body to a file; return its address, or `None` if bodies are not files."""
        if self._store.bodies is None:
            return None
        return await self._run(self._store.bodies.write, body)

    async def load(self, pages: Sequence[HeldPage]) -> tuple[HeldPage, ...]:
        """Read the bodies that are still in files, of pages and their parts; workers unpack."""
        if not any(page.body_at for first in pages for page in (first, *first.parts)):
            return tuple(pages)
        return tuple(await asyncio.gather(*map(self._load, pages)))

    def remove(self, address: str) -> None:
        """Remove a file soon; thread-safe. Once the crawl has ended, a vacuum does."""
        with suppress(RuntimeError):  # closed already
            removal = self._threads.submit(remove_body, address)
            self._removals.add(removal)
            removal.add_done_callback(self._removals.discard)

    async def close(self) -> None:
        """Wait for removals, a few seconds at most, and end the threads."""
        if removals := [asyncio.wrap_future(it) for it in tuple(self._removals)]:
            await asyncio.wait(removals, timeout=CLOSE_GRACE)
        self.stop()

    def stop(self) -> None:
        """End the threads without waiting; those that are busy end when they are done."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _load(self, page: HeldPage) -> HeldPage:
        parts = await self.load(page.parts)
        if page.body_at is None:
            return replace(page, parts=parts)
        packed = await self._run(self._store.read_packed, page.body_at)
        return replace(page, packed=packed, body_at=None, parts=parts)

    async def _run(self, step: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, lambda: step(*arguments, **named))
        except StoreError as err:
            # Raises `FencedError` if others have taken the site over, and removed the file.
            await self._store_thread.call(Store.renew)
            self._store_thread.fail(err)
            raise
