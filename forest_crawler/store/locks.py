"""Locks: who may use a store, by a locked file or advisory locks of a server.

Both end with the process, however it ends. Programs that don't know these locks (a backup, a SQL
shell) may write to the database for a while; the store waits for them.
"""

from __future__ import annotations

import fcntl
import math
import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select, text
from sqlalchemy.engine.interfaces import DBAPICursor

from forest_crawler.errors import StoreError

_FOREST = 0x466F7265
"""The first of the two numbers of our advisory lock; the second is a hash of the schema's name."""

OUTPUT_LOCKS = _FOREST + 2
"""The first number of the locks of outputs; the second is a hash of the output's name."""

_SERVER_GRACE = 2.0
"""Max seconds until a server notices, even on a busy machine, that a killed process is gone."""

_LOCK_RETRY = 0.25
"""Seconds that SQLite waits for a lock per try; between two tries the deadline is checked."""

# Forked workers don't inherit a record lock; they may outlive a killed crawl for a moment. But a
# record lock doesn't exclude the process that holds it, so this set does.
_held_here: set[Path] = set()


class StoreFileLock:
    """The locked file `STORE.lock`, with the id of the process that holds it.

    The file is never deleted: otherwise two processes could lock two files of that name.
    """

    def __init__(self, path: Path) -> None:
        file = path.resolve()  # one lock, whichever link leads to the store
        self._path = file.with_name(file.name + ".lock")
        if self._path in _held_here:
            raise _in_use(path, "this process")
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as err:
            trouble = f"cannot be locked: {err.strerror} ({self._path})"
            raise StoreError(f"{trouble}; make it and its directory writable", str(path)) from err
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as err:
            holder = os.read(self._file, 20).decode("ascii", "replace").strip()
            os.close(self._file)
            raise _in_use(path, f"process {holder}") from err
        _held_here.add(self._path)
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Release the lock."""
        _held_here.discard(self._path)
        os.close(self._file)


class ServerLock:
    """An advisory lock; the server releases it when the connection ends.

    Crawls that join others share it. The first of them has it alone until `share`, so that tables
    are created and upgraded while nobody else uses them.
    """

    def __init__(self, connection: Connection, name: str, *, joins: bool = False) -> None:
        self._connection = connection
        self.is_alone = self._try(_ALONE)
        end = time.monotonic() + _SERVER_GRACE
        while not (self.is_alone or (joins and self._try(_SHARED))):
            if time.monotonic() > end:
                raise _in_use(name, "a crawl without --join" if joins else "another process")
            time.sleep(_SERVER_GRACE / 20)
            self.is_alone = self._try(_ALONE)

    def share(self) -> None:
        """Let others join."""
        if self.is_alone:
            self._try(_SHARED)
            self._try(_RELEASE)
            self.is_alone = False

    def _try(self, lock: ColumnElement[bool]) -> bool:
        with self._connection.begin():
            return bool(self._connection.scalar(select(lock)))

    def release(self) -> None:
        """Do nothing: closing the connection has released the lock."""


_key = (_FOREST, func.hashtext(func.current_schema()))
_ALONE = func.pg_try_advisory_lock(*_key)
_SHARED = func.pg_try_advisory_lock_shared(*_key)
_RELEASE = func.pg_advisory_unlock(*_key)

_outbox = (_FOREST + 1, func.hashtext(func.current_schema()))
NUMBERING = select(func.pg_advisory_xact_lock_shared(*_outbox))
"""Held by a transaction from before its articles get numbers until it ends."""
NUMBERED = select(func.pg_advisory_xact_lock(*_outbox))
"""Waits for such transactions: no lower number than the highest one appears afterwards."""


class WriteLock:
    """SQLite's write lock: waits for it `timeout` seconds, and not beyond `end`.

    A wait of SQLite cannot be cut short, so it waits several short times.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self.end = math.inf  # by time.monotonic(); other threads may set it

    def begin(self, cursor: DBAPICursor) -> None:
        """Begin a transaction that writes."""
        end = time.monotonic() + self._timeout
        _set_timeout(cursor, min(_LOCK_RETRY, self._timeout))
        try:
            while not self._try(cursor, is_last=time.monotonic() >= min(end, self.end)):
                pass
        finally:
            _set_timeout(cursor, self._timeout)

    def _try(self, cursor: DBAPICursor, *, is_last: bool) -> bool:
        try:
            cursor.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as err:
            # The lowest byte is the kind: busy for any reason, such as the recovery of a journal.
            if is_last or err.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            return False
        return True


def _set_timeout(cursor: DBAPICursor, seconds: float) -> None:
    """Let SQLite wait so long for locks; read the row that the pragma returns.

    A cursor with a row left resets the connection's error when it is freed. The traceback of a wait
    in vain keeps it; if another thread frees that during the next wait, its error has no code and
    says "not an error".
    """
    cursor.execute(f"PRAGMA busy_timeout = {int(1000 * seconds)}")
    cursor.fetchall()


class ServerWaits:
    """Limits waits for rows that other programs have locked on a server.

    The limit is `timeout` seconds, unless the URL or the server sets `lock_timeout`; `limit` sets
    an earlier deadline.
    """

    def __init__(self, connection: Connection, timeout: float) -> None:
        self._driver: Any = connection.connection.driver_connection
        self._end = math.inf  # by time.monotonic()
        self._began = math.inf  # when the open transaction began
        self._alarm: threading.Timer | None = None
        with connection.begin():
            if connection.scalar(text("SHOW lock_timeout")) == "0":
                connection.execute(text(f"SET lock_timeout = {_milliseconds(timeout)}"))

    def begin(self, connection: Connection) -> None:
        """Note that a transaction begins, and limit its waits to the deadline."""
        self._began = time.monotonic()  # set before reading `_end`; `limit` does the reverse
        if self._end < math.inf:
            left = _milliseconds(self._end - time.monotonic())
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {left}")

    def finish(self) -> None:
        """Note that the transaction ended."""
        self._began = math.inf

    def limit(self, seconds: float) -> None:
        """Set the deadline to this time from now; thread-safe."""
        self._end = time.monotonic() + seconds
        self.close()
        # For a transaction that began without this deadline; later ones have it as lock_timeout.
        self._alarm = threading.Timer(seconds, self._cancel, [time.monotonic()])
        self._alarm.daemon = True
        self._alarm.start()

    def close(self) -> None:
        """Stop the timer that would cancel a transaction."""
        if self._alarm is not None:
            self._alarm.cancel()

    def _cancel(self, limited: float) -> None:
        if self._began <= limited:
            self._driver.cancel()


def _milliseconds(seconds: float) -> int:
    """Convert a timeout for a server, for which 0 means no limit."""
    return max(1, int(1000 * seconds))


def _in_use(store: Path | str, by: str) -> StoreError:
    return StoreError(f"in use by {by}; wait until it ends, or use another store", str(store))
