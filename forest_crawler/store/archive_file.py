"""The file of articles, one JSON line each, each written once from the outbox.

Append, sync, then record the file's length. What a killed process appended but did not record is
cut off at the next start, and appended again from the store. What others have written into the file
is never deleted: it is kept beside it, and reported.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from forest_crawler.errors import StoreError
from forest_crawler.store.closing import Closing
from forest_crawler.store.crash_points import reach
from forest_crawler.store.locked_file import LockedFile, sync_directory
from forest_crawler.store.records import ExportState
from forest_crawler.store.store import Store

BATCH_LINES = 500
"""Lines that are appended and synced together: a few megabytes of articles."""

TAIL_SIZE = 2**16
"""Bytes before the recorded length that are checked at the start: crashes and bad disks damage the
end, and reading all of a large file would delay every start."""

_log = logging.getLogger(__name__)


class ArchiveFile(Closing):
    """An open file of articles; `repair` says what opening it repaired, if anything.

    Raises `StoreError` if another crawl has the file open, or it isn't from this store.
    """

    def __init__(self, store: Store, path: str | Path) -> None:
        self.path = Path(path).absolute()
        self.name = store.file_name(self.path)
        self.repair: str | None = None
        self._store = store
        self._tail = b""  # the last bytes that we wrote, up to TAIL_SIZE
        self._is_uncertain = False  # whether the file may differ from `_state`
        with self._named_errors():
            self._file = LockedFile(self.path)
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
        with self._named_errors():
            self._refresh()
        number, last = 0, self._store.last_article()
        while lines := self._store.lines_after(self._state.seq, BATCH_LINES, last):
            self._append(lines[-1][0], b"".join(line.encode() + b"\n" for _, line in lines))
            number += len(lines)
        return number

    def close(self) -> None:
        """Close the file; what is in it is on disk already."""
        self._file.close()

    def _refresh(self) -> None:
        """Recover if an append failed, or somebody moved or changed the file meanwhile."""
        if self._file.is_displaced:
            self._file.reopen()
        elif not self._is_uncertain and self._file.size == self._state.offset:
            return
        self._state = self._recover()
        self._is_uncertain = False

    def _append(self, seq: int, data: bytes) -> None:
        reach("export-before-append")
        try:
            with self._named_errors():
                self._file.append(data[: len(data) // 2])
                reach("export-half-appended")
                self._file.append(data[len(data) // 2 :])
                reach("export-after-append")
                self._file.sync()
            reach("export-after-sync")
            self._record(seq, self._state.offset + len(data), (self._tail + data)[-TAIL_SIZE:])
        except BaseException:
            self._is_uncertain = True  # a server may have committed without being able to confirm
            with suppress(OSError):
                self._remove(data)
            raise

    def _remove(self, data: bytes) -> None:
        """Remove what was appended of the data; what others appended stays for `_recover`."""
        if data.startswith(self._file.read(self._state.offset, len(data) + 1)):
            self._file.cut(self._state.offset)

    def _record(self, seq: int, offset: int, tail: bytes) -> None:
        """Record the state; the checksum is of what we wrote, whatever is in the file now."""
        state = ExportState(seq, offset, zlib.crc32(tail))
        self._store.record_export(self.name, state.seq, state.offset, state.crc)
        self._state, self._tail = state, tail

    def _read_tail(self, offset: int) -> bytes:
        start = max(0, offset - TAIL_SIZE)
        return self._file.read(start, offset - start)

    def _recover(self) -> ExportState:
        """Bring the file to the state that the store recorded."""
        size = self._file.size
        state = self._store.export_state(self.name)
        if state is None:
            return self._start(size)
        self._tail = self._read_tail(state.offset)
        if size < state.offset or zlib.crc32(self._tail) != state.crc:
            return self._repair(size)
        if size > state.offset:
            self._drop_end(state, size)
        return state

    def _start(self, size: int) -> ExportState:
        if size:
            raise self._foreign(size)
        sync_directory(self.path.parent)
        self._record(0, 0, b"")
        return self._state

    def _drop_end(self, state: ExportState, size: int) -> None:
        """Cut off what follows the recorded lines; keep a copy unless a killed run wrote it."""
        rest = size - state.offset
        if self._compare(state.seq, state.offset, size)[2]:
            self._cut(state.offset)
            self._report(f"{rest} bytes of unrecorded lines cut off")
        elif state.offset == 0:
            raise self._foreign(size)
        else:
            copy = self._file.copy_end(state.offset)
            self._cut(state.offset)
            self._report_foreign(f"{rest} bytes that another program added: kept in {copy.name}")

    def _repair(self, size: int) -> ExportState:
        """Keep the lines that match the store; `export` appends the others again."""
        seq, offset, torn = self._compare(0, 0, size)
        if torn:
            self._cut(offset)
            self._report(f"damaged: cut back from {size} to {offset} good bytes")
        else:
            aside = self._file.move_aside()
            seq, offset = 0, 0
            self._report_foreign(
                f"changed by another program: kept as {aside.name}, and written again"
            )
        self._record(seq, offset, self._read_tail(offset))
        return self._state

    def _compare(self, seq: int, offset: int, size: int) -> tuple[int, int, bool]:
        """Return last article and length that match the store; is the rest only torn?

        Torn: the start of the next line, or zeros, as file systems leave them after a crash.
        """
        while lines := self._store.lines_after(seq, BATCH_LINES):
            for number, line in lines:
                expected = line.encode() + b"\n"
                found = self._file.read(offset, len(expected))
                if found != expected:
                    written = found.rstrip(b"\0")
                    is_last = offset + len(found) == size or self._is_blank(offset + len(found))
                    return seq, offset, expected.startswith(written) and is_last
                seq, offset = number, offset + len(expected)
        return seq, offset, self._is_blank(offset)

    def _is_blank(self, offset: int) -> bool:
        return not any(chunk.strip(b"\0") for chunk in self._file.chunks(offset))

    def _cut(self, offset: int) -> None:
        self._file.cut(offset)
        reach("repair-after-cut")

    def _report(self, what: str) -> None:
        self.repair = what
        _log.warning("%s: %s", self.path, what)

    def _report_foreign(self, what: str) -> None:
        self.repair = what
        _log.error("%s: %s", self.path, what)  # shown without -v: somebody may miss these lines

    def _foreign(self, size: int) -> StoreError:
        return StoreError(
            f"has {size} bytes that are not from the store {self._store.name}; "
            "move it away, or name another file",
            str(self.path),
        )

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as err:
            raise StoreError.unwritable(err, str(self.path)) from err
