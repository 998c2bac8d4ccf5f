"""Stores that cannot be opened or written are named, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from forest_crawler.errors import InputError, StoreError
from forest_crawler.store import Store, open_store, read_store
from tests.support.store_builders import candidate, change_file, schedule


def test_committed_pages_are_there_after_reopening(store_url: str) -> None:
    with open_store(store_url) as store:
        schedule(store, "ab")
    with open_store(store_url) as store:
        assert store.account()["scheduled"] == 2


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
    change_file(path, "CREATE TABLE photos (id INTEGER)")
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
    change_file(file, statement)
    for open_it in (open_store, read_store):
        with pytest.raises(StoreError, match=rf"store\.db: lacks the column {column}, so another"):
            open_it(f"sqlite:///{file}")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite:////nowhere/at/all/s.db", "s.db: cannot be locked: No such file"),
        ("sqlite:////dev/null/s.db", "s.db: cannot be locked: Not a directory"),
        (
            "postgresql://forest:secret@127.0.0.1:1/x",
            r"forest:\*\*\*@127.0.0.1:1/x: .*refused Is the server",
        ),
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
