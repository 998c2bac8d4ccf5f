"""`LiveWriter`: writes the outputs of a crawl while it runs, in a thread of its own.

An output that cannot grow is written anew as a whole. So the more there is to write, the less often
it is written: the thread works for a small share of the time.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from forest_crawler.cli._files import DiskError
from forest_crawler.cli._outputs import Output, StoppedWriting
from forest_crawler.errors import ForestError
from forest_crawler.store import Store, read_store

MIN_PAUSE = 2.0
"""Seconds between two looks for new articles."""

MAX_SHARE = 0.05
"""Max share of the time in which an output is written."""

FAILURE_PAUSE = 60.0
"""Seconds until the next attempt after an error, such as a full disk."""

_log = logging.getLogger(__name__)


class LiveWriter:
    """Writes outputs from `start` until `stop`."""

    def __init__(self, store: str, outputs: Sequence[Output]) -> None:
        self._url, self._outputs = store, outputs
        self._due = dict.fromkeys(range(len(outputs)), 0.0)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="forest-outputs")
        self._store: Store | None = None
        self._task: asyncio.Task[None] | None = None
        self._must_stop = False

    def start(self) -> None:
        """Begin to write, in the running event loop."""
        self._task = asyncio.ensure_future(self._write_often())

    def stop(self) -> None:
        """End, in the middle of a file if need be; returns when the thread has ended."""
        self._must_stop = True
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._thread.submit(self._close)
        self._thread.shutdown()

    async def _write_often(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(MIN_PAUSE)
            await loop.run_in_executor(self._thread, self.write_due)

    def write_due(self) -> None:
        """Write the outputs whose time has come; in the thread."""
        for number, output in enumerate(self._outputs):
            if time.monotonic() >= self._due[number]:
                with suppress(StoppedWriting):
                    pause = self._write(output)
                    self._due[number] = time.monotonic() + pause

    def _write(self, output: Output) -> float:
        """Write an output; return the seconds until it may be written again."""
        began = time.monotonic()
        try:
            self._store = self._store or read_store(self._url)
            output.write(self._store, self._check)
        except (ForestError, DiskError) as err:
            _log.error("%s; tried again in %g s", err, FAILURE_PAUSE)
            self._close()  # a server may have been restarted
            return FAILURE_PAUSE
        return max(MIN_PAUSE, (time.monotonic() - began) / MAX_SHARE)

    def _check(self) -> None:
        if self._must_stop:
            raise StoppedWriting

    def _close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            with suppress(ForestError):
                store.close()
