"""Simulated crawls keep their promises: see `tests.simulation`; `make simulate` runs thousands."""

from __future__ import annotations

import pytest

from forest_crawler.crawl import host_patience
from forest_crawler.store import Store
from tests.simulation.__main__ import run_seed, run_seeds, simulating
from tests.simulation.invariants import ViolationError

SEEDS = range(30)


def test_crawls_through_outages_and_kills_end_and_archive_each_article_once() -> None:
    run_seeds(SEEDS, processes=1)


def test_seed_replays_the_same_events() -> None:
    with simulating() as (store, directory, clock):
        first, second = (run_seed(3, store, directory, clock, 1).trace for _ in range(2))
    assert first == second
    assert len(first) > 5


def find_violation(seeds: range, processes: int = 1) -> str:
    with pytest.raises(ViolationError) as found:
        run_seeds(seeds, processes)
    assert "python -m tests.simulation --seed" in found.value.__notes__[-1]
    return str(found.value)


def test_run_that_would_not_end_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_patience, "MAX_PAUSES", 1e9)
    monkeypatch.setattr(host_patience, "MAX_HOST_WAIT", 1e9)
    assert "promised" in find_violation(range(2, 40))  # the first that finds it, and some more


def test_garbage_in_the_archive_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "put_back", lambda store, key, reason: False)
    assert "garbage archived" in find_violation(range(10, 40))
