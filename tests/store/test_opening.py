"""Stores that cannot be opened or written are named, and nothing is lost."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, text

from forest_crawler.errors import InputError, LostConnectionError, StoreError
from forest_crawler.store import ArchiveFile, Store, open_store, read_store
from forest_crawler.store.database import Database
from forest_crawler.store.schema import UPGRADES, VERSION, Upgrade, prepare
from tests.support.store_builders import archive_held, candidate, fetch, schedule
from tests.support.store_workload import (
    archive_many,
    export_until_full,
    fill_until_full,
    open_briefly,
    open_without_descriptors,
    run_apart,
)
from tests.support.waiting import HANG


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Create a store with two pages."""
    path = tmp_path / "store.db"
    with open_store(f"sqlite:///{path}") as store:
        schedule(store, "ab")
    return path


def change(file: Path, statement: str, *values: int) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(statement, values)
        connection.commit()


def test_committed_pages_are_there_after_reopening(store_url: str) -> None:
    with open_store(store_url) as store:
        schedule(store, "ab")
    with open_store(store_url) as store:
        assert store.account()["scheduled"] == 2


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


@pytest.mark.parametrize("replaced", [False, True], ids=["removed", "replaced"])
def test_a_store_that_is_removed_while_it_is_open_is_named_and_not_made_again(
    file: Path, replaced: bool
) -> None:
    with open_store(f"sqlite:///{file}") as store:
        store.begin_run()
        for path in file.parent.glob("store.db*"):
            path.unlink()
        if replaced:
            file.write_bytes(b"")
        with pytest.raises(StoreError, match=r"store\.db: was removed or replaced during this run"):
            schedule(store, "c")
    left = sorted(path.name for path in file.parent.iterdir())
    assert left == (["store.db"] if replaced else [])
    assert not replaced or file.stat().st_size == 0


DISCONNECT = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"


def disconnect(url: str) -> None:
    """End the connection of the store at a server, as its restart does."""
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text(DISCONNECT))
    engine.dispose()


def test_a_lost_connection_is_replaced_by_one_with_the_lock(postgres_schema: str) -> None:
    with open_store(postgres_schema) as store:
        run = store.begin_run()
        schedule(store, "ab")
        store.lease(1)
        disconnect(postgres_schema)
        with pytest.raises(LostConnectionError):
            store.account()
        store.reconnect()
        assert (store._run, store.account()["scheduled"]) == (run, 2)
        assert store.state("gazette.example/a") == ("claimed", None)
        assert run_apart(open_briefly, postgres_schema) == 4


def test_a_run_does_not_go_on_if_another_began_while_the_connection_was_lost(
    postgres_schema: str,
) -> None:
    with open_store(postgres_schema) as store:
        store.begin_run()
        disconnect(postgres_schema)
        with open_store(postgres_schema) as other:
            other.begin_run()
        for _ in range(2):
            with pytest.raises(StoreError, match="another run began"):
                store.reconnect()
        with pytest.raises(LostConnectionError):
            store.account()


def test_both_ends_of_a_connection_notice_within_a_minute_that_the_other_has_vanished(
    postgres_schema: str,
) -> None:
    with open_store(postgres_schema) as store, store._database.reading() as connection:
        settings = ("idle", "interval", "count")
        found = [connection.scalar(text(f"SHOW tcp_keepalives_{name}")) for name in settings]
        driver = connection.connection.driver_connection
        assert driver is not None
        ours = driver.info.get_parameters()
    assert found == ["30", "10", "3"]
    assert [ours[f"keepalives_{name}"] for name in settings] == found


def test_a_lost_connection_is_not_replaced_by_one_without_the_lock(postgres_schema: str) -> None:
    with open_store(postgres_schema) as store:
        schedule(store, "ab")
        engine = create_engine(postgres_schema)
        disconnect = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
        with engine.begin() as connection:
            connection.execute(text(disconnect))
        engine.dispose()
        for _ in range(2):
            with pytest.raises(StoreError, match=r"terminat|connection"):
                store.account()
    with open_store(postgres_schema) as store:
        assert store.account()["scheduled"] == 2


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


@pytest.mark.parametrize("version", [0, VERSION + 1, 99])
def test_another_version_is_refused_and_untouched(file: Path, version: int) -> None:
    change(file, "UPDATE store_version SET version = ?", version)
    before = file.read_bytes()
    with pytest.raises(StoreError, match=rf"store\.db: is a store of version {version}"):
        open_store(f"sqlite:///{file}")
    assert file.read_bytes() == before


