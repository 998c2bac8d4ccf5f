"""The store's connection: one writer, short transactions, errors with its name.

SQLite runs in WAL mode and syncs every commit, so that neither a killed process nor a power cut
loses a committed transaction. PostgreSQL does so by default.
"""

from __future__ import annotations

import importlib.util
import math
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, pool, select, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from forest_crawler.errors import (
    ConflictError,
    InputError,
    LostConnectionError,
    MissingPackageError,
    StoreError,
)
from forest_crawler.store import upgrades
from forest_crawler.store.crash_points import reach
from forest_crawler.store.keepalive import SERVER_OPTIONS, keep_alive
from forest_crawler.store.locks import ServerLock, ServerWaits, StoreFileLock, WriteLock
from forest_crawler.store.schema import runs

DEFAULT_STORE_URL = "sqlite:///forest.db"
"""The store of a crawl that names none: a file in the working directory."""

BUSY_TIMEOUT = 30.0
"""Seconds to wait for another program's transaction: a backup, or a person with a SQL shell.
The URL overrides it: `sqlite:///FILE?timeout=5`, `postgresql://…?options=-clock_timeout%3D5s`."""

MAX_TIMEOUT = 2**31 / 1000
"""Seconds; SQLite counts milliseconds in 32 bits."""

CHECKED_SIZE = 2**26
"""Bytes up to which a SQLite file is always checked on opening, which takes well under a second.
Larger files are checked only after a run that did not end, as damage is more likely then."""


