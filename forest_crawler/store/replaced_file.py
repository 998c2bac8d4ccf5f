"""`ReplacedFile`: a file that a crawl writes anew as a whole, such as a table.

Beside it, `FILE.lock` keeps other crawls away while this one runs, and says afterwards which store
the file is from and what was written. So a file of somebody else is refused, and one that somebody
has changed is kept under another name.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import zlib
from pathlib import Path
from typing import Any

from forest_crawler.errors import StoreError
from forest_crawler.store.closing import Closing
from forest_crawler.store.locked_file import free_name

_RECORD_SIZE = 4096
"""Bytes of the record, blanks included: it is written in one piece."""

_CHUNK = 2**20

_log = logging.getLogger(__name__)


class ReplacedFile(Closing):
    """A file that is ours to replace until this is closed; `store` is the name of its store.

    Raises `StoreError` if another crawl has it, or it isn't from this store.
    """

    def __init__(self, path: str | Path, store: str) -> None:
        self.path = Path(os.path.realpath(path))
        self._store = store
        self._lock_path = self.path.with_name(f"{self.path.name}.lock")
        self._descriptor = -1
        if self._has_content() and not self._lock_path.exists():
            raise self._foreign()
        self._descriptor = self._open_locked()
        self._written = self._read_record()
        if self._has_content() and self._written.get("store") != store:
            self.close()
            raise self._foreign()

    def keep_changed(self) -> None:
        """Rename the file if somebody has changed what was written."""
        if not self._has_content() or _checksum(self.path) == self._written.get("checksum"):
            return
        aside = free_name(self.path, "changed")
        self.path.rename(aside)
        _log.error("%s: changed by another program: kept as %s", self.path, aside.name)

    def record(self) -> None:
        """Record that the file has just been written."""
        self._written = {"store": self._store, "checksum": _checksum(self.path)}
        os.pwrite(self._descriptor, json.dumps(self._written).encode().ljust(_RECORD_SIZE), 0)
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Release the lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _has_content(self) -> bool:
        if self.path.exists() and not self.path.is_file():
            raise StoreError("isn't a regular file; choose another -o", str(self.path))
        return self.path.exists() and self.path.stat().st_size > 0

    def _open_locked(self) -> int:
        try:
            descriptor = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as err:
            raise StoreError.unwritable(err, str(self._lock_path)) from err
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as err:
            os.close(descriptor)
            message = "in use by another crawl; wait until it ends, or choose another -o"
            raise StoreError(message, str(self.path)) from err
        return descriptor

    def _read_record(self) -> dict[str, Any]:
        try:
            found = json.loads(os.pread(self._descriptor, _RECORD_SIZE, 0))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def _foreign(self) -> StoreError:
        size = self.path.stat().st_size
        return StoreError(
            f"has {size} bytes that are not from the store {self._store}; "
            "move it away, or name another file",
            str(self.path),
        )


def _checksum(path: Path) -> str:
    checksum, size = 0, 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            checksum, size = zlib.crc32(chunk, checksum), size + len(chunk)
    return f"{checksum:08x}-{size}"
