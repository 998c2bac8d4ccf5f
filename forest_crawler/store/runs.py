"""Runs: who crawls, and whose leases are over.

A run that shares its store with others has its leases for a limited time and renews them all by
one row, its heartbeat. When that time is over, another run ends it: its sites are free, its leased
pages are new. From then on the fence refuses whatever it still writes: every transaction of a run
locks the row that others would have to change to end it, and looks whether they have.
"""

from __future__ import annotations

import os
import platform
import uuid
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, insert, select, update

from forest_crawler.errors import FencedError
from forest_crawler.store.leases import Leases
from forest_crawler.store.schema import runs, sites
from forest_crawler.store.source_leases import SourceLeases

LEASE_SECONDS = 60.0
"""Seconds until the leases of a run that is gone are taken over. A process that hangs for longer
loses its work; a longer time would only delay the takeover."""

MAX_IDLE_SHARE = 1 / 3
"""Share of that time for which a transaction may stay open: a stopped process holds its locks
until the server ends its connection, and must not delay the takeover."""

MAX_IDLE = 20.0
"""Max seconds for that, less than others wait for a lock (`BUSY_TIMEOUT`): a process that is
stopped must not end those that wait for it, however long leases are."""


@dataclass(frozen=True, slots=True)
class RunState:
    """A run that has not ended, as `forest store status` shows it."""

    id: str
    machine: str | None
    pid: int | None
    started: float
    expires_in: float | None  # seconds; None: it has the store alone
    sites: int  # that it leases


class Runs(Leases, SourceLeases):
    """The section of the store that begins, renews and ends runs."""

    lease_seconds: float | None = None  # None: the run has the store alone

    @property
    def is_shared(self) -> bool:
        """Whether other runs may use the store at the same time."""
        return self._database.is_shared

    def begin_run(self, *, rest: float = 0.0) -> str:
        """Begin a run and return its id; pages that dead runs had leased are new again.

        `rest`: the seconds between requests of two runs to a site, if they share the store.
        """
        run = uuid.uuid4().hex
        self._rest = rest if self.is_shared else 0.0
        self._database.fence = None
        with self._database.writing("run") as connection:
            live = self._end_dead(connection)
            self._take_back_left(connection, live)
            if not live:
                self._distrust_clock(connection)
                self._forget_delays(connection)
            self._forget_pauses(connection)
            values = {"id": run, "started": self._now(), "pid": os.getpid()}
            connection.execute(insert(runs).values(machine=platform.node() or None, **values))
            self._run = run
            self._renew(connection)
        if self.is_shared:
            self._database.fence = self._check_fence
        return run

    def renew(self) -> int:
        """Renew the leases of this run, and end runs whose leases are over; return how many.

        Raises `FencedError` if others have ended this run.
        """
        with self._database.writing("run") as connection:
            self._renew(connection)
            return self._end_expired(connection)

    def end_run(self) -> None:
        """End the run; pages that it still leases are new again."""
        with self._database.writing("run") as connection:
            if self.is_shared:
                self._give_all_back(connection)
            else:
                self._revoke_leases(connection)
            connection.execute(update(runs).where(runs.c.id == self._run).values(ended=self._now()))
        self._run = self._database.fence = None

    def _give_all_back(self, connection: Connection) -> None:
        """Give all sites back, due when their next page is, or at once if pages are held."""
        own = list(connection.scalars(select(sites.c.site).where(sites.c.run == self._owner)))
        self._revoke_leases(connection, [self._owner])
        self._correct_due(connection, own)
        self._wake_sites(connection, self._count_held(connection, own), self._now())

    def live_runs(self) -> list[RunState]:
        """Return the runs that have not ended, the oldest first."""
        number = select(func.count()).where(sites.c.run == runs.c.id).scalar_subquery()
        query = select(runs, number.label("sites")).where(runs.c.ended.is_(None))
        with self._database.reading() as connection:
            now = self._lease_clock(connection)
            rows = connection.execute(query.order_by(runs.c.started)).all()
        return [
            RunState(
                row.id,
                row.machine,
                row.pid,
                row.started,
                None if row.expires is None else row.expires - now,
                row.sites,
            )
            for row in rows
        ]

    def _end_dead(self, connection: Connection) -> list[str]:
        """End the runs that are gone; return those that are not."""
        if self.is_shared:
            self._end_expired(connection)
            live = select(runs.c.id).where(runs.c.ended.is_(None))
            return list(connection.scalars(live))
        self._revoke_leases(connection)
        connection.execute(update(runs).where(runs.c.ended.is_(None)).values(ended=self._now()))
        return []

    def _distrust_clock(self, connection: Connection) -> None:
        """Correct times that only a wrong clock can have set. Reads all pages that are new."""
        self._bound_waits(connection)
        latest = connection.scalar(select(func.max(runs.c.started)))
        if latest is not None and latest > self._now():  # the clock was set back
            self._wake_all(connection)
        self._bound_polls()

    def _end_expired(self, connection: Connection) -> int:
        """Take the leases of runs over whose time is over. Locked rows are those of live runs."""
        if not self.is_shared:
            return 0
        values = {"me": self._run or "", "now": self._lease_clock(connection)}
        values["since"] = self._server_start(connection) + (self.lease_seconds or 0.0)
        found = list(connection.scalars(_EXPIRED, values))
        if found:
            self._revoke_leases(connection, found)
            ended = update(runs).where(runs.c.id.in_(found))
            connection.execute(ended.values(ended=self._now()))
        return len(found)

    def _renew(self, connection: Connection) -> None:
        if self.lease_seconds is None or not self.is_shared:
            return
        expires = self._lease_clock(connection) + self.lease_seconds
        if connection.execute(_RENEW, {"me": self._run, "until": expires}).rowcount == 0:
            raise self._fenced()

    def _check_fence(self, connection: Connection) -> None:
        if self._has_ended(connection):
            raise self._fenced()

    def _has_ended(self, connection: Connection) -> bool:
        """Report whether others have ended this run; they cannot before the transaction ends."""
        row = connection.execute(_FENCE, {"me": self._run}).first()
        return row is None or row.ended is not None

    def _fenced(self) -> FencedError:
        return FencedError(
            "this process was stopped or cut off for longer than its leases last, and others have "
            "taken its sites over; what it still had in hand, they fetch again",
            self._database.name,
        )

    def _lease_clock(self, connection: Connection) -> float:
        """Return the time by which leases expire: the server's, as machines disagree."""
        if connection.dialect.name != "postgresql":
            return self._now()
        return float(connection.scalar(_SERVER_TIME) or 0.0)

    def _server_start(self, connection: Connection) -> float:
        """Return when the server started: nobody could renew a lease before."""
        if connection.dialect.name != "postgresql":
            return 0.0
        return float(connection.scalar(_SERVER_START) or 0.0)


_SERVER_TIME = select(func.extract("epoch", func.clock_timestamp()))
_SERVER_START = select(func.extract("epoch", func.pg_postmaster_start_time()))
_FENCE = select(runs.c.ended).where(runs.c.id == bindparam("me")).with_for_update(read=True)
_RENEW = (
    update(runs)
    .where((runs.c.id == bindparam("me")) & runs.c.ended.is_(None))
    .values(expires=bindparam("until"))
)
# A run without a time had the store alone, so it is gone.
_is_over = runs.c.expires.is_(None) | (
    (runs.c.expires < bindparam("now")) & (bindparam("since") < bindparam("now"))
)
_EXPIRED = (
    select(runs.c.id)
    .where(runs.c.ended.is_(None) & (runs.c.id != bindparam("me")) & _is_over)
    .with_for_update(skip_locked=True)
)