class Database:
    """An open database, locked against other processes that would use it as a store.

    With `read_only`, it takes no lock and can be read while another process writes. `joins`: it is
    shared with other processes that join, on a server; a transaction of one that is stopped may
    stay open for so many seconds.
    """

    def __init__(self, url: str, *, read_only: bool = False, joins: float | None = None) -> None:
        self._read_only = read_only
        self._joins = joins
        self.fence: Callable[[Connection], None] | None = None  # called when a write begins
        self._after_commit: list[Callable[[], None]] = []
        self._url = _read_url(url)
        file = _sqlite_file(self._url)
        self.path = file.absolute() if file else None
        self.name = store_name(url)
        self._lock: StoreFileLock | ServerLock | None = None
        self._waits: ServerWaits | None = None
        self._depth = 0
        self._label = ""
        self._broken = False
        self._lost = False
        self._is_open = False  # its tables are those of this program
        self._file_id: tuple[int, int] | None = None  # of the file that is open
        if joins is not None and self.dialect == "sqlite":
            raise InputError(
                "several crawls can share only a store in PostgreSQL; name one, or omit --join",
                self.name,
            )
        self._threads = threading.RLock()
        self._write_lock = WriteLock(_read_timeout(self._url))
        if read_only:
            self._refuse_missing()
        elif self.path is not None:
            self._lock = StoreFileLock(self.path)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._url.get_backend_name()

    @property
    def is_shared(self) -> bool:
        """Whether other processes may use the store at the same time."""
        return self._joins is not None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Begin a transaction that only reads, or join the open one."""
        with self._transaction(""):
            yield self._connection

    @contextmanager
    def writing(self, label: str) -> Iterator[Connection]:
        """Begin a transaction, on disk at the end of the block, or join the open one."""
        with self._transaction(label):
            yield self._connection

    def after_commit(self, step: Callable[[], None]) -> None:
        """Do something once the open transaction is committed, and not if it isn't."""
        self._after_commit.append(step)

    @property
    def is_lost(self) -> bool:
        """Whether the connection to a server is lost."""
        return self._lost

    def reconnect(self) -> None:
        """Connect to a server again, and take the lock again.

        Raises `LostConnectionError` if the server is not there yet, or still keeps the lock: for
        the connection that was lost, or for another process.
        """
        with self._threads:
            self.lose()
            try:
                with self._named_errors():
                    self._connect()
            except StoreError as err:
                raise LostConnectionError(str(err.args[0]), self.name) from err
            self._lost = False

    def compact(self) -> None:
        """Give space back that deleted rows had, and let the server plan by new numbers."""
        with self._threads, self._named_errors():
            self._refuse_lost()
            if self.dialect == "sqlite":
                self._pragma("wal_checkpoint(TRUNCATE)")
                self._connection.connection.cursor().execute("VACUUM")
                return
            driver: Any = self._connection.connection.driver_connection
            self._connection.rollback()
            driver.autocommit = True
            try:
                driver.execute("VACUUM ANALYZE")
            finally:
                driver.autocommit = False

    def lose(self) -> None:
        """Give the connection up; only `reconnect` makes the database usable again."""
        self._lost = True
        if self._waits is not None:
            self._waits.close()
        if not self._connection.closed:
            self._connection.invalidate()
            self._connection.close()
        self._engine.dispose()

    def limit_waits(self, seconds: float) -> None:
        """Wait for other programs' transactions this long from now; thread-safe."""
        self._write_lock.end = time.monotonic() + seconds
        if self._waits is not None:
            self._waits.limit(seconds)

    def close(self) -> None:
        """Close the database; SQLite merges its journal into the file."""
        if self._waits is not None:
            self._waits.close()
        if hasattr(self, "_connection"):
            self._connection.close()
        if hasattr(self, "_engine"):
            self._engine.dispose()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    @contextmanager
    def _transaction(self, label: str) -> Iterator[None]:
        with self._threads, self._named_errors():
            if self._depth:
                with self._joined():
                    yield
                return
            self._refuse_lost()
            self._refuse_removed()
            self._label, self._broken, self._depth = label, False, 1
            self._after_commit = []
            try:
                with self._connection.begin():
                    if label and self.fence is not None:
                        self.fence(self._connection)
                    yield
                    self._refuse_broken()
                    if label:
                        reach(f"{label}-before-commit")
            finally:
                self._depth = 0
                if self._waits is not None:
                    self._waits.finish()
            if label:
                reach(f"{label}-after-commit")
            for step in self._after_commit:
                step()

    @contextmanager
    def _joined(self) -> Iterator[None]:
        self._depth += 1
        try:
            yield
        except SQLAlchemyError:
            self._broken = True
            raise
        finally:
            self._depth -= 1

    def _refuse_lost(self) -> None:
        # SQLAlchemy would reconnect by itself, without the lock that was lost with the connection.
        if self._lost:
            raise LostConnectionError("the connection was lost; run again", self.name)

    def _refuse_removed(self) -> None:
        # SQLite would go on writing into a file that has no name any more.
        if self.path is not None and self._file_id not in (None, _file_id(self.path)):
            raise StoreError(
                "was removed or replaced during this run; restore it, or begin again", self.name
            )

    def _refuse_broken(self) -> None:
        # PostgreSQL would roll back silently here, SQLite would commit what came before the error.
        if self._broken:
            raise StoreError(
                "a step of this batch failed; the whole batch is rolled back", self.name
            )

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as err:
            is_lost = isinstance(err, DBAPIError) and err.connection_invalidated
            self._lost |= is_lost
            raise _error_kind(err, is_lost=is_lost)(_explain(err), self.name) from err

    def _open(self) -> None:
        with self._named_errors():
            self._engine = self._create_engine()
            self._connect()
        try:
            self._open_tables()
        except upgrades.UnusableSchemaError as err:
            raise StoreError(str(err), self.name) from err
        if self.dialect == "sqlite" and not self._read_only:
            self._pragma("journal_mode = WAL")  # only once it is known to be a store
            self._file_id = _file_id(self.path) if self.path else None
            self._check_file()

    def _connect(self) -> None:
        self._waits = None
        self._connection = self._engine.connect()
        if self.dialect == "sqlite":
            self._pragma("query_only = ON" if self._read_only else "synchronous = FULL")
            self._pragma("foreign_keys = ON")
        else:
            keep_alive(self._connection)
            self._open_on_server()

    def _open_on_server(self) -> None:
        if self._read_only:
            with self._connection.begin():
                self._connection.execute(text("SET default_transaction_read_only = on"))
        else:
            joins = self._joins is not None
            lock = self._lock = ServerLock(self._connection, self.name, joins=joins)
            if joins:
                if self._is_open:
                    lock.share()
                with self._connection.begin():
                    limit = f"SET idle_in_transaction_session_timeout = '{self._joins}s'"
                    self._connection.exec_driver_sql(limit)
        self._waits = ServerWaits(self._connection, BUSY_TIMEOUT)

    def _open_tables(self) -> None:
        if not self._read_only:
            is_alone = not isinstance(self._lock, ServerLock) or self._lock.is_alone
            with self.writing("schema") as connection:
                if not is_alone and upgrades.read_version(connection) != upgrades.VERSION:
                    raise OutdatedStoreError(_OUTDATED, self.name)
                upgrades.prepare(connection)
                upgrades.check_columns(connection)
            if self._joins is not None and isinstance(self._lock, ServerLock):
                self._lock.share()
            self._is_open = True
            return
        with self.reading() as connection:
            version = upgrades.read_version(connection)
            if version is None:
                raise _no_such_store(self.name)
            if version < upgrades.VERSION:
                raise OutdatedStoreError("has tables of an earlier version", self.name)
            upgrades.check_columns(connection)

    def _refuse_missing(self) -> None:
        # SQLite would create the file.
        if self.path is not None and not self.path.is_file():
            raise _no_such_store(str(_sqlite_file(self._url)))

    def _create_engine(self) -> Engine:
        if self.dialect != "sqlite":
            options = {k: v for k, v in SERVER_OPTIONS.items() if k not in self._url.query}
            engine = create_engine(self._url, poolclass=pool.StaticPool, connect_args=options)
            event.listen(engine, "begin", self._begin_on_server)
            return engine
        arguments: dict[str, Any] = {"check_same_thread": False, "isolation_level": None}
        if "timeout" not in self._url.query:
            arguments["timeout"] = BUSY_TIMEOUT
        engine = create_engine(self._url, poolclass=pool.StaticPool, connect_args=arguments)
        event.listen(engine, "begin", self._begin_sqlite)
        return engine

    def _pragma(self, what: str) -> None:
        """Set a SQLite option that can only be set between transactions."""
        with self._named_errors():
            try:
                self._connection.connection.cursor().execute(f"PRAGMA {what}")
            except sqlite3.Error as err:
                raise StoreError(_advise(str(err)), self.name) from err

    def _begin_sqlite(self, connection: Connection) -> None:
        # A transaction that reads first and then writes can fail half-way; one that takes the write
        # lock at its beginning waits instead.
        if not self._label:
            connection.exec_driver_sql("BEGIN")
            return
        try:
            self._write_lock.begin(connection.connection.cursor())
        except sqlite3.Error as err:
            raise StoreError(_advise(str(err)), self.name) from err

    def _begin_on_server(self, connection: Connection) -> None:
        if self._waits is not None:
            self._waits.begin(connection)

    def _check_file(self) -> None:
        if self.path is None:
            return
        with self.reading() as connection:
            unended = select(runs.c.id).where(runs.c.ended.is_(None)).limit(1)
            if self.path.stat().st_size > CHECKED_SIZE and connection.scalar(unended) is None:
                return
            found = connection.scalar(text("PRAGMA quick_check(1)"))
        if found != "ok":
            raise StoreError(f"is damaged ({found}); restore a copy of it", self.name)


