"""`simulate`: a crawl of some runs through outages, kills and recovery, from one seed."""

from __future__ import annotations

import asyncio
from asyncio import CancelledError
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from forest_crawler.crawl.answers import Answer
from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.feed_run import FeedRun
from forest_crawler.crawl.host_patience import MAX_HOST_WAIT
from forest_crawler.crawl.outcomes import Outcome
from forest_crawler.crawl.page_queue import MAX_WAIT, PageQueue
from forest_crawler.crawl.session import CrawlSession, SessionOptions
from forest_crawler.crawl.site_cap import SiteCap
from forest_crawler.crawl.source_polls import SourcePolls
from forest_crawler.crawl.source_reader import SourceReader
from forest_crawler.crawl.source_schedule import SourceSchedule
from forest_crawler.errors import FatalError, StoreError
from forest_crawler.store import Lease, Source, Store, database
from forest_crawler.store import archive_file as archive_module
from forest_crawler.store.schema import tables
from forest_crawler.urls.policy import ANYWHERE
from tests.simulation.clock import START, HangError, VirtualClock, VirtualLoop
from tests.simulation.invariants import Invariants, ViolationError
from tests.simulation.network import DAY, Host, Network, make_hosts
from tests.simulation.workers import SimulatedWorkers

WINDOW, MAX_PER_SITE = 8, 2
MAX_STEPS = 200_000
"""Operations of the store per simulation, which only an endless loop reaches."""

RECOVERY_RUNS, RECOVERY_PAUSE = 14, 10 * 3600.0
"""Runs after the last outage, within which a feed has all of its articles archived."""

LONG_RUNS = 48
"""Runs through an outage of days, one hour apart on average."""

PAGE_SECONDS = 180.0
"""What a page may take beside put-offs: a stalled request, the delay of its host."""


class Killed(BaseException):
    """The simulated process is killed here."""


class KeptStore(Store):
    """A store that stays open, since its database is in memory."""

    def close(self) -> None:
        pass


@dataclass(slots=True)
class Faults:
    """What goes wrong in one run: after so many points of the store a kill, or an error."""

    kill_after: int = -1
    fail_after: int = -1


