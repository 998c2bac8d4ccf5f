"""`LockedFile`: a file that one crawl at a time appends to, whatever its store.

The lock is on the file itself, so links lead to the same lock, and it ends with the process.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from forest_crawler.errors import StoreError
from forest_crawler.store.closing import Closing

_CHUNK = 2**16


class LockedFile(Closing):
    """An open, locked file; every method but `close` may raise `OSError`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = _open_locked(path)

    @property
    def size(self) -> int:
        """The file's length in bytes."""
        return os.fstat(self._descriptor).st_size

    @property
    def is_displaced(self) -> bool:
        """Whether the name now leads to another file, or to none."""
        return not _leads_to(self.path, self._descriptor)

    def read(self, start: int, length: int) -> bytes:
        """Read at most this many bytes."""
        return os.pread(self._descriptor, length, start)

    def chunks(self, start: int) -> Iterator[bytes]:
        """Read everything from a position on."""
        while chunk := self.read(start, _CHUNK):
            yield chunk
            start += len(chunk)

    def append(self, data: bytes) -> None:
        """Write all of the data at the end."""
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]

    def sync(self) -> None:
        """Wait until what was appended is on disk."""
        os.fdatasync(self._descriptor)

    def cut(self, length: int) -> None:
        """Cut the file off at this length, on disk when this returns."""
        os.ftruncate(self._descriptor, length)
        os.fsync(self._descriptor)

    def reopen(self) -> None:
        """Open the file that the name leads to now; create it if there is none."""
        new = _open_locked(self.path)
        self.close()
        self._descriptor = new

    def move_aside(self) -> Path:
        """Rename the file, and begin an empty one; return the new name."""
        aside = free_name(self.path, "changed")
        self.path.rename(aside)
        self.reopen()
        sync_directory(self.path.parent)
        return aside

    def copy_end(self, start: int) -> Path:
        """Copy everything from a position on to a new file beside this one."""
        copy = free_name(self.path, "added")
        with copy.open("xb") as file:
            file.writelines(self.chunks(start))
            file.flush()
            os.fsync(file.fileno())
        sync_directory(self.path.parent)
        return copy

    def close(self) -> None:
        """Close the file, which releases its lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _open_locked(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
    while True:
        descriptor = os.open(path, flags, 0o666)
        try:
            _check_kind(descriptor, path)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _leads_to(path, descriptor):  # otherwise its last holder has renamed it meanwhile
                return descriptor
        except BlockingIOError as err:
            os.close(descriptor)
            message = "in use by another crawl; wait until it ends, or choose another -o"
            raise StoreError(message, str(path)) from err
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _check_kind(descriptor: int, path: Path) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise StoreError("isn't a regular file; choose another -o", str(path))


def _leads_to(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def sync_directory(path: Path) -> None:
    """Sync a directory, so that a new file name in it survives a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def free_name(path: Path, word: str) -> Path:
    """Return a name beside a file that no file has yet: `FILE.word-1`, `FILE.word-2` …"""
    number = 1
    while (name := path.with_name(f"{path.name}.{word}-{number}")).exists():
        number += 1
    return name
