"""`Simulation`: a crawl of some runs through outages, kills and recovery."""

from __future__ import annotations

from pathlib import Path
from random import Random

from forest_crawler.crawl.host_patience import MAX_HOST_WAIT
from forest_crawler.crawl.page_queue import MAX_WAIT
from forest_crawler.crawl.session import SessionOptions
from forest_crawler.store import Store
from forest_crawler.store.schema import tables
from tests.simulation.clock import VirtualClock
from tests.simulation.faults import Faults, random_faults
from tests.simulation.invariants import Invariants, ViolationError
from tests.simulation.network import DAY, make_hosts
from tests.simulation.process import SimulatedProcess
from tests.simulation.world import PAGE_SECONDS, World, settled_at

LONG_RUNS = 48
"""Runs through an outage of days, one hour apart on average."""


class KeptStore(Store):
    """A store that stays open, since its database is in memory."""

    def close(self) -> None:
        pass


class Simulation(World):
    """Runs of one process, one after the other."""

    def __init__(
        self,
        seed: int,
        store: KeptStore,
        directory: Path,
        clock: VirtualClock,
        trace: list[str],
    ) -> None:
        random = Random(seed)  # noqa: S311
        super().__init__(random, make_hosts(random, clock.now), clock, trace)
        self._store = store
        self._output = directory / "articles.jsonl"
        self._output.unlink(missing_ok=True)
        empty(store)
        self.options = SessionOptions("sqlite://", str(self._output))
        self.invariants = Invariants(store)

    def run(self) -> None:
        """Run until all hosts have recovered and everything is archived."""
        is_long = max(map(settled_at, self.hosts)) > self.clock.now + DAY
        for _ in range(LONG_RUNS if is_long else self.random.randint(1, 4)):
            self._run_once(random_faults(self.random))
            pause = 2 * 3600.0 if is_long else self.random.choice([0.0, 60.0, 3600.0])
            self.clock.now += pause * self.random.random()
        self.recover(self._run_to_end)

    def open_store(self, process: SimulatedProcess) -> Store:
        return self._store

    def _run_to_end(self) -> None:
        self._run_once(Faults())
        self.invariants.check_file(self._output)

    def _run_once(self, faults: Faults) -> None:
        for host in self.hosts:
            host.last_request = 0.0  # a run does not know when the last one made its requests
        process = SimulatedProcess(self, faults)
        while not process.has_ended:
            self.step(process)
        self._check_end(process)

    def _check_end(self, process: SimulatedProcess) -> None:
        pages = self.invariants.number
        allowed = MAX_HOST_WAIT + MAX_WAIT + PAGE_SECONDS * (pages + len(self.hosts) + 1)
        took = self.clock.now - process.began
        if took > allowed:
            raise ViolationError(f"the run took {took:.0f} s, though {allowed:.0f} s are promised")
        if not process.is_dead:
            self.invariants.check_account()


def empty(store: Store) -> None:
    """Delete what an earlier simulation has left in a store."""
    with store._database.writing("schema") as connection:
        for table in reversed(tables.sorted_tables):
            if table.name != "store_version":
                connection.execute(table.delete())
