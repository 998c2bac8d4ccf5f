"""Several crawls that share one store, and what a server's log says about them.

Each process has a User-Agent of its own, so that the log tells who requested what.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from forest_crawler.store import read_store
from tests.support.fault_process import FaultServer, Hit
from tests.support.waiting import HANG

ROOT = Path(__file__).parents[2]

POLITE = (
    *("--allow-network", "127.0.0.0/8", "--allow-port", "any", "--workers", "1", "-q"),
    *("-s", "AUTOTHROTTLE_ENABLED=0", "-s", "RETRY_TIMES=0"),
)
"""Options of every process; the delay comes on top."""


@dataclass(slots=True)
class JoinedCrawls:
    """Processes that crawl the same sites into one store."""

    directory: Path
    store: str
    feeds: Sequence[str]
    options: Sequence[str]
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    started: int = 0

    def start(self, *more: str) -> str:
        """Start one more process; return its name."""
        self.started += 1
        name = f"process-{self.started}"
        lists = self.directory / "feeds.txt"
        lists.write_text("".join(f"{feed}\n" for feed in self.feeds))
        command = [sys.executable, "-m", "forest_crawler.cli", "crawl", str(lists), "--join"]
        command += ["--store", self.store, "-s", f"USER_AGENT={name}", *self.options, *more]
        with (self.directory / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                command, cwd=ROOT, stderr=log, start_new_session=True
            )
        return name

    def send(self, name: str, number: signal.Signals) -> None:
        """Send a signal to one process, not to its workers."""
        os.kill(self.processes[name].pid, number)

    def kill(self, name: str) -> None:
        """Kill a process as `kill -9` does, and forget it."""
        process = self.processes.pop(name)
        process.kill()
        process.wait(HANG)

    def wait(self) -> dict[str, int]:
        """Wait until all processes have ended; return their exit codes."""
        return {name: process.wait(HANG * 4) for name, process in self.processes.items()}

    def log(self, name: str) -> str:
        """Return what a process has said."""
        return (self.directory / f"{name}.log").read_text()

    def archived(self) -> Counter[str]:
        """Count the articles of the store by URL."""
        with read_store(self.store) as store:
            lines = store.lines_after(0, 10**9)
            assert store.count_articles() == len(lines)

            return Counter(json.loads(line)["url"] for _, line in lines)


@contextmanager
def joined_crawls(
    directory: Path, store: str, feeds: Sequence[str], options: Sequence[str]
) -> Iterator[JoinedCrawls]:
    """Provide crawls; processes that still run at the end of the block are killed."""
    crawls = JoinedCrawls(directory, store, feeds, (*POLITE, *options))
    try:
        yield crawls
    finally:
        for process in crawls.processes.values():
            if process.poll() is None:
                os.kill(process.pid, signal.SIGCONT)
                process.kill()
                process.wait(HANG)


def agent(hit: Hit) -> str:
    """Return the process that made a request."""
    return {name.lower(): value for name, value in hit.headers.items()}["user-agent"]


def by_host(hits: Iterable[Hit]) -> dict[str, list[Hit]]:
    """Group requests by host, in the order of time."""
    hosts: dict[str, list[Hit]] = defaultdict(list)
    for hit in sorted(hits, key=lambda it: it.time):
        hosts[hit.site].append(hit)
    return hosts


def gap_between_processes(hits: Iterable[Hit]) -> float:
    """Return the shortest time between requests of two processes to a host."""
    gaps = [
        second.time - first.time
        for of_host in by_host(hits).values()
        for first, second in pairwise(of_host)
        if agent(first) != agent(second)
    ]
    return min(gaps, default=float("inf"))


def mean_gap(hits: Iterable[Hit]) -> float:
    """Return the mean time between the requests of a process to a host, the shortest of all.

    A single gap says little: a server that has no time notices a request late, and the next one
    in time.
    """
    means = []
    for of_host in by_host(hits).values():
        for process in {agent(hit) for hit in of_host}:
            times = [hit.time for hit in of_host if agent(hit) == process]
            if len(times) > 2:
                means.append((times[-1] - times[0]) / (len(times) - 1))
    return min(means, default=float("inf"))


def shares(hits: Iterable[Hit]) -> Counter[str]:
    """Count the pages that each process has requested."""
    return Counter(agent(hit) for hit in hits if "/article/" in hit.path)


def wanted_urls(server: FaultServer, sites: Sequence[str], pages: int) -> Counter[str]:
    """Return the URLs of all articles, each once."""
    numbers = range(1, pages + 1)
    return Counter(server.url(site, f"/article/{number}") for site in sites for number in numbers)
