"""Kill a crawl at every crash point; the next run ends like an undisturbed one."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from forest_crawler.store import open_store
from forest_crawler.store.crash_points import CRASH_POINTS
from tests.support.store_workload import ACCOUNT, ARCHIVED, CONCURRENCY, crawl, run_apart

KILLED = -signal.SIGKILL


def assert_complete(url: str, directory: Path) -> None:
    lines = (directory / "articles.jsonl").read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert sorted(json.loads(line)["key"] for line in lines) == ARCHIVED
    with open_store(url) as store:
        assert store.account() == ACCOUNT
    if url.startswith("sqlite:///"):
        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()


def test_an_undisturbed_run_archives_each_article_once(store_url: str, tmp_path: Path) -> None:
    assert run_apart(crawl, store_url, tmp_path) == 0
    assert_complete(store_url, tmp_path)
    fetched = Counter((tmp_path / "fetched").read_text().split())
    assert fetched == {f"{s}.example/{n}": 2 if n == 4 else 1 for s in "ab" for n in (1, 2, 3, 4)}


POINTS = [name for name in CRASH_POINTS if name != "repair-after-cut"]


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_any_point_loses_and_repeats_nothing(tmp_path: Path, point: str) -> None:
    kill_and_run_again(f"sqlite:///{tmp_path}/store.db", tmp_path, point)


@pytest.mark.parametrize(
    "point",
    ["schema-before-commit", "lease-after-commit", "archive-before-commit", "export-after-sync"],
)
def test_a_kill_of_a_crawl_on_a_server_loses_and_repeats_nothing(
    postgres_schema: str, tmp_path: Path, point: str
) -> None:
    kill_and_run_again(postgres_schema, tmp_path, point)


def kill_and_run_again(url: str, directory: Path, point: str) -> None:
    assert run_apart(crawl, url, directory, point) == KILLED
    assert run_apart(crawl, url, directory) == 0
    assert_complete(url, directory)
    fetched = (directory / "fetched").read_text().split()
    assert len(fetched) <= 10 + CONCURRENCY  # eight pages, two of them fetched twice


@pytest.mark.parametrize("point", ["lease", "hold", "archive", "record"])
def test_many_kills_in_a_row_lose_nothing(tmp_path: Path, point: str) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    kills = 0
    while run_apart(crawl, url, tmp_path, f"{point}-after-commit:2") == KILLED:
        kills += 1
    assert kills > 1
    assert_complete(url, tmp_path)
    fetched = (tmp_path / "fetched").read_text().split()
    assert len(fetched) <= 10 + kills * CONCURRENCY


def test_a_kill_during_the_repair_of_the_file_is_repaired_too(
    store_url: str, tmp_path: Path
) -> None:
    assert run_apart(crawl, store_url, tmp_path, "export-half-appended") == KILLED
    assert run_apart(crawl, store_url, tmp_path, "repair-after-cut") == KILLED
    assert run_apart(crawl, store_url, tmp_path) == 0
    assert_complete(store_url, tmp_path)


def test_another_run_after_completion_adds_nothing(store_url: str, tmp_path: Path) -> None:
    assert run_apart(crawl, store_url, tmp_path) == 0
    before = (tmp_path / "articles.jsonl").read_bytes()
    assert run_apart(crawl, store_url, tmp_path) == 0
    assert (tmp_path / "articles.jsonl").read_bytes() == before
    assert_complete(store_url, tmp_path)
