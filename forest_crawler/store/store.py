"""`Store`: all sections over one database, and the begin and end of a run."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import func, insert, select, update

from forest_crawler.errors import StoreError
from forest_crawler.store.closing import Closing
from forest_crawler.store.database import Database, OutdatedStoreError
from forest_crawler.store.feed_articles import FeedArticles
from forest_crawler.store.outbox import Outbox
from forest_crawler.store.overview import Overview
from forest_crawler.store.schema import runs
from forest_crawler.store.section import Clock
from forest_crawler.store.sources import Sources
from forest_crawler.store.wrappers import Wrappers


class Store(Sources, Outbox, FeedArticles, Wrappers, Overview, Closing):
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
    def batch(self) -> Iterator[None]:
        """Make all calls within the block one transaction, as commits dominate the cost."""
        with self._database.writing("batch"):
            yield

    @contextmanager
    def view(self) -> Iterator[None]:
        """Make all reads within the block one transaction, of one consistent state."""
        with self._database.reading():
            yield

    def begin_run(self) -> str:
        """Begin a run and return its id; pages that dead runs had leased are new again."""
        run = uuid.uuid4().hex
        with self._database.writing("run") as connection:
            self._revoke_leases(connection)
            self._take_back_left(connection)
            self._bound_waits(connection)
            latest = connection.scalar(select(func.max(runs.c.started)))
            if latest is not None and latest > self._now():  # the clock was set back
                self._wake_all(connection)
            self._forget_pauses(connection)
            self._bound_polls()
            connection.execute(update(runs).where(runs.c.ended.is_(None)).values(ended=self._now()))
            connection.execute(insert(runs).values(id=run, started=self._now()))
        self._run = run
        return run

    def end_run(self) -> None:
        """End the run; pages that it still leases are new again."""
        with self._database.writing("run") as connection:
            self._revoke_leases(connection)
            connection.execute(update(runs).where(runs.c.id == self._run).values(ended=self._now()))
        self._run = None

    @property
    def is_lost(self) -> bool:
        """Whether the connection to a server is lost; `reconnect` may bring it back."""
        return self._database.is_lost

    def reconnect(self) -> None:
        """Connect to a server again and go on with the run.

        Raises `StoreError` if that fails, or if another run began meanwhile.
        """
        self._database.reconnect()
        ended = select(runs.c.ended).where(runs.c.id == self._run)
        with self._database.reading() as connection:
            if self._run is not None and connection.scalar(ended) is not None:
                self._database.lose()
                raise StoreError("another run began while the connection was lost", self.name)

    def limit_waits(self, seconds: float) -> None:
        """Fail calls that wait for another program longer than this; thread-safe."""
        self._database.limit_waits(seconds)

    def close(self) -> None:
        """Close the database and release its lock."""
        self._database.close()


def open_store(url: str, *, now: Clock = time.time) -> Store:
    """Open a store, `sqlite:///FILE` or `postgresql://…`; an empty one gets tables.

    Raises `StoreError`, which names the store, if it is newer than this program, damaged, locked,
    not a store, or open in another process; nothing is changed then.

    >>> with open_store("sqlite://") as store:
    ...     store.add_source("https://gazette.example/feed").url
    'https://gazette.example/feed'
    """
    return Store(Database(url), now)


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
