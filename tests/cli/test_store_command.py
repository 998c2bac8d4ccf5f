"""`forest store`: status, migrate and vacuum."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from forest_crawler.cli import main
from forest_crawler.store import open_store
from forest_crawler.store.upgrades import VERSION
from tests.support.store_builders import schedule

DUMP = Path(__file__).parents[1] / "data" / "store_version_9.sql"


def run(*arguments: str) -> int | str | None:
    with pytest.raises(SystemExit) as ended:
        main(["store", *arguments])
    return ended.value.code


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/forest.db"
    with open_store(url) as store:
        schedule(store, "ab")
    return url


def test_status_shows_who_works_and_what_waits(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_store(url) as store:
        store.begin_run()
        store.record_export("articles.jsonl", 0, 0, 0)
        assert run("status", "--store", url) == 0
    shown = capsys.readouterr().out
    assert "0 sites, alone" in shown
    assert "0 leased, 1 waiting" in shown
    assert "not yet written: articles.jsonl: 0 articles" in shown
    assert "frontier:        2 rows" in shown


def test_status_is_also_json(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("status", "--json", "--store", url) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["runs"] == []
    assert found["tables"]["frontier"] == {"rows": 2, "bytes": None}


def test_migrate_upgrades_an_older_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DUMP.read_text())
    assert run("migrate", "--store", f"sqlite:///{path}") == 0
    assert capsys.readouterr().out.endswith("old.db: up to date\n")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT version FROM store_version").fetchone() == (VERSION,)


def test_vacuum_says_what_it_deleted(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with open_store(url) as store:
        store.fail("gazette.example/a", "http-404")
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        connection.execute("UPDATE frontier SET scheduled = scheduled - 2 * 86400")
        connection.commit()
    assert run("vacuum", "--store", url, "--days", "1") == 0
    shown = capsys.readouterr().out
    assert "deleted: 1 page, 0 sites, 0 runs, 0 files of bodies" in shown
    assert "forgotten: the feed entries of 0 archived pages" in shown


def test_vacuum_of_a_store_in_use_is_refused(url: str) -> None:
    with open_store(url):
        assert run("vacuum", "--store", url) == 4


def test_no_store_is_made_by_mistake(tmp_path: Path) -> None:
    assert run("migrate", "--store", f"sqlite:///{tmp_path}/none.db") == 2
    assert list(tmp_path.iterdir()) == []
