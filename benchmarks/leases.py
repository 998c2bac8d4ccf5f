"""Measure what a lease costs with few and with many sites.

`python -m benchmarks.leases` prints the median and the 95th percentile of `Store.lease` and of
holding what it leased, on SQLite and, if it is installed, on PostgreSQL.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median

from forest_crawler.store import Candidate, FetchedPage, Store, open_store
from tests.support.postgres_server import find_server_programs, new_schema, run_server

SITES = (1_000, 100_000, 1_000_000)
ROUNDS, WINDOW = 15, 64
_BATCH = 10_000


def fill(store: Store, number: int) -> None:
    """Schedule a page of each site, and another one."""
    store.begin_run()
    for start in range(0, number, _BATCH):
        named = [f"site-{n}.example" for n in range(start, min(start + _BATCH, number))]
        store.schedule(
            [Candidate(f"{it}/{n}", f"https://{it}/{n}", it) for it in named for n in (1, 2)]
        )
    store._database.compact()  # as a server does by itself a minute after so many inserts


def measure(store: Store) -> list[float]:
    """Lease and hold a window of pages several times; return the seconds of each lease."""
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        leases = store.lease(WINDOW, per_site=1)
        seconds.append(time.perf_counter() - began)
        store.hold([FetchedPage(lease.key, b"<p>Rain</p>") for lease in leases])
    return seconds


@contextmanager
def _stores(kind: str) -> Iterator[str]:
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as directory:
            yield f"sqlite:///{directory}/forest.db"
        return
    programs = find_server_programs()
    if programs is not None:
        with run_server(programs) as server, new_schema(server) as url:
            yield url


def main(words: Sequence[str]) -> None:
    """Measure every kind of store with every number of sites."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.leases", description=__doc__)
    parser.add_argument("--sites", type=int, nargs="+", default=SITES)
    parser.add_argument("--kind", nargs="+", default=["sqlite", "postgresql"])
    arguments = parser.parse_args(words)
    for kind in arguments.kind:
        for number in arguments.sites:
            with _stores(kind) as url, open_store(url) as store:
                fill(store, number)
                seconds = sorted(measure(store))
            late = seconds[int(0.95 * len(seconds))]
            print(
                f"{kind}, {number} sites: a lease of {WINDOW} pages takes "
                f"{1000 * median(seconds):.1f} ms, p95 {1000 * late:.1f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
