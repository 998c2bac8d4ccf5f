"""One process a store: a locked file beside a SQLite store, an advisory lock on a server.

Both end with the process, however it ends. Programs that know nothing of them may write to a store
for a while, and are waited for.
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
"""The first of the two numbers of our advisory locks; the second stands for the schema."""

_PATIENCE = 2.0
"""Seconds until a server has seen, even on a busy machine, that a killed process is gone."""

_MOMENT = 0.25
"""Seconds that SQLite waits for a lock before it is looked whether there is still time."""

# A record lock is not passed on to forked workers, which may outlive a killed crawl for a moment;
# but it does not keep a process from itself.
_held_here: set[Path] = set()


class StoreFileLock:
    """`STORE.lock`, held; it says who holds it. The file stays, so that no two lock two files."""

    def __init__(self, path: Path) -> None:
        file = path.resolve()  # one lock, by whatever links it is reached
        self._path = file.with_name(file.name + ".lock")
        if self._path in _held_here:
            raise _in_use(path, "this process")
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as err:
            said = f"cannot be locked: {err.strerror} ({self._path})"
            raise StoreError(f"{said}; make it and its directory writable", str(path)) from err
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
        """Let others in."""
        _held_here.discard(self._path)
        os.close(self._file)


class ServerLock:
    """An advisory lock of the connection; the server lets go of it when the connection ends."""

    def __init__(self, connection: Connection, name: str) -> None:
        lock = func.pg_try_advisory_lock(_FOREST, func.hashtext(func.current_schema()))
        end = time.monotonic() + _PATIENCE
        while not self._try(connection, lock):
            if time.monotonic() > end:
                raise _in_use(name, "another process")
            time.sleep(_PATIENCE / 20)

    def _try(self, connection: Connection, lock: ColumnElement[bool]) -> bool:
        with connection.begin():
            return bool(connection.scalar(select(lock)))

    def release(self) -> None:
        """Nothing is left to do: the connection is closed."""


class WriteLock:
    """SQLite's lock of who writes: waited for `timeout` seconds, and not beyond `end`.

    SQLite waits in one piece, which nobody can cut short; so it waits for moments, one by one.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self.end = math.inf  # as time.monotonic() has it; other threads may set it

    def begin(self, cursor: DBAPICursor) -> None:
        """Begin a transaction that writes."""
        end = time.monotonic() + self._timeout
        cursor.execute(f"PRAGMA busy_timeout = {int(1000 * min(_MOMENT, self._timeout))}")
        try:
            while not self._try(cursor, is_last=time.monotonic() >= min(end, self.end)):
                pass
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {int(1000 * self._timeout)}")

    def _try(self, cursor: DBAPICursor, *, is_last: bool) -> bool:
        try:
            cursor.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as err:
            if is_last or err.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            return False
        return True


class ServerWaits:
    """Waits for rows that others have locked on a server: `timeout` seconds, unless the address or
    the server says otherwise (`lock_timeout`), and once somebody is in a hurry less."""

    def __init__(self, connection: Connection, timeout: float) -> None:
        self._driver: Any = connection.connection.driver_connection
        self._end = math.inf  # as time.monotonic() has it
        self._began = math.inf  # when the open transaction did
        self._alarm: threading.Timer | None = None
        with connection.begin():
            if connection.scalar(text("SHOW lock_timeout")) == "0":
                connection.execute(text(f"SET lock_timeout = {_milliseconds(timeout)}"))

    def begin(self, connection: Connection) -> None:
        """A transaction begins: none of its waits may go beyond the end."""
        self._began = time.monotonic()  # before it is looked for an end: `hurry` is its reverse
        if self._end < math.inf:
            left = _milliseconds(self._end - time.monotonic())
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {left}")

    def finish(self) -> None:
        """The transaction is over."""
        self._began = math.inf

    def hurry(self, seconds: float) -> None:
        """From any thread: wait no longer than until so far from now."""
        self._end = time.monotonic() + seconds
        self.close()
        # A transaction that knows no end yet; others end their waits by themselves.
        self._alarm = threading.Timer(seconds, self._cancel, [time.monotonic()])
        self._alarm.daemon = True
        self._alarm.start()

    def close(self) -> None:
        """Nothing more is to be cancelled."""
        if self._alarm is not None:
            self._alarm.cancel()

    def _cancel(self, hurried: float) -> None:
        if self._began <= hurried:
            self._driver.cancel()


def _milliseconds(seconds: float) -> int:
    """For a server, to which 0 is without end."""
    return max(1, int(1000 * seconds))


def _in_use(store: Path | str, by: str) -> StoreError:
    return StoreError(f"in use by {by}; wait until it ends, or use another store", str(store))
