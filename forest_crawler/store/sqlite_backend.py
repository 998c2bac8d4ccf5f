"""`SqliteBackend`: SQLite as a store's database: the file's lock, its options, its checks.

SQLite runs in WAL mode and syncs every commit, so that neither a killed process nor a power cut
loses a committed transaction.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, pool, select, text

from forest_crawler.errors import StoreError
from forest_crawler.store.database_errors import advise, no_such_store
from forest_crawler.store.locks import StoreFileLock, WriteLock
from forest_crawler.store.schema import runs
from forest_crawler.store.store_url import BUSY_TIMEOUT, StoreUrl

CHECKED_SIZE = 2**26
"""Bytes up to which a SQLite file is always checked on opening, which takes well under a second.
Larger files are checked only after a run that did not end, as damage is more likely then."""


class SqliteBackend:
    """A SQLite database in memory, or in a file, which is locked unless it is only read."""

    is_alone = True

    def __init__(self, url: StoreUrl, *, read_only: bool) -> None:
        self._url = url
        self._read_only = read_only
        self._path = url.file.absolute() if url.file else None
        self._file_id: tuple[int, int] | None = None  # of the file that is open
        self._write_lock = WriteLock(url.timeout)
        self._writes = False
        self._engine = self._create_engine()
        self._lock: StoreFileLock | None = None
        if read_only:
            self._refuse_missing()
        elif self._path is not None:
            self._lock = StoreFileLock(self._path)

    def connect(self) -> Connection:
        """Open the file, or create it."""
        connection = self._engine.connect()
        self._pragma(connection, "query_only = ON" if self._read_only else "synchronous = FULL")
        self._pragma(connection, "foreign_keys = ON")
        return connection

    def begin_use(self, connection: Connection) -> None:
        """Use the database as a store: it is known to be one."""
        self._pragma(connection, "journal_mode = WAL")
        if self._path is not None:
            self._file_id = _file_id(self._path)
            self._check_file(connection, self._path)

    def expect(self, *, writes: bool) -> None:
        """Prepare for a transaction; raises `StoreError` if the file was removed.

        SQLite would go on writing into a file that has no name any more.
        """
        if self._path is not None and self._file_id not in (None, _file_id(self._path)):
            raise StoreError(
                "was removed or replaced during this run; restore it, or begin again",
                self._url.name,
            )
        self._writes = writes

    def finish(self) -> None:
        """Note that a transaction ended."""
        self._writes = False

    def limit_waits(self, seconds: float) -> None:
        """Wait for other programs' transactions this long from now; thread-safe."""
        self._write_lock.end = time.monotonic() + seconds

    def compact(self, connection: Connection) -> None:
        """Give space back that deleted rows had."""
        self._pragma(connection, "wal_checkpoint(TRUNCATE)")
        connection.connection.cursor().execute("VACUUM")

    def disconnect(self) -> None:
        """Forget the connection."""
        self._engine.dispose()

    def close(self) -> None:
        """Release the lock; SQLite has merged its journal into the file."""
        self._engine.dispose()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _refuse_missing(self) -> None:
        # SQLite would create the file.
        if self._path is not None and not self._path.is_file():
            raise no_such_store(str(self._url.file))

    def _create_engine(self) -> Engine:
        url = self._url.url
        arguments: dict[str, Any] = {"check_same_thread": False, "isolation_level": None}
        if "timeout" not in url.query:
            arguments["timeout"] = BUSY_TIMEOUT
        engine = create_engine(url, poolclass=pool.StaticPool, connect_args=arguments)
        event.listen(engine, "begin", self._begin)
        return engine

    def _begin(self, connection: Connection) -> None:
        # A transaction that reads first and then writes can fail half-way; one that takes the write
        # lock at its beginning waits instead.
        if not self._writes:
            connection.exec_driver_sql("BEGIN")
            return
        try:
            self._write_lock.begin(connection.connection.cursor())
        except sqlite3.Error as err:
            raise StoreError(advise(str(err)), self._url.name) from err

    def _pragma(self, connection: Connection, what: str) -> None:
        """Set an option that can only be set between transactions."""
        try:
            connection.connection.cursor().execute(f"PRAGMA {what}")
        except sqlite3.Error as err:
            raise StoreError(advise(str(err)), self._url.name) from err

    def _check_file(self, connection: Connection, path: Path) -> None:
        with connection.begin():
            unended = select(runs.c.id).where(runs.c.ended.is_(None)).limit(1)
            if path.stat().st_size > CHECKED_SIZE and connection.scalar(unended) is None:
                return
            found = connection.scalar(text("PRAGMA quick_check(1)"))
        if found != "ok":
            raise StoreError(f"is damaged ({found}); restore a copy of it", self._url.name)


def _file_id(path: Path) -> tuple[int, int] | None:
    """Identify the file that has a name now; `None` if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
