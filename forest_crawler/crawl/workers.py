"""Worker processes, which parse everything that strangers wrote, within limits.

The crawl's own process never parses a feed or a page. A job that takes too long or too much memory,
or crashes, costs a worker or two, which are replaced; its caller gets a `WorkerError` with the
reason. If workers die whatever they do, no job is to blame, and the crawl ends.
"""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as JobTimeoutError
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from math import ceil
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext
from pathlib import Path
from threading import Thread
from typing import Any, Literal, ParamSpec, TypeVar

from pebble import ProcessExpired, ProcessPool

from forest_crawler.crawl.pool_start import PoolStart
from forest_crawler.errors import FatalError, ForestError

Reason = Literal["time-limit", "memory-limit", "worker-died"]

PRELOADED = (
    "__main__",
    "forest_crawler.crawl.late_forks",
    "forest_crawler.crawl.worker_preload",
)
"""Imported once in the fork server, so that a new worker is ready at once."""

PRELOADED_TO_INDUCE = (*PRELOADED, "forest_crawler.crawl.induction_preload")
"""The same for workers that will certainly induce; others load scikit-learn when they do."""

MAX_START = 60.0
"""Seconds until the first worker must be ready; it takes about one."""

CLOCK_FACTOR = 3
"""Seconds of the clock per second that a job may take of the processor: on a busy machine it gets a
share, and its page or feed is not to blame."""

POOL_CHECK = 2.0
"""Seconds between two checks whether the pool of a job still works."""

STUCK_SECONDS = 10.0
"""Seconds that a job waits while no worker runs any, or runs on after its limit, before the workers
count as stuck. A stopped process (SIGSTOP) holds the pool's lock, and no timeout of the pool ends
it then."""

MAX_LOSSES = 3
"""Pools that are replaced in a row without a job done between them, and workers that die without a
job, before the workers count as lost."""

MAX_TRIES = 2
"""Attempts at a job whose worker dies: it may have been killed from outside."""

OUT_OF_MEMORY = 77
"""The exit code of a worker that is out of memory."""

_EXIT_REASONS: dict[int, Reason] = {-signal.SIGXCPU: "time-limit", OUT_OF_MEMORY: "memory-limit"}

CHECK_SECONDS = 10.0
"""Time limit of the job that shows whether a worker lives."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """What a worker may take."""

    # Bytes beyond what a fresh worker has: 1 GiB, and what scikit-learn takes where it loads later.
    memory: int = 5 << 28
    jobs: int = 200  # after which a worker is replaced, so that leaks don't add up


class WorkerError(ForestError):
    """A job that exceeded its limits, or crashed its worker."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class WorkersLostError(FatalError):
    """Worker processes can't be started, or die at once."""

    def __init__(self, cause: BaseException) -> None:
        reason = str(cause) or type(cause).__name__
        super().__init__(
            f"worker processes cannot be started or are killed ({reason}); look at the memory that "
            'is free, and put what your own script runs under `if __name__ == "__main__":`'
        )


