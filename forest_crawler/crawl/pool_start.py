"""`PoolStart`: start a pool's first processes without blocking the event loop.

The fork server imports for a second or more before it forks. A worker that it forks after the pool
is gone prints a traceback: the pool's semaphores no longer exist. So a process that needs none of
them comes first, and a pool that is stopped meanwhile is never started.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import Future, wait
from concurrent.futures import TimeoutError as JobTimeoutError
from multiprocessing.context import ForkServerContext
from threading import Lock, Thread

from pebble import ProcessPool

MAX_STOP = 3.0
"""Seconds that `stop` waits for processes that are being forked."""


class PoolStart:
    """The start of one pool; `done` has its result, or the error that prevented it."""

    def __init__(self, pool: ProcessPool, context: ForkServerContext) -> None:
        self.done: Future[None] = Future()
        self._pool = pool
        self._context = context
        self._lock = Lock()
        self._is_stopped = self._is_forking = False
        self._first_job: Future[int] | None = None
        Thread(target=self._run, daemon=True).start()

    def stop(self) -> bool:
        """Prevent the start or wait for it; report whether the pool must be stopped."""
        with self._lock:
            self._is_stopped = True
            if not self._is_forking:
                return False
        end = time.monotonic() + MAX_STOP
        try:
            failed = self.done.exception(MAX_STOP)
        except JobTimeoutError:
            return False  # a pool can't be stopped while it starts
        if failed is None and self._first_job is not None and self._pool.active:
            # A worker that is not up yet would report that its pipes are closed.
            wait([self._first_job], max(0.0, end - time.monotonic()))
        return True

    def _run(self) -> None:
        try:
            _await_fork_server(self._context)
            with self._lock:
                if self._is_stopped:
                    raise RuntimeError("stopped before its start")
                self._is_forking = True
            self._first_job = self._pool.schedule(os.getpid)
        except BaseException as err:
            self.done.set_exception(err)
        else:
            self.done.set_result(None)


def _await_fork_server(context: ForkServerContext) -> None:
    """Run a process that does nothing: it starts once the fork server is ready."""
    process = context.Process(target=os.getpid)
    process.start()
    process.join()
    process.close()
