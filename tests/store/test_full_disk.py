"""A full disk or too few file descriptors are reported, and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_crawler.store import ArchiveFile, open_store
from tests.support.store_workload import (
    archive_many,
    export_until_full,
    fill_until_full,
    open_without_descriptors,
    run_apart,
)


@pytest.mark.parametrize("limit", [300_000, 900_000])
def test_a_full_disk_stops_with_an_error_and_loses_nothing(tmp_path: Path, limit: int) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    assert run_apart(fill_until_full, url, tmp_path, limit) == 4
    promised = int((tmp_path / "promised").read_text())
    assert promised > 1
    with open_store(url) as store, ArchiveFile(store, tmp_path / "articles.jsonl") as file:
        file.export()
        archived = store.account()["archived"]
    assert archived in (promised, promised + 1)  # the last may have been committed but not reported
    lines = (tmp_path / "articles.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"][-5:] for line in lines] == [f"{i:05}" for i in range(archived)]


@pytest.mark.parametrize(
    ("archive", "named"),
    [(False, "articles.jsonl: cannot be written"), (True, "s.db: disk I/O error")],
    ids=["file", "store"],
)
def test_a_full_disk_during_an_export_is_reported_and_the_next_export_completes(
    tmp_path: Path, archive: bool, named: str
) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    if not archive:
        with open_store(url) as store:
            archive_many(store)
    assert run_apart(export_until_full, url, tmp_path, 50_000, archive) == 4
    assert named in (tmp_path / "error").read_text()
    lines = (tmp_path / "articles.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"][-5:] for line in lines] == [f"{i:05}" for i in range(4000)]


def test_running_out_of_file_descriptors_is_reported(tmp_path: Path) -> None:
    assert run_apart(open_without_descriptors, f"sqlite:///{tmp_path}/s.db") == 4
