"""`SimulatedProcess`: one `forest crawl` with the real engine, on a loop of its own.

It can be killed at any point of the store or at any time, which leaves nothing of it; stopped
(SIGSTOP) and continued later; and cut off from the server of its store.
"""

from __future__ import annotations

import asyncio
from asyncio import CancelledError
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from forest_crawler.crawl.answers import Answer
from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.feed_run import FeedRun
from forest_crawler.crawl.outcomes import LEASE_EXPIRED, Outcome
from forest_crawler.crawl.page_queue import PageQueue
from forest_crawler.crawl.session import CrawlSession
from forest_crawler.crawl.site_cap import SiteCap
from forest_crawler.crawl.source_polls import SourcePolls
from forest_crawler.crawl.source_reader import SourceReader
from forest_crawler.crawl.source_schedule import SourceSchedule
from forest_crawler.crawl.store_thread import MAX_PAUSE
from forest_crawler.errors import ConflictError, FatalError, StoreError
from forest_crawler.fetching.lease_check import RETRY_SECONDS
from forest_crawler.store import Lease, Source, Store
from forest_crawler.urls.policy import ANYWHERE
from tests.simulation.client import Client, Gate
from tests.simulation.clock import VirtualLoop
from tests.simulation.faults import Faults, Killed
from tests.simulation.invariants import ViolationError
from tests.simulation.workers import SimulatedWorkers

if TYPE_CHECKING:
    from tests.simulation.network import Host
    from tests.simulation.world import World

MAX_PER_SITE = 2


