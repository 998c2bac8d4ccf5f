"""The soak notices growth, missing articles and wrong accounts, and its clock is fast."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import pytest

from benchmarks import fast_clock
from benchmarks.fast_clock import FastClock, FastLoop
from benchmarks.soak_day import FIRST_PAGES, GONE, HOUR, MAX_PAGES, make_day
from benchmarks.soak_growth import (
    Sample,
    count_descriptors,
    descendants,
    find_growth,
    process_memory,
)
from benchmarks.watch_soak import count_texts, find_faults
from tests.support.fault_sites import article_of

SITES = [f"127.40.9.{n}" for n in range(1, 101)]


def samples(memory: list[float], descriptors: list[int], wal: float = 4.0) -> list[Sample]:
    """Make a sample per hour."""
    rows = zip(memory, descriptors, strict=True)
    return [
        Sample(hours, 0, 0, each, 0.0, number, 0.0, wal)
        for hours, (each, number) in enumerate(rows)
    ]


@pytest.mark.parametrize(
    ("memory", "descriptors", "wal", "found"),
    [
        pytest.param([9, 80, 99, 100, 101, 100, 102], [3] * 7, 4, [], id="bounded"),
        # After 3/8 of six hours: 100, 106, 112, 118 are 6 per hour.
        pytest.param(
            [9, 80, 99, 100, 106, 112, 118], [3] * 7, 4, ["the crawl's memory: +6.0"], id="memory"
        ),
        pytest.param([50] * 7, [3, 3, 3, 10, 15, 20, 25], 4, ["descriptors: +5.0"], id="files"),
        pytest.param([50, 50, 50, 50, 900, 50, 50], [3, 3, 3, 3, 99, 3, 3], 4, [], id="peak"),
        pytest.param([50] * 7, [3] * 7, 65, ["the store's log reached 65 MB"], id="log"),
    ],
)
def test_growth_after_the_warm_up_is_found(
    memory: list[float], descriptors: list[int], wal: float, found: list[str]
) -> None:
    lines = find_growth(samples(memory, descriptors, wal))
    assert [line[: len(start)] for line, start in zip(lines, found, strict=True)] == found


ACCOUNT = {"scheduled": 4, "archived": 2, "skipped": {"teaser": 1}, "failed": {}, "pending": 1}


@pytest.mark.parametrize(
    ("found", "garbage", "changes", "words"),
    [
        pytest.param({("a", 1): 1, ("a", 2): 1}, 0, {}, [], id="right"),
        pytest.param(
            {("a", 1): 2}, 0, {}, ["1 articles are missing", "1 articles are there twice"]
        ),
        pytest.param({("a", 1): 1, ("a", 2): 1}, 1, {}, ["1 articles have none"], id="garbage"),
        pytest.param(
            {("a", 1): 1, ("a", 2): 1}, 0, {"pending": 0}, ["the account does not add up"]
        ),
        pytest.param(
            {("a", 1): 1, ("a", 2): 1, ("b", 9): 1},
            0,
            {},
            ["1 articles were never published", "2 articles in the store, 3 in the file"],
        ),
    ],
)
def test_fault_of_the_archive_is_found(
    found: dict[tuple[str, int], int], garbage: int, changes: dict[str, Any], words: list[str]
) -> None:
    wanted = {("a", 1), ("a", 2)}
    lines = find_faults(Counter(found), wanted, garbage, ACCOUNT | changes)
    assert [line[: len(start)] for line, start in zip(lines, words, strict=True)] == words


def test_articles_without_their_paragraphs_are_counted() -> None:
    paragraphs = article_of("127.40.0.1", 7).paragraphs
    texts = ["\n".join(paragraphs), paragraphs[0], "We will be back soon"]
    row = {"site": "127.40.0.1", "url": "http://127.40.0.1:80/article/7"}
    assert count_texts([row | {"text": text} for text in texts]) == (1, 1)


def test_day_publishes_in_order_and_ends_every_outage() -> None:
    day = make_day(SITES, 8.0, seed=3)
    assert day == make_day(SITES, 8.0, seed=3) != make_day(SITES, 8.0, seed=4)
    assert [it.at for it in day.changes] == sorted(it.at for it in day.changes)
    assert max(it.at for it in day.changes) <= 7 * HOUR
    fields: dict[str, dict[str, Any]] = {site: {} for site in SITES}
    for change in day.changes:
        known = fields[change.site].get("pages", FIRST_PAGES)
        assert change.fields.get("pages", known) - known in (0, 1)
        fields[change.site] |= change.fields
    for site, last in fields.items():
        assert FIRST_PAGES <= last["pages"] <= MAX_PAGES
        gone = {GONE} if last["routes"] else set()
        assert set(last["routes"]) == {f"/article/{n}" for n in gone}
        numbers = {number for name, number in day.wanted if name == site}
        assert numbers == set(range(1, last["pages"] + 1)) - gone
    assert 20 <= sum(bool(it.fields.get("routes")) and it.at > 0 for it in day.changes) <= 60
    assert any("flip_at" in last for last in fields.values())


def test_an_hour_of_the_fast_loop_takes_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FastClock(speed=36_000, start=1000, began=time.monotonic())
    began = time.monotonic()
    monkeypatch.setattr(fast_clock, "_installed", clock)
    monkeypatch.setattr(time, "monotonic", clock.monotonic)
    loop = FastLoop()
    try:
        loop.run_until_complete(asyncio.sleep(HOUR))
    finally:
        loop.close()
    monkeypatch.undo()
    assert 0.1 <= time.monotonic() - began < 5
    assert clock.time() >= 1000 + HOUR


def test_processes_below_one_are_measured() -> None:
    command = [sys.executable, "-c", "print(1, flush=True); input()"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"1\n"  # it has loaded Python, some megabytes
        assert child.pid in descendants(os.getpid())
        assert 1 < process_memory(child.pid) < 1000
        assert count_descriptors(child.pid) >= 3
        child.communicate(b"\n")
    assert (process_memory(child.pid), count_descriptors(child.pid)) == (0.0, 0)
