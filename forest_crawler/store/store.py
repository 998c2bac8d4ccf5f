"""`Store`: all parts over one database, and the life of a run."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import insert, update

from forest_crawler.store.closing import Closing
from forest_crawler.store.database import Database
from forest_crawler.store.outbox import Outbox
from forest_crawler.store.schema import runs
from forest_crawler.store.section import Clock
from forest_crawler.store.sources import Sources
from forest_crawler.store.wrappers import Wrappers


class Store(Sources, Outbox, Wrappers, Closing):
    """What a crawl knows: sources, frontier, pages, wrappers, articles.

    Every call is a transaction of its own, on disk when it returns; within `batch()`, all are one.
    """

    @property
    def name(self) -> str:
        """The file or address of the store, for messages."""
        return self._database.name

    def file_name(self, path: Path) -> str:
        """What a file of articles is called in the store.

        Relative where it lies beside the store, so that both can be moved together.
        """
        own = self._database.path
        if own is not None and path.is_relative_to(own.parent):
            return path.relative_to(own.parent).as_posix()
        return str(path)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Make all calls within the block one transaction: a commit is what costs time."""
        with self._database.writing("batch"):
            yield

    @contextmanager
    def view(self) -> Iterator[None]:
        """Make all reads within the block one transaction, which sees one state of things."""
        with self._database.reading():
            yield

    def begin_run(self) -> str:
        """Begin a run and return its id: what dead runs had claimed is new again."""
        run = uuid.uuid4().hex
        with self._database.writing("run") as connection:
            self._take_back(connection)
            self._bound_waits(connection)
            self._bound_polls()
            connection.execute(update(runs).where(runs.c.ended.is_(None)).values(ended=self._now()))
            connection.execute(insert(runs).values(id=run, started=self._now()))
        self._run = run
        return run

    def end_run(self) -> None:
        """End the run; what it still leases is new again."""
        with self._database.writing("run") as connection:
            self._take_back(connection)
            connection.execute(update(runs).where(runs.c.id == self._run).values(ended=self._now()))
        self._run = None

    def hurry(self, seconds: float) -> None:
        """From any thread: let calls fail that would wait for another program beyond this time."""
        self._database.hurry(seconds)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()


def open_store(url: str, *, now: Clock = time.time) -> Store:
    """Open a store, `sqlite:///FILE` or `postgresql://…`, and make its tables if there are none.

    Raises `StoreError`, which names the store, where it is newer than this program, damaged,
    locked, no store, or open in another process; nothing is changed then.

    >>> with open_store("sqlite://") as store:
    ...     store.add_source("https://gazette.example/feed").url
    'https://gazette.example/feed'
    """
    return Store(Database(url), now)
