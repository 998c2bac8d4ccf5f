"""`World`: the clock, the hosts and the store of one seed, and the processes that crawl them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from forest_crawler.crawl.outcomes import Outcome
from forest_crawler.crawl.session import SessionOptions
from forest_crawler.store import Lease, Store
from tests.simulation.clock import START, VirtualClock
from tests.simulation.invariants import Invariants, ViolationError
from tests.simulation.network import Host, Network
from tests.simulation.process import SimulatedProcess

MAX_STEPS = 200_000
"""Operations of the store per simulation, which only an endless loop reaches."""

PAGE_SECONDS = 180.0
"""What a page may take beside put-offs: a stalled request, the delay of its host."""

RECOVERY_RUNS, RECOVERY_PAUSE = 14, 10 * 3600.0
"""Runs after the last outage, within which a feed has all of its articles archived."""


class World(ABC):
    """One seed's crawl; `trace` tells what happened, for a seed that fails."""

    def __init__(
        self, random: Random, hosts: list[Host], clock: VirtualClock, trace: list[str]
    ) -> None:
        self.random, self.hosts, self.clock, self.trace = random, hosts, clock, trace
        self.network = Network(hosts)
        self.error: Exception | None = None
        self._not_before: dict[str, float] = {}
        self._steps = 0
        self._current: SimulatedProcess | None = None

    polls_all = True  # or only the sources that are due
    window = 8  # pages in flight per process
    max_steps = MAX_STEPS
    options: SessionOptions
    invariants: Invariants

    @property
    def feeds(self) -> list[str]:
        """The list that is crawled."""
        return [host.feed for host in self.hosts]

    @abstractmethod
    def run(self) -> None:
        """Run until all hosts have recovered and everything is archived."""

    @abstractmethod
    def open_store(self, process: SimulatedProcess) -> Store:
        """Open the store for a process."""

    async def write_output(self, process: SimulatedProcess) -> None:
        """Write what the process writes while it crawls, beside its file; here nothing."""
        return

    async def finish_output(self, process: SimulatedProcess) -> None:
        """Write what is left when the process has crawled; here nothing."""
        return

    def check_request(self, process: SimulatedProcess, host: Host, *, is_robots: bool) -> None:
        """Check that a request comes at the right time, from the right process."""
        now = self.clock.now
        if not is_robots:
            if now < host.last_request + host.delay - 1e-3:
                gap = now - host.last_request
                self.report(f"{host.name}: requested after {gap:.2f} s of {host.delay}")
            host.last_request = now

    def check_leases(self, leases: Iterable[Lease]) -> None:
        """Check that no page is leased before its time."""
        for lease in leases:
            if self.clock.now < self._not_before.get(lease.key, 0.0) - 1e-3:
                self.report(f"{lease.key} is fetched too soon")

    def record_miss(self, url: str, outcome: Outcome, key: str | None) -> None:
        """Note what the store now knows: when a page, or its host, may be requested again."""
        if key is not None:
            self._not_before[key] = outcome.retry_at or self.clock.now + 600.0
        if outcome.wants_pause and outcome.retry_at is not None:
            host, _ = self.network.find(url)
            host.paused_until = max(host.paused_until, outcome.retry_at)

    def report(self, what: str) -> None:
        """End the simulation by an error that nobody can swallow, once the process waits."""
        self.error = self.error or ViolationError(what)

    def operate(self, process: SimulatedProcess, work: Callable[[], Any]) -> Any:
        """Do a step of a process's store, and check what it left."""
        self._steps += 1
        if self._steps > self.max_steps:
            raise ViolationError("no end of the store's steps")
        result = work()
        self.invariants.check()
        return result

    def step(self, process: SimulatedProcess) -> None:
        """Let a process go on at its time."""
        self.clock.now = max(self.clock.now, process.next_at)
        self._current = process
        process.step()
        if self.error is not None:
            raise self.error

    def reach(self, point: str) -> None:
        """Pass a point of the store, at which the process may be killed."""
        if self._current is not None:
            self._current.reach(point)

    def note(self, what: str) -> None:
        """Add to the trace."""
        self.trace.append(f"{self.clock.now - START:10.2f} {what}")

    def recover(self, crawl: Callable[[], None]) -> None:
        """Crawl when all hosts are fine again, until everything is archived."""
        self.clock.now = max([self.clock.now, *map(settled_at, self.hosts)])
        for _ in range(RECOVERY_RUNS):
            crawl()
            if not (missing := self._missing()):
                return
            self.clock.now += RECOVERY_PAUSE
        raise ViolationError(f"never archived: {sorted(missing)}")

    def _missing(self) -> set[str]:
        wanted = {f"{host.name}/{n}" for host in self.hosts for n in host.published}
        rows = self.invariants.done_urls()
        return wanted - {url.removeprefix("https://") for url in rows}


def settled_at(host: Host) -> float:
    """Return when a host is fine again."""
    ends = [end for end, _, _ in host.phases]
    return max([*ends, *host.published.values(), host.paused_until])
