"""The file of articles, one JSON line each, each written once from the outbox.

Append, sync, then record the file's length. What a killed process appended but did not record is
cut off at the next start, and appended again from the store.
"""

from __future__ import annotations

import logging
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from forest_crawler.errors import StoreError
from forest_crawler.store.closing import Closing
from forest_crawler.store.crash_points import reach
from forest_crawler.store.records import ExportState
from forest_crawler.store.store import Store

BATCH_LINES = 500
"""Lines that are appended and synced together: a few megabytes of articles."""

TAIL_SIZE = 2**16
"""Bytes before the recorded length that are checked at the start: crashes and bad disks damage the
end, and reading all of a large file would delay every start."""

_log = logging.getLogger(__name__)


class ArchiveFile(Closing):
    """An open file of articles; `repair` says what opening it repaired, if anything."""

    def __init__(self, store: Store, path: str | Path) -> None:
        self.path = Path(path).absolute()
        self.name = store.file_name(self.path)
        self.repair: str | None = None
        self._store = store
        self._is_uncertain = False  # whether the file may differ from `_state`
        with self._named_errors():
            self._descriptor = os.open(
                self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666
            )
        try:
            with self._named_errors():
                self._state = self._recover()
        except BaseException:
            self.close()
            raise

    def export(self) -> int:
        """Append all articles that the file does not have; return how many.

        Raises `StoreError` if the disk is full or broken: the file then ends with the last recorded
        line, and the next call appends the rest.
        """
        if self._is_uncertain:
            with self._named_errors():
                self._state = self._recover()
            self._is_uncertain = False
        number = 0
        while lines := self._store.lines_after(self._state.seq, BATCH_LINES):
            self._append(lines[-1][0], b"".join(line.encode() + b"\n" for _, line in lines))
            number += len(lines)
        return number

    def close(self) -> None:
        """Close the file; what is in it is on disk already."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _append(self, seq: int, data: bytes) -> None:
        reach("export-before-append")
        try:
            with self._named_errors():
                self._write(data[: len(data) // 2])
                reach("export-half-appended")
                self._write(data[len(data) // 2 :])
                reach("export-after-append")
                os.fdatasync(self._descriptor)
            reach("export-after-sync")
            self._record(seq, self._state.offset + len(data))
        except BaseException:
            self._is_uncertain = True  # a server may have committed without being able to confirm
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._state.offset)
            raise

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]

    def _record(self, seq: int, offset: int) -> None:
        state = ExportState(seq, offset, self._tail_crc(offset))
        self._store.record_export(self.name, state.seq, state.offset, state.crc)
        self._state = state

    def _tail_crc(self, offset: int) -> int:
        start = max(0, offset - TAIL_SIZE)
        return zlib.crc32(os.pread(self._descriptor, offset - start, start))

    def _recover(self) -> ExportState:
        """Bring the file to the state that the store recorded."""
        size = os.fstat(self._descriptor).st_size
        state = self._store.export_state(self.name)
        if state is None:
            return self._start(size)
        if size < state.offset or self._tail_crc(state.offset) != state.crc:
            return self._repair(size)
        if size > state.offset:
            self._cut(state.offset, f"{size - state.offset} bytes of unrecorded lines cut off")
        return state

    def _start(self, size: int) -> ExportState:
        if size:
            raise StoreError(
                f"has {size} bytes that are not from the store {self._store.name}; "
                "move it away, or name another file",
                str(self.path),
            )
        _sync_directory(self.path.parent)
        self._state = ExportState(0, 0, 0)
        self._record(0, 0)
        return self._state

    def _repair(self, size: int) -> ExportState:
        """Keep the lines that match the store; `export` appends the others again."""
        seq, offset, torn = self._compare(size)
        if torn:
            self._cut(offset, f"damaged: cut back from {size} to {offset} good bytes")
        else:
            aside = _free_name(self.path)
            self.path.rename(aside)
            self.close()
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
            self._descriptor = os.open(self.path, flags, 0o666)
            _sync_directory(self.path.parent)
            seq, offset = 0, 0
            self._report(f"changed by another program: kept as {aside.name}, and written again")
        self._record(seq, offset)
        return self._state

    def _compare(self, size: int) -> tuple[int, int, bool]:
        """Return last article and length that match the store; is the rest only torn?

        Torn: the start of the next line, or zeros, as file systems leave them after a crash.
        """
        seq, offset = 0, 0
        while lines := self._store.lines_after(seq, BATCH_LINES):
            for number, line in lines:
                expected = line.encode() + b"\n"
                found = os.pread(self._descriptor, len(expected), offset)
                if found != expected:
                    written = found.rstrip(b"\0")
                    is_last = offset + len(found) == size or self._is_blank(offset + len(found))
                    return seq, offset, expected.startswith(written) and is_last
                seq, offset = number, offset + len(expected)
        return seq, offset, self._is_blank(offset)

    def _is_blank(self, offset: int) -> bool:
        while chunk := os.pread(self._descriptor, TAIL_SIZE, offset):
            if chunk.strip(b"\0"):
                return False
            offset += len(chunk)
        return True

    def _cut(self, offset: int, what: str) -> None:
        os.ftruncate(self._descriptor, offset)
        os.fsync(self._descriptor)
        reach("repair-after-cut")
        self._report(what)

    def _report(self, what: str) -> None:
        self.repair = what
        _log.warning("%s: %s", self.path, what)

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as err:
            raise StoreError.unwritable(err, str(self.path)) from err


def _sync_directory(path: Path) -> None:
    """Sync a directory, so that a new file name in it survives a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _free_name(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.name}.changed-{number}")).exists():
        number += 1
    return aside
