"""Simulated processes that share a store keep their promises, and what breaks them is found."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from forest_crawler.crawl.heartbeat import Heartbeat
from forest_crawler.export.outbox_parts import OutboxParts
from forest_crawler.store import Store
from tests.crawl.test_simulation import find_violation
from tests.simulation.__main__ import run_seed, run_seeds, simulating
from tests.simulation.shared_store import SharedStore

SEEDS = range(12)
"""Of the run without a fault; each fault below is found in one of them, or in its own seeds."""

PROCESSES = 3


@dataclass(frozen=True, slots=True)
class Fault:
    """What is broken, and what the simulation says then, within so many seeds.

    They begin with the first that finds it now: those before only cost time.
    """

    owner: type
    name: str
    broken: object
    message: str
    seeds: range = SEEDS


def test_processes_that_are_killed_stopped_and_cut_off_archive_each_article_once() -> None:
    run_seeds(SEEDS, PROCESSES)


def test_seed_of_several_processes_replays_the_same_events() -> None:
    with simulating() as (store, directory, clock):
        first, second = (run_seed(5, store, directory, clock, PROCESSES).trace for _ in range(2))
    assert first == second
    assert {"p0", "p1", "p2"} <= {line.split()[1] for line in first}


def _never(*_: object, **__: object) -> int:
    return 0


def _skip_first(parts: OutboxParts, last: int) -> list[tuple[int, str]]:
    return parts.store.lines_after(parts.last, parts.max_rows, last)[1:]


FAULTS = {
    "no fence": Fault(
        Store, "_check_fence", _never, "run that has ended|run has ended", range(4, 12)
    ),
    "leases are not renewed": Fault(Store, "renew", _never, "takes nothing over"),
    "nothing is taken over": Fault(Store, "_end_expired", _never, "takes nothing over"),
    # A process must be stopped just while a request waits for its turn.
    "requests without a certain lease": Fault(
        Heartbeat, "is_certain", property(lambda _: True), "without a lease", range(27, 40)
    ),
    "sites of others are leased": Fault(
        Store, "lease_site", lambda store, site: True, "without a lease"
    ),
    "pauses are forgotten": Fault(
        Store, "pause_host", _never, "before its pause ends", range(7, 30)
    ),
    "delays are forgotten": Fault(Store, "note_delay", _never, "requested after"),
    "the outbox skips an article": Fault(
        OutboxParts, "_next_lines", _skip_first, "articles in parts"
    ),
    "all processes write parts": Fault(
        SharedStore,
        "take_turn",
        lambda store, output: True,
        "manifest is wrong|in parts",
        range(11, 30),
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_fault_is_found(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fault.owner, fault.name, fault.broken)
    assert re.search(fault.message, find_violation(fault.seeds, PROCESSES))
