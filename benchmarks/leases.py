"""Measure what a lease costs with few and with many sites.

`python -m benchmarks.leases` prints a table of `Store.lease` on SQLite and, if it is installed, on
PostgreSQL, there as a crawl that joins: the median and the 95th percentile of its time, and its CPU
time with that of the server, which says more on a busy machine.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from sqlalchemy import text

from benchmarks.cpu_meter import cpu_seconds
from forest_crawler.store import FetchedPage, Store, open_store
from tests.support.postgres_server import find_server_programs, new_schema, run_server

SITES = (1_000, 100_000, 1_000_000)
ROUNDS, WINDOW = 15, 64
LEASE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Cost:
    """What a lease costs, in seconds."""

    median: float
    late: float  # the 95th percentile
    cpu: float  # on average, with the server's


def fill(store: Store, number: int) -> None:
    """Give each of so many sites two pages, as `Store.schedule` does.

    The database makes the rows itself: two million candidates would take many times as long.
    """
    with store._database.writing("schedule") as connection:
        for statement in (_SITES, _PAGES):
            values = {"last": number - 1, "now": time.time()}
            connection.execute(text(_NAMED + statement), values)
    if store._database.dialect == "postgresql":  # which does both by itself within minutes
        store._database.compact()
        with store._database.writing("schedule") as connection:
            connection.execute(text("CHECKPOINT"))


_NAMED = """
WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < :last),
named AS (SELECT 'site-' || CAST(n AS TEXT) || '.example' AS site FROM numbers)
"""
_SITES = "INSERT INTO sites (site, due, fence) SELECT site, :now, 0 FROM named"
_PAGES = """
INSERT INTO frontier (key, url, site, state, due, attempts, scheduled)
SELECT site || page, 'https://' || site || page, site, 'new', 0.0, 0, :now
FROM named, (SELECT '/1' AS page UNION ALL SELECT '/2') AS pages
"""


def measure(store: Store, server_cpu: Callable[[], float]) -> Cost:
    """Lease and hold a window of pages several times; the first time isn't counted."""
    seconds, cpu = [], 0.0
    for number in range(ROUNDS):
        server_before, before = server_cpu(), time.process_time()
        began = time.perf_counter()
        leases = store.lease(WINDOW, per_site=1)
        took = time.perf_counter() - began
        if number:
            seconds.append(took)
            cpu += time.process_time() - before + server_cpu() - server_before
        assert len(leases) == WINDOW
        store.hold([FetchedPage(lease.key, b"<p>Rain</p>") for lease in leases])
    ordered = sorted(seconds)
    return Cost(median(ordered), ordered[int(0.95 * len(ordered))], cpu / len(ordered))


@contextmanager
def open_new(kind: str) -> Iterator[tuple[Store, Callable[[], float]]]:
    """Open an empty store; yield it with what tells the CPU time of its server."""
    if kind == "sqlite":
        with (
            tempfile.TemporaryDirectory() as directory,
            open_store(f"sqlite:///{directory}/forest.db") as store,
        ):
            yield store, lambda: 0.0
        return
    programs = find_server_programs()
    if programs is None:
        sys.exit("PostgreSQL isn't installed: its initdb and postgres are needed")
    with (
        run_server(programs) as server,
        new_schema(server) as url,
        open_store(url, join=LEASE_SECONDS) as store,
    ):
        with store._database.reading() as connection:
            pid = int(connection.scalar(text("SELECT pg_backend_pid()")) or 0)
        yield store, lambda: cpu_seconds(pid)


def report(kind: str, number: int) -> Cost:
    """Measure one kind of store with one number of sites; print a row of the table."""
    with open_new(kind) as (store, server_cpu):
        store.begin_run()
        began = time.perf_counter()
        fill(store, number)
        filled = time.perf_counter() - began
        cost = measure(store, server_cpu)
    print(
        f"| {kind} | {number:,} | {1000 * cost.median:.1f} ms | {1000 * cost.late:.1f} ms "
        f"| {1000 * cost.cpu:.1f} ms | {filled:.0f} s |",
        flush=True,
    )
    return cost


def main(words: Sequence[str]) -> None:
    """Measure every kind of store with every number of sites."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.leases", description=__doc__)
    parser.add_argument("--sites", type=int, nargs="+", default=SITES)
    kinds = ("sqlite", "postgresql") if find_server_programs() else ("sqlite",)
    parser.add_argument("--kind", nargs="+", default=kinds, choices=("sqlite", "postgresql"))
    arguments = parser.parse_args(words)
    began, ratios = time.perf_counter(), []
    print(f"| store | sites | a lease of {WINDOW} pages | p95 | CPU | filled in |")
    print("|---|---|---|---|---|---|", flush=True)
    for kind in arguments.kind:
        costs = [report(kind, number) for number in arguments.sites]
        times, cpus = [it.median for it in costs], [it.cpu for it in costs]
        ratios.append(
            f"{kind}: {max(times) / min(times):.1f} by time, {max(cpus) / min(cpus):.1f} by CPU"
        )
    print(f"\nThe slowest against the fastest: {'; '.join(ratios)}")
    print(f"Took {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
