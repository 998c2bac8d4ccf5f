"""The file of articles: whatever damages its end, every line is there once."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from forest_crawler.errors import StoreError
from forest_crawler.store import ArchiveFile, Store, open_store
from tests.support.store_builders import archive_held, article, fetch, schedule

SITE = "gazette.example"
LINES = [f'{{"key": "{SITE}/{name}"}}\n'.encode() for name in "abcd"]
WHOLE = b"".join(LINES)
LINE_E = f'{{"key": "{SITE}/e"}}\n'.encode()
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
    add_article(store, "e")
    with ArchiveFile(store, path) as file:
        assert (file.repair, file.export()) == (None, 1)
    assert path.read_bytes() == WHOLE + LINE_E


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


@pytest.mark.parametrize("recorded", [0, 2])
def test_lines_that_a_killed_run_appended_are_cut_off(
    store: Store, path: Path, recorded: int
) -> None:
    start = sum(map(len, LINES[:recorded]))
    for length in (start + 7, start + len(LINES[2]), start + len(LINES[2]) + 7):
        rewind(store, path, recorded)
        path.write_bytes(WHOLE[:length] + b"\0" * 3)
        cut = length + 3 - start
        assert reopen(store, path) == f"{cut} bytes of unrecorded lines cut off"
    assert list(path.parent.glob("articles.jsonl.*")) == []


def test_appended_zeros_are_cut_off(store: Store, path: Path) -> None:
    path.write_bytes(WHOLE + b"\0" * 9)
    assert reopen(store, path) == "9 bytes of unrecorded lines cut off"


@pytest.mark.parametrize(
    "notes", [b"my own notes\n", LINES[0], b"no line break"], ids=["notes", "copied", "torn"]
)
def test_lines_that_somebody_appended_are_kept_beside_the_file(
    store: Store, path: Path, notes: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_bytes(WHOLE + notes)
    assert "kept in articles.jsonl.added-1" in (reopen(store, path) or "")
    assert path.with_name("articles.jsonl.added-1").read_bytes() == notes
    path.write_bytes(WHOLE + notes)
    assert "kept in articles.jsonl.added-2" in (reopen(store, path) or "")
    assert [r.levelname for r in caplog.records] == ["ERROR", "ERROR"]  # shown without -v


def test_lines_appended_while_the_file_is_open_are_kept_beside_it(store: Store, path: Path) -> None:
    with ArchiveFile(store, path) as file:
        with path.open("ab") as other:
            other.write(b"my own notes\n")
        add_article(store, "e")
        assert file.export() == 1
    assert path.read_bytes() == WHOLE + LINE_E
    assert path.with_name("articles.jsonl.added-1").read_bytes() == b"my own notes\n"


def test_checksum_is_of_what_was_written_not_of_what_lies_there(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sync_and_scribble(descriptor: int) -> None:
        os.pwrite(os.open(path, os.O_WRONLY), b"XXXX", 2)  # between our writing and our recording

    add_article(store, "e")
    with ArchiveFile(store, path) as file, monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", sync_and_scribble)
        assert file.export() == 1
    scribbled = path.read_bytes()
    with ArchiveFile(store, path) as file:
        file.export()
    assert path.read_bytes() == WHOLE + LINE_E
    assert path.with_name("articles.jsonl.changed-1").read_bytes() == scribbled


def test_file_that_was_moved_away_while_it_is_open_is_written_again(
    store: Store, path: Path
) -> None:
    with ArchiveFile(store, path) as file:
        path.rename(path.with_name("moved.jsonl"))
        add_article(store, "e")
        assert file.export() == 5
    assert path.read_bytes() == WHOLE + LINE_E
    assert path.with_name("moved.jsonl").read_bytes() == WHOLE


@pytest.mark.parametrize("link", [False, True], ids=["same-name", "link"])
def test_a_file_is_refused_while_another_store_writes_to_it(
    store: Store, path: Path, tmp_path: Path, link: bool
) -> None:
    other_name = tmp_path / "link.jsonl" if link else path
    if link:
        other_name.symlink_to(path)
    with (
        open_store(f"sqlite:///{tmp_path}/other.db") as other,
        ArchiveFile(store, path),
        pytest.raises(StoreError, match=r"\.jsonl: in use by another crawl; wait .* -o"),
    ):
        ArchiveFile(other, other_name)
    assert path.read_bytes() == WHOLE


def test_a_file_that_another_store_has_filled_meanwhile_is_refused_and_untouched(
    store: Store, tmp_path: Path
) -> None:
    shared = tmp_path / "shared.jsonl"
    ArchiveFile(store, shared).close()  # of a run without an article
    shared.write_bytes(b'{"of": "another store"}\n')
    with pytest.raises(StoreError, match=r"shared\.jsonl: has 24 bytes that are not from"):
        ArchiveFile(store, shared)
    assert shared.read_bytes() == b'{"of": "another store"}\n'


def test_a_device_is_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "full.jsonl").symlink_to("/dev/full")
    with pytest.raises(StoreError, match=r"full\.jsonl: isn't a regular file"):
        ArchiveFile(store, tmp_path / "full.jsonl")


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


def add_article(store: Store, name: str) -> None:
    schedule(store, name)
    store.archive([article(f"{SITE}/{name}")])


def rewind(store: Store, path: Path, lines: int) -> None:
    """Record an earlier state, as if the later lines had been appended by a run that was killed."""
    seq = store.lines_after(0, lines)[-1][0] if lines else 0
    data = b"".join(LINES[:lines])
    store.record_export(store.file_name(path), seq, len(data), zlib.crc32(data))