class SimulatedProcess:
    """A process that crawls a world; `next_at` is when it goes on, `None` once it has ended."""

    def __init__(self, world: World, faults: Faults, name: str = "") -> None:
        self._world, self._faults, self.name = world, faults, name
        self.began = self.next_at = world.clock.now
        self.is_dead = self.is_paused = False
        self.cut_until = 0.0
        self.away = 0.0  # the longest time for which it was stopped or cut off
        self.healthy_since = self.began
        self.store: Store = world.open_store(self)
        self.session: CrawlSession | None = None
        gate = Gate(self._pass, self._note_delay)
        self.client = Client(world.network, world.clock, world.random, gate)
        self._loop = VirtualLoop(
            world.clock, self._operate, lambda: world.random.uniform(0.0, 0.05)
        )
        self._main = self._loop.create_task(self._crawl())
        self.note(f"begins, {faults}")

    @property
    def has_ended(self) -> bool:
        """Whether it has ended, by itself or not."""
        return self.is_dead or self._main.done()

    @property
    def is_lost(self) -> bool:
        """Whether it ended early: killed, without its store, or fenced off."""
        return self.is_dead or self.session is None or self.session.is_lost

    def step(self) -> None:
        """Do what is due now, until it would wait."""
        if self._begin_fault():
            return
        self.next_at = self._next_time(self._loop.run_until_idle())
        if self.has_ended:
            self._end()

    def note(self, what: str) -> None:
        """Add to the trace."""
        self._world.note(f"{self.name} {what}" if self.name else what)

    def _begin_fault(self) -> bool:
        """Begin the fault that is due now; report whether the process does nothing more."""
        now, faults = self._world.clock.now, self._faults
        if self.is_paused:
            self.is_paused = False
            self.note("continues")
        if faults.kill_at is not None and now >= self.began + faults.kill_at:
            self.note("is killed")
            self.is_dead = True
            self._end()
            return True
        if faults.cuts and now >= self.began + faults.cuts[0][0]:
            _, seconds = faults.cuts.pop(0)
            self._be_away(seconds, "is cut off", then=MAX_PAUSE)
            self.cut_until = now + seconds
            self.store._database.lose()
        if faults.pauses and now >= self.began + faults.pauses[0][0]:
            _, seconds = faults.pauses.pop(0)
            self._be_away(seconds, "is stopped")
            self.is_paused, self.next_at = True, now + seconds
            return True
        return False

    def _be_away(self, seconds: float, what: str, then: float = 0.0) -> None:
        """Note an absence; `then`: seconds until its end is noticed."""
        self.note(f"{what} for {seconds:.0f} s")
        self.away = max(self.away, seconds + then)
        self.healthy_since = self._world.clock.now + seconds + then

    def _next_time(self, next_step: float | None) -> float:
        if next_step is None:
            if not self.has_ended:
                raise ViolationError("the run hangs: nothing is left to happen")
            return self._world.clock.now
        faults = self._faults
        times = [at for at, _ in faults.pauses[:1] + faults.cuts[:1]]
        times += [faults.kill_at] if faults.kill_at is not None else []
        return min([next_step, *(self.began + at for at in times)])

    def _end(self) -> None:
        """Leave nothing of the process but what is on disk."""
        error = None
        if self._main.done() and not self._main.cancelled():
            error = self._main.exception()
        is_dead = self.is_dead
        self.drop()
        self.is_dead = is_dead
        if self.session is not None and self.session.file is not None:
            self.session.file.close()
        if error is not None and not is_dead:
            raise error

    def drop(self) -> None:
        """End all coroutines; what they still want of the store is refused."""
        self.is_dead = True
        self._loop.drop()

    async def _crawl(self) -> None:
        world = self._world
        lost = asyncio.Event()

        def stop(err: FatalError) -> None:
            self.note(f"lost: {err}")
            lost.set()

        try:
            session = CrawlSession(
                world.options,
                lambda name, number: None,
                stop,
                store=self.store,
                workers=SimulatedWorkers(world.random),
            )
        except Killed:
            self._die()
            return
        except StoreError:
            return
        self.session = session
        engine = CrawlEngine(session, write_batch=2)
        tasks = [asyncio.ensure_future(it) for it in (self._drive(engine), lost.wait())]
        output = asyncio.ensure_future(world.write_output(self))
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in (*tasks, output):
            task.cancel()
        results = await asyncio.gather(*tasks, output, return_exceptions=True)
        await engine.close()
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, FatalError):
                raise result
        if not session.is_lost:
            await world.finish_output(self)
            self.note("ends")

    async def _drive(self, engine: CrawlEngine) -> None:
        await engine.start()
        queue = PageQueue(engine, window=self._world.window, max_per_site=MAX_PER_SITE)
        schedule = SourceSchedule(polls_all=self._world.polls_all)
        reader = SourceReader(engine.session.workers, _no_document, ANYWHERE)
        polls = SourcePolls(engine, reader, schedule, SiteCap(2000), queue.wake)
        tasks: set[asyncio.Task[None]] = set()
        async for step in FeedRun(engine, polls, queue).steps(self._world.feeds):
            if isinstance(step, Source):
                tasks.add(asyncio.ensure_future(self._poll(polls, step)))
            else:
                self._world.check_leases(step)
                tasks |= {asyncio.ensure_future(self._fetch(engine, queue, it)) for it in step}
        await asyncio.gather(*tasks)

    async def _poll(self, polls: SourcePolls, source: Source) -> None:
        found = await self.client.poll(source)
        self.note(f"{source.url}: {found.status if isinstance(found, Answer) else found.reason}")
        if isinstance(found, Outcome):
            await polls.miss(source, found)
            self._record_miss(source.url, found)
        else:
            await polls.receive(source, found)

    async def _fetch(self, engine: CrawlEngine, queue: PageQueue, lease: Lease) -> None:
        found = await self.client.fetch(lease)
        self.note(f"{lease.url}: {found.reason if isinstance(found, Outcome) else found.body!r}")
        try:
            if isinstance(found, Outcome):
                await queue.missed(lease, found)
                self._record_miss(lease.url, found, lease.key)
            else:
                queue.arrived(lease)
                await engine.add_page(found)
                queue.release(lease.key)
        except StoreError:
            pass  # the crawl is closing

    def _record_miss(self, url: str, outcome: Outcome, key: str | None = None) -> None:
        """Hold the crawl to what it was told, once that is in the store."""
        if self.session is not None and self.session.store_thread.failure is None:
            self._world.record_miss(url, outcome, key)

    def _pass(self, host: Host, is_robots: bool) -> Outcome | None:
        """Let a request pass, as the downloader's handler does: with a certain lease."""
        if self.is_dead or self.session is None:
            raise CancelledError
        if not self.session.heartbeat.is_certain:
            retry_at = self._world.clock.now + RETRY_SECONDS
            return Outcome(LEASE_EXPIRED, passing=True, retry_at=retry_at)
        self._world.check_request(self, host, is_robots=is_robots)
        if self._world.error is not None:
            self._die()
            raise CancelledError
        return None

    async def _note_delay(self, url: str, seconds: float) -> None:
        try:
            if self.session is not None:
                await self.session.note_delay(url, seconds)
        except StoreError:
            raise CancelledError from None  # no request is made; the crawl is closing

    def _operate(self, work: Callable[[], Any]) -> Any:
        """Do a step of the store's thread, unless the process dies or the disk fails in it."""
        if self.is_dead:
            raise StoreError("the process is dead", "simulation")
        try:
            return self._world.operate(self, work)
        except Killed:
            self._die()
        except (StoreError, CancelledError):
            raise
        except Exception as err:  # whoever waits for the result might swallow it
            self._world.error = err
            self._die()
        return None

    def reach(self, point: str) -> None:
        """Kill the process at a point of the store, or let the store fail there."""
        faults = self._faults
        faults.kill_after, faults.fail_after = faults.kill_after - 1, faults.fail_after - 1
        if faults.kill_after == 0 and not self.is_dead:
            self.note(f"is killed at {point}")
            raise Killed
        if not point.endswith("before-commit"):
            return
        if faults.fail_after == 0:
            raise StoreError("the disk is full", "simulation")
        if faults.conflict_share and self._world.random.random() < faults.conflict_share:
            raise ConflictError("deadlock detected", "simulation")

    def _die(self) -> None:
        self.is_dead = True
        self._loop.stop()


async def _no_document(url: str) -> Answer | None:
    return None
