"""Stores of older versions are upgraded with their content; unknown ones are refused."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, text

from forest_crawler.errors import StoreError
from forest_crawler.store import open_store
from forest_crawler.store.database import Database
from forest_crawler.store.upgrades import UPGRADES, VERSION, Upgrade, prepare
from tests.support.store_builders import archive_held, change_file, fetch, schedule


@pytest.mark.parametrize("version", [0, VERSION + 1, 99])
def test_another_version_is_refused_and_untouched(file: Path, version: int) -> None:
    change_file(file, "UPDATE store_version SET version = ?", version)
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
            "ALTER TABLE sources DROP COLUMN hub",
            "ALTER TABLE sources DROP COLUMN topic",
            "ALTER TABLE frontier DROP COLUMN doubts",
            "ALTER TABLE frontier DROP COLUMN closes",
            "DROP TABLE sites",
            "DROP TABLE pauses",
            "DROP INDEX frontier_by_run",
            "DROP TABLE settled",
            "ALTER TABLE runs DROP COLUMN machine",
            "ALTER TABLE runs DROP COLUMN pid",
            "ALTER TABLE runs DROP COLUMN expires",
            "ALTER TABLE pages DROP COLUMN body_at",
            "ALTER TABLE store_version DROP COLUMN store_id",
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
