"""Parts: the same articles are the same part, and the manifest lists what is complete."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import fsspec
import pyarrow.parquet as pq
import pytest

from forest_crawler.errors import InputError, MissingPackageError, StoreError, UnknownNameError
from forest_crawler.export.folders import Folder, LocalFolder, open_folder
from forest_crawler.export.manifest import (
    ManifestEntry,
    check_parts,
    list_parts,
    read_entry,
    write_entry,
)
from forest_crawler.export.outbox_parts import ENTRY_PARTS, OutboxParts
from forest_crawler.export.parts import PartForm, PartWriter, ending_of, is_parts, write_part
from tests.support.object_store import s3_server

LINES = [json.dumps({"id": f"a{n}", "title": f"Title {n}", "text": "Grüße"}) for n in range(7)]
JSONL = PartForm("jsonl")


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch, s3_server(patch) as address:
        yield address


@pytest.fixture(params=["local", "memory", "s3"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    """A new folder: of this machine, in memory by fsspec, or of an object store."""
    if request.param == "local":
        return open_folder(str(tmp_path / "articles"))
    if request.param == "memory":
        fsspec.filesystem("memory").store.clear()
        return open_folder("memory://articles/day")
    bucket: str = request.getfixturevalue("bucket")
    return open_folder(f"{bucket}/{tmp_path.name}")


# Folders


def test_folder_gives_back_what_was_written_under_sorted_names(folder: Folder) -> None:
    assert folder.names() == []
    assert folder.read("b/two.jsonl") is None
    folder.write("b/two.jsonl", b"2")
    folder.write("a.jsonl", b"0")
    folder.write("a.jsonl", b"1")
    assert folder.names() == ["a.jsonl", "b/two.jsonl"]
    assert folder.names("b") == ["b/two.jsonl"]
    assert folder.read("a.jsonl") == b"1"
    folder.remove("a.jsonl")
    folder.remove("a.jsonl")
    assert folder.names() == ["b/two.jsonl"]


def test_a_scheme_that_nobody_knows_is_named() -> None:
    with pytest.raises(InputError, match="nosuch"):
        open_folder("nosuch://bucket/articles")


def test_without_fsspec_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(MissingPackageError, match=r"forest-crawler\[s3\]"):
        open_folder("s3://news/articles")


def test_a_bucket_that_does_not_exist_is_a_clear_error(bucket: str) -> None:
    with pytest.raises(StoreError, match=r"s3://missing/x/a\.jsonl: cannot be written"):
        open_folder("s3://missing/x").write("a.jsonl", b"")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "articles.jsonl").touch()
    with pytest.raises(InputError, match="is a file"):
        open_folder(str(tmp_path / "articles.jsonl"))


def test_an_address_of_this_machine_needs_no_package(tmp_path: Path) -> None:
    opened = open_folder(f"file://{tmp_path}")
    assert isinstance(opened, LocalFolder)
    assert opened.address == str(tmp_path)


# Forms


@pytest.mark.parametrize(
    ("path", "are", "ending"),
    [
        ("s3://news/articles", True, "jsonl"),
        ("s3://news/articles.parquet", True, "parquet"),
        ("gs://news/articles.jsonl.gz/", True, "jsonl.gz"),
        ("articles.parquet/", True, "parquet"),
        ("articles.parquet", False, "parquet"),
        ("notes/", False, "jsonl"),
        ("articles.jsonl.zst/", True, "jsonl.zst"),
    ],
)
def test_the_name_chooses_parts_and_their_form(path: str, are: bool, ending: str) -> None:
    assert (is_parts(path), ending_of(path)) == (are, ending)


def test_directory_of_parts_is_known_without_a_slash(tmp_path: Path) -> None:
    (tmp_path / "articles.parquet").mkdir()
    (tmp_path / "notes").mkdir()
    assert is_parts(str(tmp_path / "articles.parquet"))
    assert not is_parts(str(tmp_path / "notes"))


def test_lines_are_written_as_they_are() -> None:
    assert JSONL.encode(LINES[:2]) == (LINES[0] + "\n" + LINES[1] + "\n").encode()


def test_compressed_and_table_forms_hold_the_same_articles() -> None:
    text = JSONL.encode(LINES)
    assert gzip.decompress(PartForm("jsonl.gz").encode(LINES)) == text
    table = pq.read_table(io.BytesIO(PartForm("parquet").encode(LINES)))
    assert table["title"].to_pylist() == [f"Title {n}" for n in range(7)]
    assert table["url"].to_pylist() == [None] * 7


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "jsonl.zst", "parquet"])
def test_the_same_articles_give_the_same_bytes(ending: str) -> None:
    form = PartForm(ending)  # type: ignore[arg-type]
    assert form.encode(LINES) == form.encode(list(LINES))


def test_fields_are_chosen_and_unknown_ones_refused() -> None:
    assert PartForm("jsonl", chosen=["title"]).encode(LINES[:1]) == b'{"title": "Title 0"}\n'
    with pytest.raises(UnknownNameError, match="colour"):
        PartForm("jsonl", chosen=["colour"])


# Parts


def test_articles_are_cut_into_parts_by_group(folder: Folder) -> None:
    writer = PartWriter(folder, "crawl-1", JSONL, max_rows=2)
    for number, line in enumerate(LINES[:5]):
        writer.add(line, "day=2026-03-06" if number != 1 else "day=2026-03-05")
    parts = writer.finish()
    assert [(part.name, part.rows) for part in parts] == [
        ("day=2026-03-05/crawl-1-0000.jsonl", 1),
        ("day=2026-03-06/crawl-1-0000.jsonl", 2),
        ("day=2026-03-06/crawl-1-0001.jsonl", 2),
    ]
    assert folder.read("day=2026-03-06/crawl-1-0001.jsonl") == JSONL.encode(LINES[3:5])


def test_a_part_that_is_written_twice_is_the_same_part(folder: Folder) -> None:
    form = PartForm("parquet")
    first = write_part(folder, "part", LINES, form)
    data = folder.read("part.parquet")
    assert write_part(folder, "part", LINES, form) == first
    assert folder.read("part.parquet") == data


# The manifest


def test_only_listed_parts_are_there(folder: Folder) -> None:
    listed = write_part(folder, "a", LINES[:2], JSONL)
    write_entry(folder, ManifestEntry("first", [listed], {"source": "a.warc.gz"}))
    write_part(folder, "b", LINES[2:], JSONL)
    assert list_parts(folder) == [listed]
    entry = read_entry(folder, "first")
    assert entry is not None
    assert entry.about == {"source": "a.warc.gz"}
    assert list(check_parts(folder)) == [("b.jsonl", "unlisted")]


def test_an_entry_written_again_removes_the_parts_that_it_no_longer_lists(folder: Folder) -> None:
    old, kept = (write_part(folder, name, LINES, JSONL) for name in ("old", "kept"))
    write_entry(folder, ManifestEntry("step", [old, kept]))
    write_entry(folder, ManifestEntry("step", [kept]))
    assert folder.names() == ["_manifest/step.json", "kept.jsonl"]


def test_damage_and_loss_are_found(folder: Folder) -> None:
    parts = [write_part(folder, name, LINES, JSONL) for name in ("a", "b", "c")]
    write_entry(folder, ManifestEntry("step", parts))
    folder.remove("a.jsonl")
    folder.write("b.jsonl", b"x" * parts[1].bytes)
    assert list(check_parts(folder)) == [("a.jsonl", "missing"), ("b.jsonl", "damaged")]


@pytest.mark.parametrize("data", [b"{}", b"[", b'{"format": "forest-parts", "version": 2}'])
def test_what_is_no_entry_is_refused_by_name(tmp_path: Path, data: bytes) -> None:
    opened = LocalFolder(tmp_path)
    opened.write("_manifest/step.json", data)
    with pytest.raises(InputError, match=r"_manifest/step\.json: not an entry"):
        list_parts(opened)


# The outbox


@dataclass
class FakeOutbox:
    """Articles 1, 2, 3 …; those of `missing` were never committed."""

    size: int
    missing: set[int] = field(default_factory=set)
    name: str = "sqlite:///test.db"
    prefix: str = "a"

    def last_article(self) -> int:
        return self.size

    def lines_after(self, seq: int, limit: int, last: int | None = None) -> list[tuple[int, str]]:
        end = self.size if last is None else last
        numbers = [n for n in range(seq + 1, end + 1) if n not in self.missing]
        return [(n, json.dumps({"id": f"{self.prefix}{n}"})) for n in numbers[:limit]]


def ids(folder: Folder) -> list[str]:
    lines = b"".join(folder.read(part.name) or b"" for part in list_parts(folder)).splitlines()
    return [json.loads(line)["id"] for line in lines]


def test_each_article_of_the_outbox_is_in_one_part(folder: Folder) -> None:
    outbox = FakeOutbox(5, missing={2})
    assert OutboxParts(outbox, folder, JSONL, max_rows=3).export() == 4
    outbox.size = 6
    reopened = OutboxParts(outbox, folder, JSONL, max_rows=3)
    assert (reopened.export(), reopened.export()) == (1, 0)
    assert [part.name for part in list_parts(folder)] == [
        "part-000000000001-000000000004.jsonl",
        "part-000000000005-000000000005.jsonl",
        "part-000000000006-000000000006.jsonl",
    ]
    assert ids(folder) == ["a1", "a3", "a4", "a5", "a6"]


class _Killed(Exception):  # noqa: N818
    pass


class _KillingFolder:
    """A folder whose process is killed before it writes the manifest."""

    def __init__(self, folder: Folder) -> None:
        self.address, self._folder = folder.address, folder
        self.read, self.names, self.remove = folder.read, folder.names, folder.remove

    def write(self, name: str, data: bytes) -> None:
        if name.startswith("_manifest"):
            raise _Killed
        self._folder.write(name, data)


def test_a_part_whose_entry_a_kill_prevented_is_written_again(folder: Folder) -> None:
    outbox = FakeOutbox(2)
    with pytest.raises(_Killed):
        OutboxParts(outbox, _KillingFolder(folder), JSONL).export()
    begun = folder.read("part-000000000001-000000000002.jsonl")
    outbox.size = 4  # the next run has archived more meanwhile
    assert OutboxParts(outbox, folder, JSONL).export() == 4
    assert [part.name for part in list_parts(folder)] == [
        "part-000000000001-000000000002.jsonl",
        "part-000000000003-000000000004.jsonl",
    ]
    assert folder.read("part-000000000001-000000000002.jsonl") == begun
    assert list(check_parts(folder)) == []


def test_a_begun_part_is_whole_also_if_parts_have_become_smaller(tmp_path: Path) -> None:
    outbox, opened = FakeOutbox(4), LocalFolder(tmp_path)
    with pytest.raises(_Killed):
        OutboxParts(outbox, _KillingFolder(opened), JSONL).export()
    assert OutboxParts(outbox, opened, JSONL, max_rows=1).export() == 4
    assert [part.rows for part in list_parts(opened)] == [4]


def test_parts_of_another_store_are_refused(tmp_path: Path) -> None:
    opened = LocalFolder(tmp_path)
    OutboxParts(FakeOutbox(3), opened, JSONL).export()
    for other in (FakeOutbox(2), FakeOutbox(3, prefix="b")):
        with pytest.raises(StoreError, match="not from the store"):
            OutboxParts(other, opened, JSONL)


def test_a_folder_has_one_writer(tmp_path: Path) -> None:
    opened = LocalFolder(tmp_path)
    write_entry(opened, ManifestEntry("export", []))
    with pytest.raises(InputError, match=r"another writer \(export\)"):
        OutboxParts(FakeOutbox(1), opened, JSONL)


def test_an_entry_of_the_manifest_has_a_bounded_number_of_parts(tmp_path: Path) -> None:
    opened = LocalFolder(tmp_path)
    OutboxParts(FakeOutbox(ENTRY_PARTS + 2), opened, JSONL, max_rows=1).export()
    reopened = OutboxParts(FakeOutbox(ENTRY_PARTS + 3), opened, JSONL, max_rows=1)
    assert reopened.export() == 1
    assert opened.names("_manifest") == [
        "_manifest/outbox-000000.json",
        "_manifest/outbox-000001.json",
    ]
    assert len(list_parts(opened)) == ENTRY_PARTS + 3
