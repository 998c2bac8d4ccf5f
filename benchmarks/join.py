"""Crawl with several processes that share one store in PostgreSQL, and check what they did.

`python -m benchmarks.join` has four processes crawl 300 sites of 12 pages on loopback; with
`--chaos` one is killed every few seconds, one stopped and continued, and the server restarted.
`--speed` measures pages per second, CPU and memory of one, two and four processes instead.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from forest_crawler.errors import InputError
from forest_crawler.store import read_store
from tests.support.fault_process import FaultServer, Hit, running_server
from tests.support.joined_crawls import (
    JoinedCrawls,
    agent,
    by_host,
    gap_between_processes,
    joined_crawls,
    mean_gap,
    shares,
    wanted_urls,
)
from tests.support.postgres_server import (
    PostgresServer,
    find_server_programs,
    new_schema,
    run_restartable,
)

LEASE = 6.0
KILL_EVERY = 4.0
TOLERANCE = 0.25
"""Share of the delay by which gaps may seem shorter in the server's log: on a busy machine it
notices a request late, and the next one in time."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The servers of a measurement, and its size."""

    server: FaultServer
    database: PostgresServer
    sites: Sequence[str]
    pages: int
    delay: float

    @contextmanager
    def crawls(self, *options: str) -> Iterator[JoinedCrawls]:
        """Provide crawls of all sites into an empty store."""
        self.server.clear()
        feeds = [self.server.url(site, "/feed.xml") for site in self.sites]
        options = ("--delay", str(self.delay), "-s", f"FOREST_LEASE_SECONDS={LEASE}", *options)
        with (
            tempfile.TemporaryDirectory() as directory,
            new_schema(self.database.url) as url,
            joined_crawls(Path(directory), url, feeds, options) as crawls,
        ):
            yield crawls


@contextmanager
def scene(sites: int, pages: int, delay: float) -> Iterator[Scene]:
    """Run a web server and a database server."""
    programs = find_server_programs()
    if programs is None:
        sys.exit("PostgreSQL isn't installed: its initdb and postgres are needed")
    named = [f"127.90.{n // 200}.{n % 200 + 1}" for n in range(sites)]
    with running_server() as server, run_restartable(programs) as database:
        server.plan({"*": {"pages": pages}})
        yield Scene(server, database, named, pages, delay)


def cause_trouble(crawls: JoinedCrawls, database: PostgresServer) -> tuple[int, list[str]]:
    """Kill, stop and restart until few sites are left; return kills, and stopped processes."""
    kills, stopped = 0, [crawls.start()]
    while _open_pages(crawls) == 10**9:
        time.sleep(0.2)
    time.sleep(KILL_EVERY)
    crawls.send(stopped[0], signal.SIGSTOP)
    _say(f"{stopped[0]} is stopped")
    while _open_pages(crawls) > 200 and kills < 40:
        time.sleep(KILL_EVERY)
        running = [it for it, p in crawls.processes.items() if p.poll() is None]
        victim = next((it for it in running if it not in stopped), None)
        if victim is not None:
            crawls.kill(victim)
            kills += 1
            crawls.start()
        if kills == 3:
            crawls.send(stopped[0], signal.SIGCONT)
            _say(f"{stopped[0]} goes on")
        if kills == 4:
            database.restart(pause=1.0)
            _say("the database server was restarted")
    if kills < 3:
        crawls.send(stopped[0], signal.SIGCONT)
    return kills, stopped


def _open_pages(crawls: JoinedCrawls) -> int:
    try:
        with read_store(crawls.store) as store:
            account = store.account()
    except InputError:  # no process has created the tables yet
        return 10**9
    return int(account["pending"]) if account["scheduled"] else 10**9


def check(place: Scene, crawls: JoinedCrawls, hits: Sequence[Hit], *, has_kills: bool) -> bool:
    """Print the account of a crawl; report whether every promise was kept."""
    found, wanted = crawls.archived(), wanted_urls(place.server, place.sites, place.pages)
    with read_store(crawls.store) as store:
        account, leased = store.account(), store.count_leased()
    pages = [hit for hit in hits if hit.path != "/robots.txt"]
    gap, apart = mean_gap(pages), gap_between_processes(pages)
    fetched = sum(shares(hits).values())
    moved = sum(len({agent(hit) for hit in of_host}) > 1 for of_host in by_host(hits).values())
    least = min(shares(hits).values(), default=0) / (fetched / max(len(shares(hits)), 1))
    shortest = (1 - TOLERANCE) * place.delay
    rows = {
        "articles": f"{found.total()} of {wanted.total()}, {found.total() - len(found)} twice",
        "fetched": f"{fetched} pages, {fetched - wanted.total()} again",
        "hosts": f"{len(place.sites)}, of which {moved} had requests of several processes",
        "shortest gap": f"{gap:.3f} s on average, between processes {apart:.3f} s, "
        f"delay {place.delay:g} s",
        "shares": ", ".join(f"{name} {n}" for name, n in sorted(shares(hits).items())),
        "least share": f"{least:.0%} of an equal one",
        "left": f"{account['pending']} pages, {sum(leased)} leases",
    }
    for name, row in rows.items():
        _say(f"  {name + ':':<14}{row}")
    kept = [found == wanted, gap >= shortest, apart >= shortest, account["pending"] == 0]
    return all(kept) and sum(leased) == 0 and (has_kills or least >= 0.5)


