"""One process at a time uses a store, and waits for other programs are bounded."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine.interfaces import DBAPICursor

from forest_crawler.errors import StoreError
from forest_crawler.store import open_store
from forest_crawler.store.locks import WriteLock
from tests.support.store_builders import schedule
from tests.support.store_workload import open_briefly, run_apart
from tests.support.waiting import HANG


def test_a_second_process_is_refused_while_the_first_works(store_url: str) -> None:
    with open_store(store_url):
        assert run_apart(open_briefly, store_url) == 4
    assert run_apart(open_briefly, store_url) == 0


def test_the_same_process_is_refused_too_by_name(file: Path) -> None:
    with (
        open_store(f"sqlite:///{file}"),
        pytest.raises(StoreError, match=r"store\.db: in use by this process"),
    ):
        open_store(f"sqlite:///{file}")


def test_a_link_to_a_store_leads_to_the_same_lock(file: Path) -> None:
    link = file.with_name("link.db")
    link.symlink_to(file)
    with open_store(f"sqlite:///{file}"), pytest.raises(StoreError, match="in use"):
        open_store(f"sqlite:///{link}")


def test_the_store_waits_for_another_program_with_the_lock(file: Path) -> None:
    with (
        closing(sqlite3.connect(file, check_same_thread=False)) as other,
        open_store(f"sqlite:///{file}") as store,
    ):
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.3, other.rollback)
        timer.start()
        schedule(store, "c")
        timer.join()
        assert store.account()["scheduled"] == 3


def test_a_lock_that_is_not_released_is_reported_and_the_store_works_after_it(file: Path) -> None:
    with (
        closing(sqlite3.connect(file)) as other,
        open_store(f"sqlite:///{file}?timeout=0.1") as store,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"store\.db: database is locked"):
            schedule(store, "c")
        assert store.account()["scheduled"] == 2  # the lock does not block readers
        other.rollback()
        schedule(store, "c")
        assert store.account()["scheduled"] == 3


def test_limit_waits_cuts_a_wait_for_the_lock_short(file: Path) -> None:
    with (
        closing(sqlite3.connect(file)) as other,
        open_store(f"sqlite:///{file}?timeout={HANG}") as store,
    ):
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        timer = threading.Timer(0.3, store.limit_waits, [0.1])
        timer.start()
        for _ in range(2):  # the next call does not wait either
            with pytest.raises(StoreError, match=r"store\.db: database is locked"):
                schedule(store, "c")
        assert 0.3 < time.monotonic() - began < HANG
        timer.join()
        other.rollback()
        schedule(store, "c")
        assert store.account()["scheduled"] == 3


def test_limit_waits_cuts_a_wait_for_locked_rows_on_a_server_short(
    postgres_schema: str,
) -> None:
    engine = create_engine(postgres_schema)
    patient = postgres_schema.replace("options=", f"options=-clock_timeout%3D{HANG:g}s%20")
    with open_store(patient) as store:
        schedule(store, "ab")
        store.begin_run()
        with engine.connect() as other:
            other.execute(text("SELECT id FROM frontier FOR UPDATE"))
            began = time.monotonic()
            timer = threading.Timer(0.3, store.limit_waits, [0.1])
            timer.start()
            for _ in range(2):  # the next call does not wait either
                with pytest.raises(StoreError, match=r"canceling .*; another program uses"):
                    store.lease(2)
            assert 0.3 < time.monotonic() - began < HANG
            timer.join()
        assert len(store.lease(2)) == 2
    engine.dispose()


@pytest.mark.parametrize("is_held", [True, False], ids=["in-vain", "in-time"])
def test_wait_for_the_write_lock_leaves_no_row_to_read(tmp_path: Path, is_held: bool) -> None:
    # A cursor with such a row resets the error of a later wait when it is freed.
    path = tmp_path / "forest.db"
    with closing(connect(path)) as other, closing(connect(path)) as connection:
        if is_held:
            other.execute("BEGIN IMMEDIATE")
        cursor = connection.cursor()
        with pytest.raises(sqlite3.OperationalError, match="locked") if is_held else nullcontext():
            WriteLock(0.01).begin(cast(DBAPICursor, cursor))
        assert cursor.fetchall() == []


def connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


class RecoveringCursor:
    """A cursor of a database whose journal another process recovers for a while."""

    def __init__(self, failures: int) -> None:
        self.failures = failures

    def execute(self, statement: str) -> None:
        if statement == "BEGIN IMMEDIATE" and self.failures:
            self.failures -= 1
            err = sqlite3.OperationalError("database is locked")
            err.sqlite_errorcode = sqlite3.SQLITE_BUSY_RECOVERY
            raise err

    def fetchall(self) -> list[Any]:
        return []


def test_recovery_of_the_journal_is_waited_for() -> None:
    cursor = RecoveringCursor(failures=2)
    WriteLock(30.0).begin(cast(DBAPICursor, cursor))
    assert cursor.failures == 0
