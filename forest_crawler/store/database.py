"""The store's connection: one writer, short transactions, errors with its name.

`SqliteBackend` and `ServerBackend` know how the two databases are opened, locked and waited for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from forest_crawler.errors import InputError, LostConnectionError, StoreError
from forest_crawler.store import upgrades
from forest_crawler.store.crash_points import reach
from forest_crawler.store.database_errors import OutdatedStoreError, no_such_store, store_error
from forest_crawler.store.server_backend import ServerBackend
from forest_crawler.store.sqlite_backend import SqliteBackend
from forest_crawler.store.store_url import StoreUrl, read_store_url


class Backend(Protocol):
    """What differs between the databases that a store can be in."""

    @property
    def is_alone(self) -> bool:
        """Whether nobody else may use the store now, so that its tables can be changed."""

    def connect(self) -> Connection:
        """Connect to the database; on a server, take the lock."""

    def begin_use(self, connection: Connection) -> None:
        """Use the database as a store: its tables are those of this program."""

    def expect(self, *, writes: bool) -> None:
        """Prepare for a transaction."""

    def finish(self) -> None:
        """Note that a transaction ended."""

    def limit_waits(self, seconds: float) -> None:
        """Wait for other programs' transactions this long from now; thread-safe."""

    def compact(self, connection: Connection) -> None:
        """Give space back that deleted rows had."""

    def disconnect(self) -> None:
        """Forget the connection; `connect` makes another one."""

    def close(self) -> None:
        """Forget the connection for good, and release all locks."""


class Database:
    """An open database, locked against other processes that would use it as a store.

    With `read_only`, it takes no lock and can be read while another process writes. `joins`: it is
    shared with other processes that join, on a server; a transaction of one that is stopped may
    stay open for so many seconds.
    """

    def __init__(self, url: str, *, read_only: bool = False, joins: float | None = None) -> None:
        where = read_store_url(url)
        self.name = where.name
        self.path = where.file.absolute() if where.file else None
        self.dialect = where.dialect  # sqlite or postgresql
        self.is_shared = joins is not None  # other processes may use it at the same time
        self.fence: Callable[[Connection], None] | None = None  # called when a write begins
        self._after_commit: list[Callable[[], None]] = []
        self._read_only = read_only
        self._depth = 0
        self._broken = False
        self._lost = False
        self._threads = threading.RLock()
        with ExitStack() as undo, self._named_errors():
            self._backend = _choose_backend(where, read_only=read_only, joins=joins)
            undo.callback(self._backend.close)
            self._connection = self._backend.connect()
            undo.callback(self._connection.close)
            self._open()
            undo.pop_all()

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
                    self._connection = self._backend.connect()
            except StoreError as err:
                raise LostConnectionError(str(err.args[0]), self.name) from err
            self._lost = False

    def compact(self) -> None:
        """Give space back that deleted rows had, and let the server plan by new numbers."""
        with self._threads, self._named_errors():
            self._refuse_lost()
            self._backend.compact(self._connection)

    def lose(self) -> None:
        """Give the connection up; only `reconnect` makes the database usable again."""
        self._lost = True
        if not self._connection.closed:
            self._connection.invalidate()
            self._connection.close()
        self._backend.disconnect()

    def limit_waits(self, seconds: float) -> None:
        """Wait for other programs' transactions this long from now; thread-safe."""
        self._backend.limit_waits(seconds)

    def close(self) -> None:
        """Close the database; SQLite merges its journal into the file."""
        self._connection.close()
        self._backend.close()

    @contextmanager
    def _transaction(self, label: str) -> Iterator[None]:
        with self._threads, self._named_errors():
            if self._depth:
                with self._joined():
                    yield
                return
            self._refuse_lost()
            self._backend.expect(writes=bool(label))
            self._broken, self._depth, self._after_commit = False, 1, []
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
                self._backend.finish()
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
            named = store_error(err, self.name)
            self._lost |= isinstance(named, LostConnectionError)
            raise named from err

    def _open(self) -> None:
        try:
            if self._read_only:
                self._check_tables()
                return
            self._prepare_tables()
        except upgrades.UnusableSchemaError as err:
            raise StoreError(str(err), self.name) from err
        self._backend.begin_use(self._connection)

    def _prepare_tables(self) -> None:
        """Create the tables, or upgrade them unless others use them."""
        with self.writing("schema") as connection:
            is_alone = self._backend.is_alone
            if not is_alone and upgrades.read_version(connection) != upgrades.VERSION:
                raise OutdatedStoreError(
                    "has tables of an earlier version, and other crawls use it; end them, then run "
                    "`forest store migrate`",
                    self.name,
                )
            upgrades.prepare(connection)
            upgrades.check_columns(connection)

    def _check_tables(self) -> None:
        with self.reading() as connection:
            version = upgrades.read_version(connection)
            if version is None:
                raise no_such_store(self.name)
            if version < upgrades.VERSION:
                raise OutdatedStoreError("has tables of an earlier version", self.name)
            upgrades.check_columns(connection)


def _choose_backend(url: StoreUrl, *, read_only: bool, joins: float | None) -> Backend:
    if url.dialect != "sqlite":
        return ServerBackend(url, read_only=read_only, joins=joins)
    if joins is not None:
        raise InputError(
            "several crawls can share only a store in PostgreSQL; name one, or omit --join",
            url.name,
        )
    return SqliteBackend(url, read_only=read_only)
