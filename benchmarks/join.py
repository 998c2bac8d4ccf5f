"""Crawl with several processes that share one store in PostgreSQL, and check what they did.

`python -m benchmarks.join` has four processes crawl 300 sites of 12 pages on loopback; with
`--chaos` one is killed every few seconds, one stopped and continued, and the server restarted.
`--speed` measures pages per second, CPU and memory of one, two and four processes instead.
Each prints a table, and how long it took.
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
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.cpu_meter import CpuMeter, resident_bytes
from benchmarks.takeovers import Kill, measure_takeovers, note_kill
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
KILL_EVERY, MAX_KILLS = 4.0, 40
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


@dataclass(slots=True)
class Trouble:
    """What was done to the processes: kills, when the server was back, who was stopped."""

    stopped: str
    kills: list[Kill] = field(default_factory=list)
    restarts: list[float] = field(default_factory=list)  # by `time.time`


def cause_trouble(place: Scene, crawls: JoinedCrawls) -> Trouble:
    """Kill, stop and restart until few pages are left; return what was done."""
    trouble = Trouble(crawls.start())
    while trouble.stopped not in shares(place.server.log()):
        time.sleep(0.2)
    crawls.send(trouble.stopped, signal.SIGSTOP)
    is_stopped = True
    while _open_pages(crawls) > 200 and len(trouble.kills) < MAX_KILLS:
        time.sleep(KILL_EVERY)
        if not kill_one(place, crawls, trouble):
            continue
        if len(trouble.kills) == 3:
            crawls.send(trouble.stopped, signal.SIGCONT)
            is_stopped = False
        if len(trouble.kills) == 4:
            place.database.restart(pause=1.0)
            trouble.restarts.append(time.time())
    if is_stopped:
        crawls.send(trouble.stopped, signal.SIGCONT)
    return trouble


def kill_one(place: Scene, crawls: JoinedCrawls, trouble: Trouble) -> bool:
    """Kill the oldest process that has fetched pages, and start another; report whether."""
    busy = shares(place.server.log())
    for name, process in list(crawls.processes.items()):
        if name == trouble.stopped or name not in busy or process.poll() is not None:
            continue
        if kill := note_kill(crawls.store, name, process.pid):
            crawls.kill(name)
            trouble.kills.append(kill)
            crawls.start()
            return True
    return False


def _open_pages(crawls: JoinedCrawls) -> int:
    with read_store(crawls.store) as store:
        return int(store.account()["pending"])


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
        _say(f"| {name} | {row} |")
    kept = [found == wanted, gap >= shortest, apart >= shortest, account["pending"] == 0]
    return all(kept) and sum(leased) == 0 and (has_kills or least >= 0.5)


def share_work(place: Scene, number: int) -> bool:
    """Crawl with several processes, undisturbed."""
    with place.crawls("-s", "CONCURRENT_REQUESTS=8") as crawls:
        began = time.monotonic()
        for _ in range(number):
            crawls.start()
        codes = crawls.wait()
        _say("| | |\n|---|---|")
        _say(f"| processes | {number}, exit codes {sorted(codes.values())} |")
        _say(f"| crawled in | {time.monotonic() - began:.0f} s |")
        is_good = check(place, crawls, place.server.log(), has_kills=False)
    return is_good and not any(codes.values())


def survive(place: Scene, number: int) -> bool:
    """Crawl with several processes, of which some are killed or stopped."""
    with place.crawls("-s", "CONCURRENT_REQUESTS=8") as crawls:
        began = time.monotonic()
        for _ in range(number - 1):
            crawls.start()
        trouble = cause_trouble(place, crawls)
        codes = crawls.wait()
        refused = "taken its sites over" in crawls.log(trouble.stopped)
        hits = place.server.log()
        found = measure_takeovers(crawls.store, trouble.kills, hits, trouble.restarts)
        _say("| | |\n|---|---|")
        _say(f"| processes | {number} at a time, exit codes {sorted(codes.values())} |")
        _say(f"| trouble | {len(trouble.kills)} kills, {len(trouble.restarts)} restart, 1 stop |")
        _say(f"| crawled in | {time.monotonic() - began:.0f} s |")
        _say(f"| the stopped process was refused | {'yes' if refused else 'no'} |")
        for name, row in found.describe(LEASE).items():
            _say(f"| {name} | {row} |")
        is_good = check(place, crawls, hits, has_kills=True)
        for name, code in codes.items():
            if code:
                _say(f"\n{name} ended with {code}:\n{crawls.log(name)}")
        is_good = is_good and refused and not any(codes.values())
        return is_good and found.is_within(LEASE, TOLERANCE)


SPEED_HEAD = """\
| processes | pages/s | took | CPU per page, with workers and start | in the database | cores busy \
| memory of a process at half time | at the end |
|---|---|---|---|---|---|---|---|"""


def measure_speed(place: Scene, number: int) -> None:
    """Print pages per second, CPU and memory of so many processes."""
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
            sizes.append(max(map(resident_bytes, running)) or sizes[-1])
            ours.sample()
            database.sample()
            time.sleep(0.2)
        took, pages = time.monotonic() - began, crawls.archived().total()
    _say(
        f"| {number} | {pages / took:.1f} | {took:.0f} s | {1000 * ours.seconds / pages:.0f} ms "
        f"| {1000 * database.seconds / pages:.1f} ms "
        f"| {(ours.seconds + database.seconds) / took:.2f} of {os.cpu_count()} "
        f"| {sizes[len(sizes) // 2] >> 20} MiB | {sizes[-1] >> 20} MiB |"
    )


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
    began = time.monotonic()
    delay = 0.0 if options.speed else options.delay
    with scene(options.sites, options.pages, delay) as place:
        is_good = True
        if options.speed:
            _say(SPEED_HEAD)
            for number in (1, 2, 4):
                measure_speed(place, number)
        else:
            run = survive if options.chaos else share_work
            is_good = run(place, options.processes)
    _say(f"\nTook {time.monotonic() - began:.0f} s")
    if not is_good:
        sys.exit("a promise was broken")


if __name__ == "__main__":
    main(sys.argv[1:])
