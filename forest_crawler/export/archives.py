"""Articles as files: JSON lines, CSV, Parquet, or a directory of Markdown files.

The ending of the name chooses: `.csv`, `.parquet`, `/` or an existing directory for Markdown,
anything else JSON lines; `.gz` or `.zst` after it compresses. `-` is standard output. A file is
written beside the old one and replaces it when it is complete.
"""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

from forest_crawler.article.article import write_row
from forest_crawler.errors import InputError, MissingPackageError
from forest_crawler.export.archive_rows import Row
from forest_crawler.export.csv_archive import CsvArchive
from forest_crawler.export.markdown_archive import MarkdownArchive
from forest_crawler.export.whole_file import find_target
from forest_crawler.store.file_systems import is_address

Form = Literal["jsonl", "csv", "parquet", "markdown"]
STDOUT = "-"
_FORMS: dict[str, Form] = {".csv": "csv", ".parquet": "parquet"}
_COMPRESSIONS = (".gz", ".zst")


class Archive(Protocol):
    """An open archive; rows have all columns, in order."""

    def write(self, row: Row) -> None:
        """Add an article."""

    def finish(self) -> None:
        """Write what is left; the caller closes the stream."""


class LineArchive:
    """JSON lines."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, row: Row) -> None:
        """Add an article."""
        self._stream.write(write_row(row).encode() + b"\n")

    def finish(self) -> None:
        """Write what the stream has buffered."""
        self._stream.flush()


def form_of(path: str) -> Form:
    """Choose the form of an archive by its name.

    >>> form_of("a.csv.gz"), form_of("a.parquet"), form_of("a.jsonl.zst"), form_of("notes/")
    ('csv', 'parquet', 'jsonl', 'markdown')
    """
    if path != STDOUT and (path.endswith(os.sep) or Path(path).is_dir()):
        return "markdown"
    return _FORMS.get(Path(_uncompressed(path)).suffix.lower(), "jsonl")


def is_plain_lines(path: str) -> bool:
    """Check for a file of JSON lines to which lines can be appended."""
    return (
        path != STDOUT
        and not is_address(path)
        and form_of(path) == "jsonl"
        and _uncompressed(path) == path
    )


def check_archive(path: str) -> None:
    """Raise for a form that cannot be written, before anything is read."""
    form = form_of(path)
    if form == "parquet" and _uncompressed(path) != path:
        raise InputError("Parquet is compressed already; drop the last ending", path)
    if form == "parquet":
        _require(path, "pyarrow", "parquet")
    if path.lower().endswith(".zst"):
        _require(path, "zstandard", "zstd")


@contextmanager
def open_archive(
    path: str, columns: Sequence[str], *, keeps_files: bool = False
) -> Iterator[Archive]:
    """Open a new archive; raises `OSError` if it cannot be written.

    `keeps_files`: Markdown files that are there stay as they are.
    """
    check_archive(path)
    form = form_of(path)
    if form == "markdown":
        yield MarkdownArchive(Path(path), keeps_files=keeps_files)
        return
    make = _makers(columns)[form]
    if path == STDOUT:
        archive = make(sys.stdout.buffer)
        yield archive
        archive.finish()
        return
    target = find_target(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_name(f"{target.name}.{os.getpid()}.new")
    try:
        with new.open("wb") as raw:
            with _compressed(raw, path) as stream:
                archive = make(stream)
                yield archive
                archive.finish()
            raw.flush()
            os.fsync(raw.fileno())  # a power cut must not leave the new name with no content
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)


def _makers(columns: Sequence[str]) -> dict[Form, Callable[[BinaryIO], Archive]]:
    def make_parquet(stream: BinaryIO) -> Archive:
        from forest_crawler.export.parquet_archive import ParquetArchive

        return ParquetArchive(stream, columns)

    return {
        "jsonl": LineArchive,
        "csv": lambda stream: CsvArchive(stream, columns),
        "parquet": make_parquet,
    }


@contextmanager
def _compressed(raw: BinaryIO, path: str) -> Iterator[BinaryIO]:
    if path.lower().endswith(".gz"):
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
            yield packed  # type: ignore[misc]
    elif path.lower().endswith(".zst"):
        import zstandard

        with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as packed:
            yield packed
    else:
        yield raw


def _uncompressed(path: str) -> str:
    return path[: path.rindex(".")] if path.lower().endswith(_COMPRESSIONS) else path


def _require(path: str, package: str, extra: str) -> None:
    try:
        import_module(package)
    except ImportError as err:
        raise MissingPackageError(path, package, extra) from err
