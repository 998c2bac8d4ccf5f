"""`ServerBackend`: PostgreSQL as a store's database: its lock, shared or alone, and its waits."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, pool, text
from sqlalchemy.exc import OperationalError

from forest_crawler.errors import LostConnectionError
from forest_crawler.store.database_errors import explain
from forest_crawler.store.keepalive import SERVER_OPTIONS, keep_alive
from forest_crawler.store.locks import ServerLock, ServerWaits
from forest_crawler.store.store_url import BUSY_TIMEOUT, StoreUrl


class ServerBackend:
    """A database on a server, locked unless it is only read.

    `joins`: the lock is shared with other processes that join; a transaction of one that is stopped
    may stay open for so many seconds.
    """

    def __init__(self, url: StoreUrl, *, read_only: bool, joins: float | None) -> None:
        self._url = url
        self._read_only = read_only
        self._joins = joins
        self._is_used = False
        self._lock: ServerLock | None = None
        self._waits: ServerWaits | None = None
        self._engine = self._create_engine()

    @property
    def is_alone(self) -> bool:
        """Whether nobody else may use the store now, so that its tables can be changed."""
        return self._lock is None or self._lock.is_alone

    def connect(self) -> Connection:
        """Connect, and take the lock; raises `LostConnectionError` without a server."""
        self._waits = None
        connection = self._reach()
        keep_alive(connection)
        if self._read_only:
            _set(connection, "default_transaction_read_only = on")
        else:
            self._take_lock(connection)
        self._waits = ServerWaits(connection, BUSY_TIMEOUT)
        return connection

    def begin_use(self, connection: Connection) -> None:
        """Let others join: the tables are those of this program."""
        self._is_used = True
        if self._joins is not None and self._lock is not None:
            self._lock.share()

    def expect(self, *, writes: bool) -> None:
        """Do nothing before a transaction."""

    def finish(self) -> None:
        """Note that a transaction ended."""
        if self._waits is not None:
            self._waits.finish()

    def limit_waits(self, seconds: float) -> None:
        """Wait for other programs' transactions this long from now; thread-safe."""
        if self._waits is not None:
            self._waits.limit(seconds)

    def compact(self, connection: Connection) -> None:
        """Give space back that deleted rows had, and let the server plan by new numbers."""
        driver: Any = connection.connection.driver_connection
        connection.rollback()
        driver.autocommit = True
        try:
            driver.execute("VACUUM ANALYZE")
        finally:
            driver.autocommit = False

    def disconnect(self) -> None:
        """Forget the connection; the server releases the lock."""
        if self._waits is not None:
            self._waits.close()
        self._engine.dispose()

    def close(self) -> None:
        """Forget the connection for good."""
        self.disconnect()

    def _reach(self) -> Connection:
        try:
            return self._engine.connect()
        except OperationalError as err:
            raise LostConnectionError(explain(err), self._url.name) from err

    def _take_lock(self, connection: Connection) -> None:
        joins = self._joins is not None
        self._lock = ServerLock(connection, self._url.name, joins=joins)
        if not joins:
            return
        if self._is_used:
            self._lock.share()
        _set(connection, f"idle_in_transaction_session_timeout = '{self._joins}s'")

    def _create_engine(self) -> Engine:
        url = self._url.url
        options = {k: v for k, v in SERVER_OPTIONS.items() if k not in url.query}
        engine = create_engine(url, poolclass=pool.StaticPool, connect_args=options)
        event.listen(engine, "begin", self._begin)
        return engine

    def _begin(self, connection: Connection) -> None:
        if self._waits is not None:
            self._waits.begin(connection)


def _set(connection: Connection, option: str) -> None:
    with connection.begin():
        connection.execute(text(f"SET {option}"))