class Workers:
    """A few processes that take jobs from the event loop.

    `on_loss` is called once if no worker can be started any more.
    """

    def __init__(
        self,
        count: int | None = None,
        limits: WorkerLimits | None = None,
        preloaded: Sequence[str] = PRELOADED,
        on_loss: Callable[[WorkersLostError], None] | None = None,
    ) -> None:
        self.count = count or default_count()
        self._on_loss = on_loss
        self._is_stopped = False
        self._limits = limits or WorkerLimits()
        self._losses = 0
        self._jobs: set[Future[Any]] = set()
        self._context = _fork_server(preloaded)
        _ensure_running()  # it imports until the first job comes
        self._make_pool()

    def _make_pool(self) -> None:
        self._pool = ProcessPool(
            max_workers=self.count,
            max_tasks=self._limits.jobs,
            initializer=_start_worker,
            initargs=(self._limits,),
            context=self._context,
        )
        self._start: PoolStart | None = None  # with the first job: many crawls have none

    async def run(
        self, seconds: float, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Run a job for at most so many seconds of the processor, and thrice as many of the clock.

        What the job raises is raised here. Raises `WorkerError` if the job exceeds the limits, and
        `WorkersLostError` if there is no worker to run it.
        """
        work = (ceil(seconds), function, args, kwargs)
        for _ in range(MAX_TRIES):
            try:
                done: _T = await self._run_once(work, seconds)
            except (ProcessExpired, BrokenProcessPool) as err:
                death = err
                await self._check()
            else:
                return done
        raise WorkerError("worker-died") from death

    async def _run_once(self, work: tuple[Any, ...], seconds: float) -> Any:
        seconds *= CLOCK_FACTOR
        pool, job = await self._schedule(work, seconds)
        try:
            done = await self._await_job(pool, job, seconds)
            self._losses = 0
            return done
        except JobTimeoutError as err:
            raise WorkerError("time-limit") from err
        except ProcessExpired as err:
            if reason := _EXIT_REASONS.get(err.exitcode):
                raise WorkerError(reason) from err
            raise
        except BrokenProcessPool as err:
            if pool is self._pool:  # no other job has replaced it meanwhile
                self._replace_pool(err)
            raise

    async def _check(self) -> None:
        """Run a trivial job; if its worker dies too, no job is to blame."""
        for _ in range(MAX_LOSSES):
            try:
                await self._run_once((ceil(CHECK_SECONDS), os.getpid, (), {}), CHECK_SECONDS)
            except (ProcessExpired, BrokenProcessPool, WorkerError) as err:
                death = err
            else:
                return
        raise self._lose(death) from death

    async def _schedule(
        self, work: tuple[Any, ...], seconds: float
    ) -> tuple[ProcessPool, Future[Any]]:
        while True:
            pool = self._pool
            try:
                await self._start_pool()
                return pool, pool.schedule(_limited, work, {}, seconds)
            except TimeoutError as err:  # an OSError, too: a start that hangs is not retried
                raise self._lose(err) from err
            except (OSError, EOFError, RuntimeError) as err:
                if pool is self._pool:  # no other job has replaced it meanwhile
                    self._replace_pool(err)

    async def _start_pool(self) -> None:
        if self._is_stopped:
            raise RuntimeError("the workers are stopped")
        if self._start is None:
            self._start = PoolStart(self._pool, self._context)
        done = self._start.done
        if not done.done():
            # Shielded: a job that is cancelled must not cancel the start for the others.
            waiting = asyncio.shield(asyncio.wrap_future(done))
            await asyncio.wait_for(waiting, MAX_START)
        done.result()

    def _replace_pool(self, cause: BaseException) -> None:
        """Make a new pool: one breaks when an idle worker dies, say for want of memory."""
        self._losses += 1
        if self._losses > MAX_LOSSES or self._is_stopped:
            raise self._lose(cause) from cause
        Thread(target=_end_pool, args=[self._pool], daemon=True).start()
        self._make_pool()

    async def _await_job(self, pool: ProcessPool, job: Future[_T], seconds: float) -> _T:
        """Wait for a job, which a pool may have forgotten or its workers may never begin."""
        waiting = asyncio.wrap_future(job)
        # If this task is cancelled, nobody else looks at the job's error, and asyncio would log it.
        waiting.add_done_callback(lambda it: it.cancelled() or it.exception())
        self._jobs.add(job)
        watch = JobWatch(job, seconds)
        try:
            while not (await asyncio.wait({waiting}, timeout=POOL_CHECK))[0]:
                if not pool.active or watch.is_stuck(self._jobs):
                    waiting.cancel()
                    raise BrokenProcessPool("the pool is broken or stuck")
        finally:
            self._jobs.discard(job)
        return await waiting

    def _lose(self, cause: BaseException) -> WorkersLostError:
        lost = WorkersLostError(cause)
        if self._on_loss is not None:
            self._on_loss(lost)
            self._on_loss = None
        return lost

    def stop(self) -> None:
        """End the processes, whatever they are doing."""
        self._on_loss, self._is_stopped = None, True
        if self._start is not None and self._start.stop():
            self._pool.stop()  # type: ignore[no-untyped-call]
            self._pool.join()


class JobWatch:
    """Notices that a job is not begun though no other runs, or not ended after its limit."""

    def __init__(self, job: Future[Any], seconds: float) -> None:
        self._job = job
        self._seconds = seconds
        self._began = self._idle_since = math.inf

    def is_stuck(self, jobs: Collection[Future[Any]]) -> bool:
        """Report whether the workers are stuck, by all jobs that are under way."""
        now = time.monotonic()
        if self._job.running():
            self._began = min(self._began, now)
            return now - self._began > self._seconds + STUCK_SECONDS
        is_idle = not any(job.running() for job in jobs)
        self._idle_since = min(self._idle_since, now) if is_idle else math.inf
        return now - self._idle_since > STUCK_SECONDS


def _end_pool(pool: ProcessPool) -> None:
    """End the processes of a pool; those that are stopped are killed after three seconds."""
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def start_fork_server(*, will_induce: bool = False) -> None:
    """Start the fork server, which imports for half a second or more in the background.

    If the crawl `will_induce`, workers share what inductions need; else each loads it on first use.
    """
    _fork_server(PRELOADED_TO_INDUCE if will_induce else PRELOADED)
    _ensure_running()


def _ensure_running() -> None:
    """Start the fork server so that signals to the process group don't reach it.

    Terminals send Ctrl-C to the group, systemd SIGTERM; the crawl ends its processes itself. The
    server inherits that they are blocked; here they only wait until it has started.
    """
    resource_tracker.ensure_running()  # part of the start; by itself it would unblock them
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def default_count() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def _fork_server(preloaded: Sequence[str]) -> ForkServerContext:
    # Threads of numerical libraries would only take address space: no matrix here is large.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    # Forking the crawl itself would copy its sockets, locks and store.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(preloaded))
    return context


def _start_worker(limits: WorkerLimits) -> None:
    # Ctrl-C reaches the whole process group; the crawl stops its workers itself, by SIGTERM.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    allowed = _address_space() + limits.memory
    resource.setrlimit(resource.RLIMIT_AS, (allowed, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limited(
    cpu: int, function: Callable[..., _T], args: Sequence[object], kwargs: dict[str, object]
) -> _T:
    """Run a job with its own CPU limit: the system's counts from the process's start."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed = int(used.ru_utime + used.ru_stime) + 1 + cpu
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, resource.RLIM_INFINITY))
    try:
        return function(*args, **kwargs)
    except MemoryError:
        # Not all of the memory is released, and the next job would lack it.
        os._exit(OUT_OF_MEMORY)


def _address_space() -> int:
    """Return the bytes of address space in use, or an ample guess."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError):
        return 1 << 31
    return pages * resource.getpagesize()
