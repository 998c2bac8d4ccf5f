"""`Store`: all sections over one database."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from forest_crawler.errors import FencedError
from forest_crawler.store.closing import Closing
from forest_crawler.store.database import Database
from forest_crawler.store.database_errors import OutdatedStoreError
from forest_crawler.store.export_turns import ExportTurns
from forest_crawler.store.feed_articles import FeedArticles
from forest_crawler.store.maintenance import Maintenance
from forest_crawler.store.outbox import Outbox
from forest_crawler.store.overview import Overview
from forest_crawler.store.runs import MAX_IDLE, MAX_IDLE_SHARE
from forest_crawler.store.section import Clock
from forest_crawler.store.wrappers import Wrappers


class Store(Maintenance, Outbox, ExportTurns, FeedArticles, Wrappers, Overview, Closing):
    """What a crawl knows: sources, frontier, pages, wrappers, articles.

    Every call is its own transaction, on disk when it returns; calls within `batch()` share one.
    """

    @property
    def name(self) -> str:
        """The file or URL of the store, for messages."""
        return self._database.name

    def file_name(self, path: Path) -> str:
        """Return the name under which the store records a file of articles.

        Relative to the store's directory if the file is inside it, so that both can move together.
        """
        own = self._database.path
        if own is not None and path.is_relative_to(own.parent):
            return path.relative_to(own.parent).as_posix()
        return str(path)

    @contextmanager
    def batch(self, label: str = "batch") -> Iterator[None]:
        """Make all calls within the block one transaction, as commits dominate the cost.

        The label names the transaction in `FOREST_CRASH_AT`.
        """
        with self._database.writing(label):
            yield

    @contextmanager
    def view(self) -> Iterator[None]:
        """Make all reads within the block one transaction, of one consistent state."""
        with self._database.reading():
            yield

    @property
    def is_lost(self) -> bool:
        """Whether the connection to a server is lost; `reconnect` may bring it back."""
        return self._database.is_lost

    def reconnect(self) -> None:
        """Connect to a server again and go on with the run.

        Raises `StoreError` if that fails, or if other runs have taken its leases over.
        """
        self._database.reconnect()
        with self._database.reading() as connection:
            if self._run is not None and self._has_ended(connection):
                self._database.lose()
                if self.is_shared:
                    raise self._fenced()
                raise FencedError("another run began while the connection was lost", self.name)

    def limit_waits(self, seconds: float) -> None:
        """Fail calls that wait for another program longer than this; thread-safe."""
        self._database.limit_waits(seconds)

    def close(self) -> None:
        """Close the database and release its lock."""
        self._database.close()


def open_store(
    url: str, *, now: Clock = time.time, join: float | None = None, bodies: str | None = None
) -> Store:
    """Open a store, `sqlite:///FILE` or `postgresql://…`; an empty one gets tables.

    `join`: share it with other processes, with leases of so many seconds; PostgreSQL only.
    `bodies`: keep the bodies of pages in a directory or at an address, not in the database.
    Raises `StoreError`, which names the store, if it is newer than this program, damaged, locked,
    not a store, or open in another process; nothing is changed then.

    >>> with open_store("sqlite://") as store:
    ...     store.add_source("https://gazette.example/feed").url
    'https://gazette.example/feed'
    """
    idle = None if join is None else min(join * MAX_IDLE_SHARE, MAX_IDLE)
    store = Store(Database(url, joins=idle), now)
    store.lease_seconds = join
    store.bodies = store.open_bodies(bodies)
    return store


def read_store(url: str, *, now: Clock = time.time) -> Store:
    """Open an existing store for reading, also while another process writes to it.

    Raises `InputError` if there is none, and `StoreError` as `open_store` does; writing raises
    `StoreError`. An older store is upgraded first, unless another process uses it.
    """
    try:
        return Store(Database(url, read_only=True), now)
    except OutdatedStoreError:
        open_store(url).close()
    return Store(Database(url, read_only=True), now)
