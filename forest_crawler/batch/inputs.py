"""The WARC files of a batch: local ones, or those of an object store through fsspec."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from forest_crawler.crawl.warc_records import Slices
from forest_crawler.errors import InputError
from forest_crawler.store.file_systems import is_address, named_errors, open_file_system

ENDINGS = (".warc", ".warc.gz")
_WILD = frozenset("*?[")
_RANGE = 1 << 18
"""Bytes of one request to an object store for a single record; most records are smaller."""


def list_files(inputs: Sequence[str]) -> list[str]:
    """Return the WARC files of paths, directories and addresses (also with `*`), sorted.

    Directories are searched to any depth, as the layout of CC-NEWS (`2026/11/….warc.gz`) needs it.
    Raises `InputError` if an input has no WARC file, or two files have the same name: parts are
    named after it.
    """
    found = sorted({file for name in inputs for file in _expand(name)})
    names: dict[str, str] = {}
    for file in found:
        if (other := names.setdefault(stem_of(file), file)) != file:
            raise InputError(f"has the same name as {other}; rename one, or run two batches", file)
    return found


def stem_of(file: str) -> str:
    """Return the name under which a file's parts are written.

    >>> stem_of("s3://commoncrawl/CC-NEWS/2026/11/CC-NEWS-20261118001500-00017.warc.gz")
    'CC-NEWS-20261118001500-00017'
    """
    name = PurePosixPath(file).name
    ending = next((it for it in (".warc.gz", ".warc") if name.endswith(it)), "")
    return name.removesuffix(ending)


def _expand(name: str) -> list[str]:
    found = _expand_address(name) if is_address(name) else _expand_path(name)
    if not found:
        raise InputError("no WARC file there (.warc or .warc.gz); check the spelling", name)
    return found


def _expand_path(name: str) -> list[str]:
    if not name or "\0" in name:  # Path("") is this directory
        return []
    path = Path(name)
    if path.is_dir():
        return [str(file) for file in path.rglob("*") if file.name.endswith(ENDINGS)]
    return [name] if path.is_file() else []


def _expand_address(name: str) -> list[str]:
    files, root = open_file_system(name)
    with named_errors("listed", name):
        if _WILD & set(name):
            found = files.glob(root)
        elif name.endswith(ENDINGS):
            found = [root] if files.exists(root) else []
        else:
            found = [file for file in files.find(root) if str(file).endswith(ENDINGS)]
    return [str(files.unstrip_protocol(file)) for file in found]


@contextmanager
def local_copy(file: str) -> Iterator[Path]:
    """Yield a file on this machine: itself, or a copy that is removed afterwards."""
    if not is_address(file):
        yield Path(file)
        return
    files, root = open_file_system(file)
    with tempfile.TemporaryDirectory(prefix="forest-warc-") as directory:
        path = Path(directory) / "copy.warc"
        with named_errors("read", file):
            files.get_file(root, str(path))
        yield path


@contextmanager
def open_slices(file: str) -> Iterator[Slices]:
    """Open a file to read single records of it, without the rest."""
    if is_address(file):
        files, root = open_file_system(file)
        with named_errors("read", file):
            size = int(files.size(root))
        yield _ObjectSlices(files, root, size)
        return
    with (
        Path(file).open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        yield data


class _ObjectSlices:
    """An object that is read by requests for ranges, of `_RANGE` bytes at least."""

    def __init__(self, files: Any, path: str, size: int) -> None:
        self._files, self._path, self._size = files, path, size
        self._start, self._data = 0, b""

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(self._size)
        if not (self._start <= start and stop <= self._start + len(self._data)):
            end = min(max(stop, start + _RANGE), self._size)
            with named_errors("read", self._path):
                self._data = bytes(self._files.cat_file(self._path, start=start, end=end))
            self._start = start
        return self._data[start - self._start : max(start, stop) - self._start]
