"""Connections and workers stay below the number of files that may be open."""

from __future__ import annotations

import os
import resource

import pytest

from forest_crawler.crawl.descriptors import count_idle, count_needed, reserve_descriptors
from forest_crawler.errors import FatalError


def limit_files(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (number, number))


def test_workers_beyond_the_first_few_count(monkeypatch: pytest.MonkeyPatch) -> None:
    # 2 * 10 requests, 64 others, and 2 * (40 - 8) for workers.
    assert count_needed(10, workers=40) == 20 + 64 + 64
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(40)))
    assert count_needed(10, workers=0) == 20 + 64 + 64


def test_http_and_https_share_the_spare_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    limit_files(monkeypatch, 100)  # 84 are needed, 16 are left
    assert count_idle(10, workers=1) == 8
    limit_files(monkeypatch, 80)
    assert count_idle(10, workers=1) == 0


def test_idle_connections_are_few_however_many_files_may_be_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit_files(monkeypatch, 1_000_000)
    assert count_idle(10, workers=1) == 20


@pytest.mark.parametrize(
    ("files", "advice"),
    [
        (83, "(ulimit -n 84), or set CONCURRENT_REQUESTS to 9 at most"),  # 2 * 9 + 64 = 82
        (66, "(ulimit -n 84), or set CONCURRENT_REQUESTS to 1 at most"),
        (65, "(ulimit -n 84)"),
    ],
)
def test_advice_names_the_number_of_requests_that_fits(
    monkeypatch: pytest.MonkeyPatch, files: int, advice: str
) -> None:
    limit_files(monkeypatch, files)
    with pytest.raises(FatalError) as caught:
        reserve_descriptors(10, workers=1)
    assert str(caught.value).endswith(advice)


@pytest.mark.parametrize(("hard", "raised"), [(1000, 168), (100, 100)])
def test_limit_is_raised_with_room_for_idle_connections(
    monkeypatch: pytest.MonkeyPatch, hard: int, raised: int
) -> None:
    limits: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (50, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limit: limits.append(limit))
    reserve_descriptors(10, workers=1)  # 84 are needed
    assert limits == [(raised, hard)]
