"""`StoreThread`: calls the store from the event loop; writes share commits.

A commit waits for the disk, so the store is used in a thread of its own, one call after the other,
while the loop goes on. A write is on disk when `write` has returned. If a database server restarts,
calls wait until it is back and are repeated: each step of the store may run twice.
"""

from __future__ import annotations

import asyncio
import logging
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from forest_crawler.errors import ConflictError, LostConnectionError, StoreError
from forest_crawler.store import Store

DELAY = 0.1
"""Seconds that writes wait for others to share a commit: ten commits per second are cheap."""

SWITCH_INTERVAL = 0.0005
"""Seconds after which the store's thread yields to the loop; with Python's default of 5 ms, every
read and write of a socket would wait that long while the store is at work."""

RECONNECT_SECONDS = 600.0
"""Seconds after which a server that is gone counts as lost for good."""

FIRST_PAUSE, MAX_PAUSE = 0.5, 15.0
"""Seconds between two attempts to reconnect, doubled each time."""

MAX_CONFLICTS, CONFLICT_PAUSE = 20, 0.2
"""Times that a transaction is repeated which the server rolled back for another process's, and max
seconds before each."""

MAX_STEPS = 200
"""Writes that don't wait for more."""

_log = logging.getLogger(__name__)

_T = TypeVar("_T")
Step = Callable[[Store], Any]
_Waiting = tuple[Step, "asyncio.Future[Any]"]


class StoreThread:
    """Calls a store from coroutines; `failure` is the store's first error."""

    def __init__(
        self, store: Store, on_failure: Callable[[StoreError], None], delay: float = DELAY
    ) -> None:
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_INTERVAL))
        self._store = store
        self._on_failure = on_failure
        self._delay = delay
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="forest-store")
        self._steps: list[_Waiting] = []
        self._flushing: asyncio.Task[None] | None = None
        self._full = asyncio.Event()
        self._is_closed = False
        self._reconnecting = asyncio.Lock()
        self._must_end = False
        self.failure: StoreError | None = None

    def end_soon(self) -> None:
        """Wait for no server any longer: the crawl must end."""
        self._must_end = True

    async def call(self, step: Callable[[Store], _T]) -> _T:
        """Run a step with the store now, in a transaction of its own."""
        if self._is_closed:  # called after a failure that the caller doesn't know of yet
            raise self.failure or StoreError("the crawl has ended", "store")
        conflicts = 0
        try:
            while True:
                try:
                    return await self._run(step)
                except LostConnectionError as err:
                    await self._reconnect(err)
                except ConflictError as err:
                    conflicts += 1
                    if conflicts > MAX_CONFLICTS:
                        raise
                    _log.info("%s; repeated", err)
                    await asyncio.sleep(random.uniform(0.0, CONFLICT_PAUSE))  # noqa: S311
        except StoreError as err:
            self.fail(err)
            raise

    async def _run(self, step: Callable[[Store], _T]) -> _T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, step, self._store)

    async def _reconnect(self, loss: LostConnectionError) -> None:
        """Connect again, with back-off; raises a `StoreError` if that takes too long."""
        async with self._reconnecting:
            pause, end = FIRST_PAUSE, time.monotonic() + RECONNECT_SECONDS
            while self._store.is_lost:
                if self._must_end or time.monotonic() > end:
                    raise StoreError(str(loss.args[0]), self._store.name) from loss
                _log.warning("%s; connecting again in %g s", loss, pause)
                await asyncio.sleep(pause)
                pause = min(2 * pause, MAX_PAUSE)
                with suppress(LostConnectionError):
                    await self._run(Store.reconnect)

    def write(self, step: Callable[[Store], _T]) -> asyncio.Future[_T]:
        """Run a step with the store soon, in one transaction with other writes.

        It may run twice: if another write of the transaction fails, all are repeated.
        """
        result: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        self._steps.append((step, result))
        if len(self._steps) >= MAX_STEPS:
            self._full.set()
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.ensure_future(self._flush())
        return result

    def flush_soon(self) -> None:
        """Commit the waiting writes without waiting for more."""
        self._full.set()

    async def close(self, last: Step | None = None) -> None:
        """Wait for the writes under way; then run a last step unless the store failed."""
        self._full.set()
        if self._flushing is not None:
            await self._flushing
        try:
            if last is not None and self.failure is None:
                await self.call(last)
        finally:
            self._is_closed = True
            self._thread.shutdown()

    async def _flush(self) -> None:
        while self._steps:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._full.wait(), self._delay)
            self._full.clear()
            steps, self._steps = self._steps, []
            await self._commit(steps)
        self._full.clear()  # set for a write of the last commit: the next may wait for others

    async def _commit(self, steps: list[_Waiting]) -> None:
        try:
            results = await self.call(lambda store: _apply(store, steps))
        except StoreError as err:
            results = [err] * len(steps)
        for (_, waiting), result in zip(steps, results, strict=True):
            if waiting.cancelled():
                continue
            if isinstance(result, Exception):
                waiting.set_exception(result)
            else:
                waiting.set_result(result)

    def fail(self, err: StoreError) -> None:
        """Note that the store, or what belongs to it, has failed; the first time counts."""
        if self.failure is None:
            self.failure = err
            self._on_failure(err)


def _apply(store: Store, steps: list[_Waiting]) -> list[Any]:
    if len(steps) == 1:
        return [_attempt(store, steps[0][0])]
    try:
        with store.batch():
            return [step(store) for step, _ in steps]
    except StoreError:
        raise
    except Exception:  # one step is at fault: the others must not be lost with it
        return [_attempt(store, step) for step, _ in steps]


def _attempt(store: Store, step: Step) -> Any:
    try:
        return step(store)
    except StoreError:
        raise
    except Exception as err:
        return err