class Simulation:
    """One seed's crawl; `trace` tells what happened, for a seed that fails."""

    def __init__(
        self,
        seed: int,
        store: KeptStore,
        directory: Path,
        clock: VirtualClock,
        trace: list[str],
    ) -> None:
        self.trace = trace
        self._random = Random(seed)  # noqa: S311
        self._store, self._clock = store, clock
        self._output = directory / "articles.jsonl"
        self._output.unlink(missing_ok=True)
        _empty(store)
        self._hosts = make_hosts(self._random, clock.now)
        self._network = Network(self._hosts, self._random)
        self._invariants = Invariants(store)
        self._faults = Faults()
        self._not_before: dict[str, float] = {}
        self._steps = 0
        self._is_dead = False
        self._error: Exception | None = None
        self._loop: VirtualLoop | None = None
        self._session: CrawlSession | None = None

    def run(self) -> None:
        """Run until all hosts have recovered and everything is archived."""
        is_long = max(map(self._settled_at, self._hosts)) > self._clock.now + DAY
        for _ in range(LONG_RUNS if is_long else self._random.randint(1, 4)):
            self._run_once(self._random_faults())
            pause = 2 * 3600.0 if is_long else self._random.choice([0.0, 60.0, 3600.0])
            self._clock.now += pause * self._random.random()
        self._clock.now = max([self._clock.now, *(self._settled_at(it) for it in self._hosts)])
        for _ in range(RECOVERY_RUNS):
            self._run_once(Faults())
            self._invariants.check_file(self._output)
            if not (missing := self._missing()):
                return
            self._clock.now += RECOVERY_PAUSE
        raise ViolationError(f"never archived: {sorted(missing)}")

    def _settled_at(self, host: Host) -> float:
        ends = [end for end, _, _ in host.phases]
        return max([*ends, *host.published.values(), host.paused_until, host.robots_until])

    def _random_faults(self) -> Faults:
        draw = self._random.random()
        if draw < 0.4:
            return Faults(kill_after=int(self._random.expovariate(1 / 80)))
        return Faults(fail_after=int(self._random.expovariate(1 / 80))) if draw < 0.5 else Faults()

    def _missing(self) -> set[str]:
        wanted = {f"{host.name}/{n}" for host in self._hosts for n in host.published}
        rows = self._invariants.done_urls()
        return wanted - {url.removeprefix("https://") for url in rows}

    def _run_once(self, faults: Faults) -> None:
        self._faults, self._is_dead = faults, False
        self._note(f"run begins, {faults}")
        loop = self._loop = VirtualLoop(
            self._clock, self._operate, lambda: self._random.uniform(0.0, 0.05)
        )
        asyncio.set_event_loop(loop)
        began = self._clock.now
        try:
            loop.run_until_complete(self._crawl())
        except RuntimeError:
            if not self._is_dead:
                raise
        except HangError:
            raise ViolationError("the run hangs: nothing is left to happen") from None
        finally:
            _close(loop)
            if self._session is not None:
                if self._session.file is not None:  # as the end of the process does
                    self._session.file.close()  # as the end of the process does
                self._session = None
        if self._error is not None:
            raise self._error
        self._note("killed" if self._is_dead else "run ends")
        self._check_end(began)

    def _check_end(self, began: float) -> None:
        pages = self._invariants.number
        allowed = MAX_HOST_WAIT + MAX_WAIT + PAGE_SECONDS * (pages + len(self._hosts) + 1)
        took = self._clock.now - began
        if took > allowed:
            raise ViolationError(f"the run took {took:.0f} s, though {allowed:.0f} s are promised")
        if not self._is_dead:
            self._invariants.check_account()

    async def _crawl(self) -> None:
        options = SessionOptions("sqlite://", str(self._output))
        lost = asyncio.Event()

        def stop(err: FatalError) -> None:
            self._note(f"lost: {err}")
            lost.set()

        try:
            session = CrawlSession(
                options,
                lambda name, number: None,
                stop,
                store=self._store,
                workers=SimulatedWorkers(self._random),
            )
        except Killed:
            self._die()
            await asyncio.Event().wait()
        except StoreError:
            return
        self._session = session
        engine = CrawlEngine(session, write_batch=2)
        drive = asyncio.ensure_future(self._drive(engine))
        ended = asyncio.ensure_future(lost.wait())
        await asyncio.wait({drive, ended}, return_when=asyncio.FIRST_COMPLETED)
        for task in (drive, ended):
            task.cancel()
        results = await asyncio.gather(drive, ended, return_exceptions=True)
        await engine.close()
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, FatalError):
                raise result

    async def _drive(self, engine: CrawlEngine) -> None:
        await engine.start()
        queue = PageQueue(engine, window=WINDOW, max_per_site=MAX_PER_SITE)
        schedule = SourceSchedule(polls_all=True)
        reader = SourceReader(engine.session.workers, _no_document, ANYWHERE)
        polls = SourcePolls(engine, reader, schedule, SiteCap(2000), queue.wake)
        tasks: set[asyncio.Task[None]] = set()
        async for step in FeedRun(engine, polls, queue).steps([it.feed for it in self._hosts]):
            if isinstance(step, Source):
                tasks.add(asyncio.ensure_future(self._poll(polls, step)))
            else:
                self._check_leases(step)
                tasks |= {asyncio.ensure_future(self._fetch(engine, queue, it)) for it in step}
        await asyncio.gather(*tasks)

    async def _poll(self, polls: SourcePolls, source: Source) -> None:
        host = next(host for host in self._hosts if host.feed == source.url)
        seconds, found = self._network.poll(host, source.etag, self._clock.now)
        await asyncio.sleep(seconds)
        self._note(f"{source.url}: {found.status if isinstance(found, Answer) else found.reason}")
        if isinstance(found, Outcome):
            await polls.miss(source, found)
        else:
            await polls.receive(source, found)

    async def _fetch(self, engine: CrawlEngine, queue: PageQueue, lease: Lease) -> None:
        seconds, found = self._network.fetch(lease, self._clock.now)
        await asyncio.sleep(seconds)
        self._note(f"{lease.url}: {found.reason if isinstance(found, Outcome) else found.body!r}")
        try:
            if isinstance(found, Outcome):
                await queue.missed(lease, found)
                if engine.session.store_thread.failure is None:  # it is in the store
                    self._not_before[lease.key] = found.retry_at or self._clock.now + 600.0
            else:
                queue.arrived(lease)
                await engine.add_page(found)
                queue.release(lease.key)
        except StoreError:
            pass  # the crawl is closing

    def _check_leases(self, leases: list[Lease]) -> None:
        for lease in leases:
            if self._clock.now < self._not_before.get(lease.key, 0.0) - 1e-3:
                raise ViolationError(f"{lease.key} is fetched too soon")

    def _operate(self, work: Callable[[], Any]) -> Any:
        """Do a step of the store's thread, unless the process dies or the disk fails in it."""
        self._steps += 1
        if self._is_dead:
            raise StoreError("the process is dead", "simulation")
        try:
            if self._steps > MAX_STEPS:
                raise ViolationError("no end of the store's steps")
            result = work()
            self._invariants.check()
        except Killed:
            self._die()
            return None
        except (StoreError, CancelledError):
            raise
        except Exception as err:  # whoever waits for the result might swallow it
            self._error = err
            self._die()
            return None
        return result

    def reach(self, point: str) -> None:
        """Kill the process at a point of the store, or let the store fail there."""
        faults = self._faults
        faults.kill_after, faults.fail_after = faults.kill_after - 1, faults.fail_after - 1
        if faults.kill_after == 0 and not self._is_dead:
            self._note(f"killed at {point}")
            raise Killed
        if faults.fail_after == 0 and point.endswith("before-commit"):
            raise StoreError("the disk is full", "simulation")

    def _die(self) -> None:
        self._is_dead = True
        assert self._loop is not None
        self._loop.stop()

    def _note(self, what: str) -> None:
        self.trace.append(f"{self._clock.now - START:10.2f} {what}")


async def _no_document(url: str) -> Answer | None:
    return None


def _close(loop: VirtualLoop) -> None:
    """Drop what a run has left, as the end of its process does."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
    loop.close()


def _empty(store: Store) -> None:
    with store._database.writing("schema") as connection:
        for table in reversed(tables.sorted_tables):
            if table.name != "store_version":
                connection.execute(table.delete())


def simulate(
    seed: int, store: KeptStore, directory: Path, clock: VirtualClock, trace: list[str]
) -> Simulation:
    """Simulate a seed's crawl. Raises `ViolationError` if something that must hold does not."""
    clock.now = START
    found = Simulation(seed, store, directory, clock, trace)
    with (
        patch.object(database, "reach", found.reach),
        patch.object(archive_module, "reach", found.reach),
    ):
        found.run()
    return found