def share_work(place: Scene, number: int) -> bool:
    """Crawl with several processes, undisturbed."""
    with place.crawls("-s", "CONCURRENT_REQUESTS=8") as crawls:
        began = time.monotonic()
        for _ in range(number):
            crawls.start()
        codes = crawls.wait()
        _say(f"{number} processes, {time.monotonic() - began:.0f} s, exit codes {codes}")
        is_good = check(place, crawls, place.server.log(), has_kills=False)
    return is_good and not any(codes.values())


def survive(place: Scene, number: int) -> bool:
    """Crawl with several processes, of which some are killed or stopped."""
    with place.crawls("-s", "CONCURRENT_REQUESTS=8") as crawls:
        began = time.monotonic()
        for _ in range(number - 1):
            crawls.start()
        kills, stopped = cause_trouble(crawls, place.database)
        codes = crawls.wait()
        _say(f"{kills} kills, {time.monotonic() - began:.0f} s, exit codes {codes}")
        refused = "taken its sites over" in crawls.log(stopped[0])
        _say(f"  the stopped process was refused: {'yes' if refused else 'no'}")
        return check(place, crawls, place.server.log(), has_kills=True) and refused


def measure_speed(place: Scene, number: int) -> None:
    """Print pages per second and CPU of so many processes."""
    with place.crawls("-s", "CONCURRENT_REQUESTS=32") as crawls:
        server = place.database.process
        assert server is not None
        began = time.monotonic()
        for _ in range(number):
            crawls.start()
        ours = CpuMeter({process.pid for process in crawls.processes.values()})
        database = CpuMeter({server.pid})
        sizes = [0]
        while running := [p.pid for p in crawls.processes.values() if p.poll() is None]:
            sizes.append(max(map(_resident, running)) or sizes[-1])
            ours.sample()
            database.sample()
            time.sleep(0.2)
        took, pages = time.monotonic() - began, crawls.archived().total()
    _say(
        f"{number} processes: {pages / took:.1f} pages/s over {took:.0f} s; CPU per page "
        f"{1000 * ours.seconds / pages:.0f} ms with workers and start, "
        f"{1000 * database.seconds / pages:.1f} ms in the database; "
        f"{(ours.seconds + database.seconds) / took:.2f} of {os.cpu_count()} cores; "
        f"memory at half time {sizes[len(sizes) // 2] >> 20} MiB per process, "
        f"at the end {sizes[-1] >> 20} MiB"
    )


class CpuMeter:
    """Adds up the CPU time of processes and all that they start, by sampling."""

    def __init__(self, roots: set[int]) -> None:
        self._family = set(roots)
        self._ticks: dict[int, int] = {}

    def sample(self) -> None:
        """Look at all processes now; what one does after its last sample is missed."""
        found = dict(_read_processes())
        grown = True
        while grown:
            children = {pid for pid, (parent, _) in found.items() if parent in self._family}
            grown = not children <= self._family
            self._family |= children
        for pid, (_, ticks) in found.items():
            if pid in self._family:
                self._ticks[pid] = max(ticks, self._ticks.get(pid, 0))

    @property
    def seconds(self) -> float:
        """The CPU time so far."""
        return sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK")


def _read_processes() -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the parent and the CPU time, in ticks, of every process."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        yield int(path.parent.name), (int(fields[1]), int(fields[11]) + int(fields[12]))


def _resident(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _say(text: str) -> None:
    print(text, flush=True)


def main(words: Sequence[str]) -> None:
    """Run what the options name; exit with 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.join", description=__doc__)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--sites", type=int, default=300)
    parser.add_argument("--pages", type=int, default=12)
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--chaos", action="store_true")
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args(words)
    delay = 0.0 if options.speed else options.delay
    with scene(options.sites, options.pages, delay) as place:
        if options.speed:
            for number in (1, 2, 4):
                measure_speed(place, number)
            return
        run = survive if options.chaos else share_work
        if not run(place, options.processes):
            sys.exit("a promise was broken")


if __name__ == "__main__":
    main(sys.argv[1:])
