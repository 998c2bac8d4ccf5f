"""Archives in every form hold what the articles say, and nothing that a program would run."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import zstandard

from forest_crawler.errors import InputError, MissingPackageError
from forest_crawler.export.archives import form_of, is_plain_lines, open_archive
from forest_crawler.export.csv_archive import write_cell

COLUMNS = ["title", "authors", "http_status", "free_access", "media", "text"]
ROWS: list[dict[str, Any]] = [
    {
        "title": "=1+1",
        "authors": ["Ann Lee", "Bo Ek"],
        "http_status": 200,
        "free_access": True,
        "media": [{"url": "a.mp3"}],
        "text": 'Grüße,\n"quoted"',
    },
    dict.fromkeys(COLUMNS) | {"authors": [], "media": [], "text": ""},
]


def write(path: Path | str) -> None:
    with open_archive(str(path), COLUMNS) as archive:
        for row in ROWS:
            archive.write(row)


def read_csv(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


# Names


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.jsonl", "jsonl"),
        ("a", "jsonl"),
        ("-", "jsonl"),
        ("a.jsonl.gz", "jsonl"),
        ("a.CSV", "csv"),
        ("a.csv.zst", "csv"),
        ("a.parquet", "parquet"),
        ("notes/", "markdown"),
    ],
)
def test_ending_chooses_the_form(name: str, form: str) -> None:
    assert form_of(name) == form


def test_directory_gets_markdown(tmp_path: Path) -> None:
    assert form_of(str(tmp_path)) == "markdown"


def test_only_a_plain_file_of_lines_can_be_appended_to() -> None:
    names = ("a.jsonl", "a.jsonl.gz", "-", "a.csv", "a/")
    assert [is_plain_lines(name) for name in names] == [True, False, False, False, False]


# Forms


CSV = [
    COLUMNS,
    ["'=1+1", "Ann Lee; Bo Ek", "200", "true", '[{"url": "a.mp3"}]', 'Grüße,\n"quoted"'],
    ["", "", "", "", "", ""],
]


def test_csv_has_a_line_of_names_and_a_line_per_article(tmp_path: Path) -> None:
    write(tmp_path / "a.csv")
    assert read_csv((tmp_path / "a.csv").read_bytes()) == CSV


def test_files_are_compressed_by_their_ending(tmp_path: Path) -> None:
    for name in ("a.csv.gz", "a.jsonl.zst"):
        write(tmp_path / name)
    assert read_csv(gzip.decompress((tmp_path / "a.csv.gz").read_bytes())) == CSV
    with zstandard.open(tmp_path / "a.jsonl.zst", "rt") as stream:
        assert [json.loads(line) for line in stream] == ROWS


def test_lines_are_json_in_ascii(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl")
    data = (tmp_path / "a.jsonl").read_bytes()
    assert data.isascii()
    assert [json.loads(line) for line in data.splitlines()] == ROWS


def test_parquet_has_types_and_lists(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet")
    first, second = pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert first == {**ROWS[0], "media": '[{"url": "a.mp3"}]'}
    assert second == {**ROWS[1], "media": "[]"}


def test_markdown_files_have_front_matter(tmp_path: Path) -> None:
    row = {
        "id": "0123456789abcdef",
        "site": "gazette.example",
        "title": "Rain: the end?",
        "authors": ["Ann\u2028Lee"],
        "date_publish": "2026-03-06T10:15:00+01:00",
        "language": None,
        "markdown": "It **rained**.",
    }
    for _ in range(2):  # the second time changes nothing
        with open_archive(f"{tmp_path}/", []) as archive:
            archive.write(row)
    (file,) = tmp_path.glob("*/*.md")
    assert file.parent.name.startswith("gazette-example-")
    assert file.name == "2026-03-06-rain-the-end-0123456789ab.md"
    assert file.read_text(encoding="utf-8") == (
        '---\ntitle: "Rain: the end?"\nauthors: ["Ann\\u2028Lee"]\n'
        'date_publish: "2026-03-06T10:15:00+01:00"\nsite: "gazette.example"\n'
        'id: "0123456789abcdef"\n---\n\nIt **rained**.\n'
    )


def test_site_cannot_choose_a_directory_outside(tmp_path: Path) -> None:
    with open_archive(f"{tmp_path}/in/", []) as archive:
        archive.write({"site": "../../out", "title": "../x", "id": "../../y", "markdown": "m"})
    (file,) = tmp_path.rglob("*.md")
    assert file.is_relative_to(tmp_path / "in")


# Cells


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＠"])
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(start: str) -> None:
    assert write_cell(f"{start}HYPERLINK(1)") == f"'{start}HYPERLINK(1)"
    assert write_cell([f"{start}A1", "b"]) == f"'{start}A1; b"


def test_formula_behind_a_nul_is_found() -> None:
    assert write_cell("\0=1") == "'=1"


# Faults


def test_archive_that_breaks_off_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(TypeError), open_archive(str(path), COLUMNS) as archive:
        archive.write({"media": [object()]})
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_parquet_is_not_compressed_twice() -> None:
    with pytest.raises(InputError, match="compressed already"), open_archive("a.parquet.gz", []):
        pass


def test_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingPackageError, match=r"forest-crawler\[parquet\]"):
        write("a.parquet")
