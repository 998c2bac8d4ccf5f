"""`python -m tests.simulation --seeds 10000`: simulate many crawls; `--seed N` replays one."""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from forest_crawler.crawl.workers import default_count
from forest_crawler.store.database import Database
from tests.simulation.clock import VirtualClock
from tests.simulation.crawl import KeptStore
from tests.simulation.seeds import simulate
from tests.simulation.world import World

_BLOCK = 50
"""Seeds that a process simulates before it says so."""

_SHOWN = 60
"""Last events of a failing seed that are printed; a replay prints all."""


@contextmanager
def simulating() -> Iterator[tuple[KeptStore, Path, VirtualClock]]:
    """Provide a store in memory, a directory in memory if there is one, and a clock."""
    clock = VirtualClock()
    shared = Path("/dev/shm")  # noqa: S108
    parent = shared if shared.is_dir() else None
    with tempfile.TemporaryDirectory(dir=parent) as directory:
        store = KeptStore(Database("sqlite://"), clock)
        with clock.installed(), _without_logs():
            yield store, Path(directory), clock
        store._database.close()


@contextmanager
def _without_logs() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def run_seeds(seeds: range, processes: int | None = None) -> None:
    """Simulate every seed; an error names its seed and what happened last."""
    with simulating() as (store, directory, clock):
        for seed in seeds:
            run_seed(seed, store, directory, clock, processes)


def run_parallel(seeds: range, jobs: int, processes: int | None = None) -> None:
    """Simulate seeds in several processes, and say on stderr how far they are."""
    blocks = [seeds[n : n + _BLOCK] for n in range(0, len(seeds), _BLOCK)]
    with ProcessPoolExecutor(jobs) as pool:
        done = 0
        for block in pool.map(partial(_run_block, processes=processes), blocks):
            done += len(block)
            sys.stderr.write(f"\r{done} of {len(seeds)} crawls")
            sys.stderr.flush()
    sys.stderr.write("\n")


def _run_block(seeds: range, processes: int | None) -> range:
    try:
        run_seeds(seeds, processes)
    except BaseException as err:  # notes don't reach another process
        notes = "\n".join(getattr(err, "__notes__", []))
        raise AssertionError(f"{type(err).__name__}: {err}\n{notes}") from None
    return seeds


def run_seed(
    seed: int,
    store: KeptStore,
    directory: Path,
    clock: VirtualClock,
    processes: int | None = None,
) -> World:
    """Simulate one seed; an error has the seed and its last events as notes."""
    trace: list[str] = []
    try:
        return simulate(seed, store, directory, clock, trace, processes)
    except BaseException as err:
        err.add_note("\n".join(trace[-_SHOWN:]))
        again = f" --processes {processes}" if processes else ""
        err.add_note(f"seed {seed}: python -m tests.simulation --seed {seed}{again}")
        raise


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10_000, help="how many crawls")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument(
        "--processes", type=int, help="of each crawl; otherwise one, or 2 to 4 for every 4th seed"
    )
    parser.add_argument("--jobs", type=int, default=default_count(), help="how many processes")
    parser.add_argument("--seed", type=int, help="replay this one, and print what happens")
    options = parser.parse_args()
    began = time.perf_counter()
    if options.seed is not None:
        with simulating() as (store, directory, clock):
            found = run_seed(options.seed, store, directory, clock, options.processes)
        sys.stdout.write("\n".join(found.trace) + "\n")
        return
    seeds = range(options.first, options.first + options.seeds)
    run_parallel(seeds, options.jobs, options.processes)
    took = time.perf_counter() - began
    sys.stdout.write(f"{options.seeds} crawls, nothing violated, {took:.0f} s\n")


if __name__ == "__main__":
    _main()
