"""One database in memory for several simulated processes, as a server is.

Users cannot share a store in SQLite: its processes would wait for each other's transactions. Here
one transaction follows the other, so the leases, fences and turns of PostgreSQL run as they are.
What they do within two transactions at the same time is left to the tests on PostgreSQL.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from forest_crawler.errors import LostConnectionError
from forest_crawler.store import Store
from forest_crawler.store.database import Database
from forest_crawler.store.section import Clock


class SharedDatabase(Database):
    """The connection of one process to a database that others use, too."""

    def __init__(self, shared: Database, is_cut_off: Callable[[], bool]) -> None:
        vars(self).update(vars(shared))
        self.is_shared = True
        self._is_cut_off = is_cut_off
        self._threads = threading.RLock()
        self._after_commit: list[Callable[[], None]] = []
        self.fence = None
        self._lost, self._depth = False, 0

    def lose(self) -> None:
        """Give the connection up, but not that of the others."""
        self._lost = True

    def reconnect(self) -> None:
        """Connect again, if the server can be reached."""
        if self._is_cut_off():
            raise LostConnectionError("connection refused", self.name)
        self._lost = False

    def close(self) -> None:
        """Leave the database to the others."""


class SharedStore(Store):
    """The store of one process; the server has its turns until it is closed."""

    def __init__(
        self, database: SharedDatabase, now: Clock, turns: dict[str, SharedStore], owner: object
    ) -> None:
        super().__init__(database, now)
        self._turns, self.owner = turns, owner

    def take_turn(self, output: str) -> bool:
        """Try to be the process that writes an output, as an advisory lock does."""
        with self._database.reading():
            return self._turns.setdefault(output, self) is self

    def close(self) -> None:
        """Let others take the turns of this process."""
        for output in [output for output, store in self._turns.items() if store is self]:
            del self._turns[output]