_OUTDATED = (
    "has tables of an earlier version, and other crawls use it; end them, then run "
    "`forest store migrate`"
)


def _error_kind(err: SQLAlchemyError, *, is_lost: bool) -> type[StoreError]:
    if is_lost:
        return LostConnectionError
    state = getattr(getattr(err, "orig", None), "sqlstate", None)
    return ConflictError if state in _CONFLICTS else StoreError


_CONFLICTS = ("40001", "40P01")  # PostgreSQL: serialization failure, deadlock


class OutdatedStoreError(StoreError):
    """A store that must be opened for writing once, which upgrades it."""


def _no_such_store(name: str) -> InputError:
    return InputError("no such store; `forest crawl` makes one, --store names another", name)


def _file_id(path: Path) -> tuple[int, int] | None:
    """Identify the file that has a name now; `None` if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _read_url(text: str) -> URL:
    try:
        url = make_url(text)
        backend = url.get_backend_name()
    except (ArgumentError, ValueError) as err:
        raise InputError("isn't the URL of a store; write sqlite:///FILE", text or "''") from err
    if backend == "postgresql" and "+" not in url.drivername:
        url = url.set(drivername="postgresql+psycopg")
        if importlib.util.find_spec("psycopg") is None:
            raise MissingPackageError("a store on PostgreSQL", "psycopg", extra="postgres")
    if backend not in ("sqlite", "postgresql"):
        raise InputError("only sqlite:///FILE and postgresql://… can be stores", text)
    _read_timeout(url)
    return url


def _read_timeout(url: URL) -> float:
    """Return the seconds to wait for other programs, by the URL or by default."""
    text = str(url.query.get("timeout", BUSY_TIMEOUT))
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < MAX_TIMEOUT:
        shown = url.render_as_string(hide_password=True)
        raise InputError(f"timeout must be a number of seconds, not {text!r}", shown)
    return seconds


def store_file(url: str) -> Path | None:
    """Return the file that a store's URL names; None unless it is a SQLite file.

    >>> str(store_file("sqlite:///forest.db?timeout=5")), store_file("sqlite://")
    ('forest.db', None)
    """
    return _sqlite_file(_read_url(url))


def store_name(url: str) -> str:
    """Return the name of a store for messages: its file, or its URL without a password."""
    file = store_file(url)
    return str(file.absolute()) if file else _read_url(url).render_as_string(hide_password=True)


def _sqlite_file(url: URL) -> Path | None:
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def _explain(err: SQLAlchemyError) -> str:
    if isinstance(err, NoSuchModuleError):
        return f"cannot be opened: {err}"
    if not isinstance(err, DBAPIError) or err.orig is None:
        return str(err)
    return _advise(str(err.orig).partition("\nCONTEXT:")[0].strip())


def _advise(message: str) -> str:
    for words, advice in _ADVICE.items():
        if words in message:
            return f"{message}; {advice}"
    return message


_ADVICE = {
    "canceling statement": "another program uses the same rows: wait for it, or end it",
    "locked": "another program uses it: wait for it, or end it",
    "not a database": "name another file, or restore a copy of it",
    "malformed": "the file is damaged: restore a copy of it",
    "unable to open": "check that its directory exists and is writable",
    "readonly": "make the file and its directory writable",
    "disk is full": "free some space and run again; nothing committed is lost",
    "disk I/O error": "check the disk and its free space, and run again; nothing committed is lost",
}
