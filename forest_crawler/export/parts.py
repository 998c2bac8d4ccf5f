"""Parts: an archive in many files, each written once, or again with the same bytes.

A part is made from articles' lines in memory and written as a whole. Its name follows from what is
in it, so that whoever repeats a step, after a kill or on another machine, writes the same part.
`manifest` lists the parts that are complete.
"""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Literal, get_args

from forest_crawler.article.article import write_row
from forest_crawler.article.schemas import Schema, pick_fields
from forest_crawler.errors import MissingPackageError
from forest_crawler.export.archive_rows import column_names, name_fields, read_line
from forest_crawler.export.folders import Folder
from forest_crawler.store.file_systems import is_address

Ending = Literal["jsonl", "jsonl.gz", "jsonl.zst", "parquet"]
ENDINGS: tuple[Ending, ...] = get_args(Ending)

MAX_PART_ROWS = 5000
"""Articles per part: some 100 MB of JSON lines, which are held in memory, or 15 MB of Parquet."""


@dataclass(frozen=True, slots=True)
class Part:
    """A complete part, as the manifest lists it."""

    name: str  # within its folder
    rows: int
    bytes: int
    sha256: str


def is_parts(path: str) -> bool:
    """Report whether an output is a folder of parts: an address, or `NAME.parquet/` and the like.

    The slash is not needed if there is such a directory.

    >>> is_parts("s3://news/articles"), is_parts("articles.jsonl/"), is_parts("articles.jsonl")
    (True, True, False)
    """
    if is_address(path):
        return True
    return ending_in(path) is not None and (path.endswith("/") or Path(path).is_dir())


def ending_of(path: str) -> Ending:
    """Choose the form of parts by the end of their folder's name.

    >>> ending_of("s3://news/articles.parquet/"), ending_of("s3://news/articles")
    ('parquet', 'jsonl')
    """
    return ending_in(path) or "jsonl"


def ending_in(path: str) -> Ending | None:
    """Return the form that a folder's name ends with, if it names one."""
    name = PurePosixPath(path.rstrip("/")).name.lower()
    return next((ending for ending in ENDINGS if name.endswith(f".{ending}")), None)


@dataclass(frozen=True)
class PartForm:
    """How the articles of a part are written; raises for a form that cannot be."""

    ending: Ending = "jsonl"
    schema: Schema = "forest"
    chosen: Sequence[str] | None = None  # the fields to write; None: all

    def __post_init__(self) -> None:
        if self.chosen:
            pick_fields(dict.fromkeys(column_names(self.schema)), self.chosen)
        if self.ending == "parquet":
            _require("pyarrow", "parquet")
        if self.ending == "jsonl.zst":
            _require("zstandard", "zstd")

    @cached_property
    def columns(self) -> list[str]:
        """The columns of a table, in order."""
        return list(self.chosen or column_names(self.schema))

    def encode(self, lines: Iterable[str]) -> bytes:
        """Write articles' lines as the bytes of a part; the same lines give the same bytes."""
        if self.ending == "parquet":
            return self._encode_table(lines)
        text = "".join(f"{self._form_line(line)}\n" for line in lines).encode()
        if self.ending == "jsonl.gz":
            return gzip.compress(text, mtime=0)
        if self.ending == "jsonl.zst":
            import zstandard

            return zstandard.ZstdCompressor().compress(text)
        return text

    def _form_line(self, line: str) -> str:
        if self.schema == "forest" and self.chosen is None:
            return line
        return write_row(name_fields(read_line(line), self.schema, self.chosen))

    def _encode_table(self, lines: Iterable[str]) -> bytes:
        from forest_crawler.export.parquet_archive import ParquetArchive

        stream = io.BytesIO()
        table = ParquetArchive(stream, self.columns)
        for line in lines:
            table.write(name_fields(read_line(line), self.schema, self.chosen))
        table.finish()
        return stream.getvalue()


def write_part(folder: Folder, stem: str, lines: Sequence[str], form: PartForm) -> Part:
    """Write a part under its name; return what the manifest says about it."""
    data = form.encode(lines)
    name = f"{stem}.{form.ending}"
    folder.write(name, data)
    return Part(name, len(lines), len(data), hashlib.sha256(data).hexdigest())


@dataclass
class PartWriter:
    """Cuts a sequence of articles into parts, by group: `GROUP/STEM-0000`, `GROUP/STEM-0001` …

    At most `max_rows` articles of each group are in memory.
    """

    folder: Folder
    stem: str
    form: PartForm
    max_rows: int = MAX_PART_ROWS
    parts: list[Part] = field(default_factory=list)
    _waiting: dict[str, list[str]] = field(default_factory=dict)
    _written: dict[str, int] = field(default_factory=dict)

    def add(self, line: str, group: str = "") -> None:
        """Add an article's line to a group."""
        waiting = self._waiting.setdefault(group, [])
        waiting.append(line)
        if len(waiting) >= self.max_rows:
            self._write(group)

    def finish(self) -> list[Part]:
        """Write what is left; return all parts, sorted by name."""
        for group in sorted(self._waiting):
            self._write(group)
        return sorted(self.parts, key=lambda part: part.name)

    def _write(self, group: str) -> None:
        number = self._written.get(group, 0)
        stem = f"{self.stem}-{number:04}"
        lines = self._waiting.pop(group)
        stem = f"{group}/{stem}" if group else stem
        self.parts.append(write_part(self.folder, stem, lines, self.form))
        self._written[group] = number + 1


def _require(package: str, extra: str) -> None:
    try:
        import_module(package)
    except ImportError as err:
        raise MissingPackageError(extra, package, extra) from err
