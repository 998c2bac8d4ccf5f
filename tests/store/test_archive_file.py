"""The file of articles: whatever damages its end, every line is there once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from forest_crawler.errors import StoreError
from forest_crawler.store import ArchiveFile, Store, open_store
from tests.support.store_builders import archive_held, article, fetch, schedule

SITE = "gazette.example"
LINES = [f'{{"key": "{SITE}/{name}"}}\n'.encode() for name in "abcd"]
WHOLE = b"".join(LINES)
LAST_TWO = len(LINES[0]) + len(LINES[1])


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with open_store(store_url) as opened:
        opened.begin_run()
        yield opened


@pytest.fixture
def path(tmp_path: Path, store: Store) -> Path:
    """Write a file with four recorded lines."""
    found = tmp_path / "articles.jsonl"
    schedule(store, "abcd")
    fetch(store)
    archive_held(store)
    with ArchiveFile(store, found) as file:
        assert file.export() == 4
    assert found.read_bytes() == WHOLE
    return found


def reopen(store: Store, path: Path) -> str | None:
    with ArchiveFile(store, path) as file:
        file.export()
        assert path.read_bytes() == WHOLE
        assert file.export() == 0
    with ArchiveFile(store, path) as again:
        assert again.repair is None
    return file.repair


def test_a_whole_file_is_left_alone(store: Store, path: Path) -> None:
    assert reopen(store, path) is None


def test_later_articles_are_appended(store: Store, path: Path) -> None:
    schedule(store, "e")
    store.archive([article(f"{SITE}/e")])
    with ArchiveFile(store, path) as file:
        assert (file.repair, file.export()) == (None, 1)
    assert path.read_bytes() == WHOLE + f'{{"key": "{SITE}/e"}}\n'.encode()


def test_a_file_cut_at_any_byte_of_its_last_two_lines_is_completed(
    store: Store, path: Path
) -> None:
    for length in range(LAST_TWO, len(WHOLE)):
        os.truncate(path, length)
        assert "cut back" in (reopen(store, path) or "")


def test_an_end_of_zeros_is_replaced(store: Store, path: Path) -> None:
    for length in range(LAST_TWO, len(WHOLE)):
        path.write_bytes(WHOLE[:length].ljust(len(WHOLE), b"\0"))
        assert "cut back" in (reopen(store, path) or "")


def test_unrecorded_bytes_are_cut_off(store: Store, path: Path) -> None:
    for extra in (LINES[0], LINES[0][:7], b"\0" * 9):
        path.write_bytes(WHOLE + extra)
        assert reopen(store, path) == f"{len(extra)} bytes of unrecorded lines cut off"


@pytest.mark.parametrize("content", [None, b""], ids=["deleted", "emptied"])
def test_a_lost_file_is_written_again(store: Store, path: Path, content: bytes | None) -> None:
    path.unlink() if content is None else path.write_bytes(content)
    assert "cut back" in (reopen(store, path) or "")


def test_a_file_changed_by_another_program_is_kept_beside_the_new_one(
    store: Store, path: Path
) -> None:
    changed = WHOLE.replace(b"c", b"C", 1) + b"my own notes\n"
    path.write_bytes(changed)
    assert "kept as articles.jsonl.changed-1" in (reopen(store, path) or "")
    assert path.with_name("articles.jsonl.changed-1").read_bytes() == changed


def test_a_file_not_from_this_store_is_refused_and_untouched(store: Store, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"{}\n")
    with pytest.raises(StoreError, match=r"other\.jsonl: has 3 bytes"):
        ArchiveFile(store, other)
    assert other.read_bytes() == b"{}\n"


def test_a_missing_directory_is_reported_with_the_file(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"missing/a\.jsonl: cannot be written: No such file"):
        ArchiveFile(store, tmp_path / "missing" / "a.jsonl")


def test_each_of_two_files_gets_all_articles(store: Store, path: Path) -> None:
    with ArchiveFile(store, path.with_name("second.jsonl")) as file:
        assert file.export() == 4


def test_store_and_file_can_be_moved_together(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    with open_store(f"sqlite:///{tmp_path}/here/s.db") as store:
        schedule(store, "abcd")
        archive_articles(store)
        with ArchiveFile(store, tmp_path / "here" / "a.jsonl") as file:
            file.export()
    (tmp_path / "here").rename(tmp_path / "there")
    with open_store(f"sqlite:///{tmp_path}/there/s.db") as store:
        assert reopen(store, tmp_path / "there" / "a.jsonl") is None


def archive_articles(store: Store) -> None:
    store.archive([article(f"{SITE}/{name}") for name in "abcd"])
