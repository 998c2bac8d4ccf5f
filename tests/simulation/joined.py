"""`JoinedSimulation`: several processes that share a store, as `forest crawl --join` does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any
from unittest.mock import patch

from forest_crawler.cli import _outputs
from forest_crawler.cli._archive_target import ArchiveTarget
from forest_crawler.cli._outputs import PartsOutput
from forest_crawler.crawl import page_queue
from forest_crawler.crawl.host_patience import MAX_HOST_WAIT
from forest_crawler.crawl.session import SessionOptions
from forest_crawler.errors import FencedError
from tests.simulation.clock import VirtualClock
from tests.simulation.crawl import KeptStore, empty
from tests.simulation.faults import Faults, random_joined_faults
from tests.simulation.invariants import SharedInvariants, ViolationError
from tests.simulation.memory_folder import MemoryFolder
from tests.simulation.network import Host, make_joined_hosts
from tests.simulation.process import SimulatedProcess
from tests.simulation.shared_store import SharedDatabase, SharedStore
from tests.simulation.world import PAGE_SECONDS, World

OUTPUT = "memory/"
OUTPUT_PAUSE = 20.0
"""Seconds between two looks of a process whether it is its turn to write; more than in life."""

IDLE_PAUSE = 10.0
"""Seconds between two looks for due pages while nothing is in flight; more than in life, where a
look costs the database little, but a simulation most of its time."""

MAX_STARTS = 8
"""Processes that are started in place of one after the other, as long as they are lost."""

MAX_STEPS = 30_000
"""Operations of the store per simulation; a thousand are usual."""

LATE = 3.0
"""Seconds by which a heartbeat may be late: store steps that are repeated, and those before it."""


class JoinedSimulation(World):
    """Two to four processes at a time, of which some are lost and started again."""

    max_steps = MAX_STEPS

    def __init__(
        self,
        seed: int,
        store: KeptStore,
        clock: VirtualClock,
        trace: list[str],
        number: int | None = None,
    ) -> None:
        random = Random(seed)  # noqa: S311
        super().__init__(random, make_joined_hosts(random, clock.now), clock, trace)
        empty(store)
        self._database = store._database
        self._number = number
        self._lease = random.choice([40.0, 60.0])
        self._turns: dict[str, SharedStore] = {}
        self._folder = MemoryFolder(OUTPUT, self.reach)
        self._processes: list[SimulatedProcess] = []
        self.polls_all = random.random() < 0.5
        self.window = random.choice([1, 2, 8])  # with a small one, processes share the sites
        delay = random.choice([0.0, 1.0, 5.0])
        for host in self.hosts:
            host.delay = max(host.delay, delay)
        self.options = SessionOptions("sqlite://", "", join=self._lease, delay=delay)
        self.invariants: SharedInvariants = SharedInvariants(store)

    def run(self) -> None:
        """Run until all hosts have recovered and everything is archived."""
        with (
            patch.object(_outputs, "open_folder", lambda address: self._folder),
            patch.object(page_queue, "IDLE_PAUSE", IDLE_PAUSE),
        ):
            try:
                for _ in range(self.random.randint(1, 2)):
                    self._run_together(has_faults=True)
                    self.clock.now += self.random.choice([0.0, 60.0, 3600.0]) * self.random.random()
                self.recover(self._run_to_end)
            finally:
                for process in self._processes:
                    process.drop()

    def _run_to_end(self) -> None:
        self._run_together(has_faults=False)
        self.invariants.check_parts(self._folder, is_complete=True)

    def open_store(self, process: SimulatedProcess) -> SharedStore:
        database = SharedDatabase(self._database, lambda: self.clock.now < process.cut_until)
        store = SharedStore(database, self.clock, self._turns, process)
        store.lease_seconds = self._lease
        return store

    async def write_output(self, process: SimulatedProcess) -> None:
        """Write parts now and then, as `LiveWriter` does with a connection of its own."""
        loop, output = asyncio.get_running_loop(), PartsOutput(ArchiveTarget(OUTPUT))
        reader = self.open_store(process)
        try:
            while True:
                await asyncio.sleep(OUTPUT_PAUSE)
                if self.clock.now >= process.cut_until:
                    await loop.run_in_executor(None, output.write, reader)
        finally:
            reader.close()

    async def finish_output(self, process: SimulatedProcess) -> None:
        """Write the rest, unless another process is at it for longer than one waits."""
        loop, output = asyncio.get_running_loop(), PartsOutput(ArchiveTarget(OUTPUT))
        reader = self.open_store(process)
        end = self.clock.now + _outputs.TURN_SECONDS
        while output._parts is None and self.clock.now < end:
            await loop.run_in_executor(None, output.write, reader)
            await asyncio.sleep(_outputs.TURN_SECONDS / 20)
        reader.close()

    def check_request(self, process: SimulatedProcess, host: Host, *, is_robots: bool) -> None:
        """Check that a request is made by the one process that leases its site, and in time."""
        owner = self.invariants.owner_of(host.site)
        if owner is None or owner != process.store._run:
            self.report(f"{host.name} is requested by {process.name} without a lease")
        for other in self._processes:
            if other is process or other.has_ended or other.is_paused:
                continue
            if other.client.open[host.site]:
                self.report(f"{host.site} is requested by two processes at a time")
        if self.clock.now < host.paused_until - 1e-3:
            early = host.paused_until - self.clock.now
            self.report(f"{host.name} is requested {early:.1f} s before its pause ends")
        super().check_request(process, host, is_robots=is_robots)

    def operate(self, process: SimulatedProcess, work: Callable[[], Any]) -> Any:
        """Do a step of a process's store, and check that no other may have done it."""
        self._check_takeover()
        try:
            with self.invariants.refusing_fenced(process.name, process.store._run):
                return super().operate(process, work)
        except FencedError:
            if process.away < self._lease * 5 / 6 - LATE:
                raise ViolationError(f"{process.name} was there, but lost its leases") from None
            raise

    def _check_takeover(self) -> None:
        """Check that no run is over for longer than until the next heartbeat of a process."""
        expired = self.invariants.first_expiry()
        if expired is None:
            return
        allowed = self._lease / 6 + LATE
        for process in self._processes:
            is_running = not process.has_ended and process.store._run is not None
            if is_running and self.clock.now > max(process.healthy_since, expired) + allowed:
                raise ViolationError(f"{process.name} takes nothing over")

    def _run_together(self, *, has_faults: bool) -> None:
        began = self.clock.now
        number = self._number or self.random.randint(2, 4)
        within = self.random.choice([1.0, 60.0])
        starts = {f"p{n}": began + within * self.random.random() for n in range(number)}
        left = dict.fromkeys(starts, MAX_STARTS if has_faults else 1)
        self._processes = []
        while starts or self._processes:
            process = min(self._processes, key=lambda it: it.next_at, default=None)
            name = min(starts, key=lambda it: starts[it], default=None)
            if name is not None and (process is None or starts[name] <= process.next_at):
                self.clock.now = max(self.clock.now, starts.pop(name))
                left[name] -= 1
                self._start(name, has_faults=has_faults and left[name] > 0)
            elif process is not None:
                self.step(process)
                if process.has_ended:
                    self._end(process, began)
                    if process.is_lost:
                        starts[process.name] = self.clock.now + self.random.choice([1.0, 90.0])
        self.invariants.check_account()

    def _start(self, name: str, *, has_faults: bool) -> None:
        faults = random_joined_faults(self.random, self._lease) if has_faults else Faults()
        self._processes.append(SimulatedProcess(self, faults, name))

    def _end(self, process: SimulatedProcess, began: float) -> None:
        self._processes.remove(process)
        for store in [it for it in self._turns.values() if it.owner is process]:
            store.close()  # as the server does when a connection ends
        self.invariants.check_parts(self._folder)
        pages = self.invariants.number
        allowed = MAX_HOST_WAIT + page_queue.MAX_WAIT + PAGE_SECONDS * (pages + 20)
        if (took := self.clock.now - began) > allowed:
            raise ViolationError(f"the run took {took:.0f} s, though {allowed:.0f} s are promised")