def add_column(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE sources ADD COLUMN colour TEXT"))


def fail(connection: Connection) -> None:
    raise RuntimeError("half-way")


def upgrade(url: str, *steps: Upgrade) -> None:
    with closing(Database(url)) as database, database.writing("schema") as connection:
        prepare(connection, [*UPGRADES, *steps])


def test_an_older_store_is_upgraded_once(store_url: str) -> None:
    with open_store(store_url) as store:
        store.add_source("https://a.example/")
    upgrade(store_url, add_column)
    with pytest.raises(StoreError, match=f"is a store of version {VERSION + 1}"):
        open_store(store_url)
    engine = create_engine(store_url)
    with engine.begin() as connection:
        prepare(connection, [*UPGRADES, add_column])
        row = connection.execute(text("SELECT url, colour FROM sources")).one()
    engine.dispose()
    assert tuple(row) == ("https://a.example/", None)


def test_a_store_of_the_first_version_is_upgraded_with_its_content(
    store_url: str,
) -> None:
    with open_store(store_url) as store:
        schedule(store, "ab")
    engine = create_engine(store_url)
    with engine.begin() as connection:  # remove what later versions added
        for statement in (
            "DROP TABLE sketches",
            "DROP TABLE sketch_bands",
            "DROP INDEX frontier_by_first",
            "ALTER TABLE frontier DROP COLUMN part_of",
            "DROP INDEX frontier_by_target",
            "ALTER TABLE frontier DROP COLUMN moved_to",
            "ALTER TABLE pages DROP COLUMN truncated",
            "ALTER TABLE sources DROP COLUMN last_poll",
            "ALTER TABLE sources DROP COLUMN entries",
            "ALTER TABLE sources DROP COLUMN new",
            "ALTER TABLE frontier DROP COLUMN doubts",
            "ALTER TABLE frontier DROP COLUMN closes",
            "DROP TABLE sites",
            "DROP TABLE pauses",
            "UPDATE store_version SET version = 1",
        ):
            connection.execute(text(statement))
    engine.dispose()
    with open_store(store_url) as store:
        fetch(store)
        assert archive_held(store) == 2


def test_an_upgrade_that_fails_leaves_the_store_as_it_was(store_url: str) -> None:
    open_store(store_url).close()
    with pytest.raises(RuntimeError, match="half-way"):
        upgrade(store_url, add_column, fail)
    upgrade(store_url, add_column)  # the column had been rolled back


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.write_bytes(b"These are my notes.\n" * 100), "not a database"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "malformed|damaged"),
        (lambda path: path.write_bytes(scramble(path.read_bytes())), "malformed|damaged"),
    ],
    ids=["notes", "cut", "scrambled"],
)
def test_a_broken_file_is_named_and_untouched(
    file: Path, spoil: Callable[[Path], object], message: str
) -> None:
    spoil(file)
    before = file.read_bytes()
    with pytest.raises(StoreError, match=rf"store\.db: .*({message})"):
        open_store(f"sqlite:///{file}")
    assert file.read_bytes() == before


def scramble(content: bytes) -> bytes:
    """Turn all pages to noise except the first, which holds the schema."""
    return content[:4096] + bytes(byte ^ 0x5A for byte in content[4096:])


def test_a_database_of_another_program_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "photos.db"
    change(path, "CREATE TABLE photos (id INTEGER)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"photos\.db: holds other tables \(photos\)"):
        open_store(f"sqlite:///{path}")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "column"),
    [
        ("ALTER TABLE frontier RENAME COLUMN state TO condition", "frontier.state"),
        ("ALTER TABLE articles RENAME COLUMN line TO text", "articles.line"),
        ("DROP TABLE exports", "exports.file"),
    ],
)
def test_store_without_one_of_its_columns_is_refused_by_name(
    file: Path, statement: str, column: str
) -> None:
    change(file, statement)
    for open_it in (open_store, read_store):
        with pytest.raises(StoreError, match=rf"store\.db: lacks the column {column}, so another"):
            open_it(f"sqlite:///{file}")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite:////nowhere/at/all/s.db", "s.db: cannot be locked: No such file"),
        ("sqlite:////dev/null/s.db", "s.db: cannot be locked: Not a directory"),
        ("postgresql://forest:secret@127.0.0.1:1/x", r"forest:\*\*\*@127.0.0.1:1/x: .*refused"),
    ],
    ids=["no-directory", "not-a-directory", "no-server"],
)
def test_a_store_that_cannot_be_opened_is_named(url: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        open_store(url)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://localhost/x", "only sqlite:///FILE"),
        ("store.db", "store.db: isn't the URL of a store"),
        ("", "'': isn't the URL of a store"),
        ("postgresql://h:abc/d", "isn't the URL of a store"),
        ("sqlite:///s.db?timeout=soon", "timeout must be a number of seconds, not 'soon'"),
        ("sqlite:///s.db?timeout=nan", "timeout must be a number of seconds, not 'nan'"),
    ],
)
@pytest.mark.parametrize("open_it", [open_store, read_store])
def test_what_is_not_the_url_of_a_store_is_wrong_usage(
    open_it: Callable[[str], Store], url: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        open_it(url)


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


def test_a_failed_step_rolls_its_batch_back(store_url: str) -> None:
    with open_store(store_url) as store:
        with pytest.raises(StoreError, match="the whole batch is rolled back"):
            schedule_with_a_swallowed_error(store)
        assert store.account()["scheduled"] == 0
        schedule(store, "ab")
        assert store.account()["scheduled"] == 2


def schedule_with_a_swallowed_error(store: Store) -> None:
    with store.batch():
        schedule(store, "ab")
        with pytest.raises(StoreError, match=r"(?i)foreign key"):
            store.schedule([candidate("c", source=7)])  # an unknown source
