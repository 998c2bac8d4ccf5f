"""Leases of sites: a site is the unit of work, and one run leases it at a time.

A run keeps a site while it fetches from it, reads its feeds, or works on its pages, and gives it
back afterwards. With several runs, nobody else leases it before its host had its `rest`: the delay
between two requests is kept whoever makes them.

`sites.due` is when a site's first new page is due, or earlier: whoever makes a page new wakes its
site, and a lease that finds nothing due corrects the time. So a lease looks at the sites that are
due, however many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache

from sqlalchemy import Connection, Double, bindparam, case, func, or_, select, update

from forest_crawler.store.schema import clean_key, frontier, sites
from forest_crawler.store.section import StoreSection, chunks
from forest_crawler.store.upserts import AnyInsert, start_insert

NO_RUN = "none"
"""The run of leases that are taken outside of a run."""

MAX_REST = 3600.0
"""Max seconds for which a site rests between two runs: no delay that is kept is longer."""


class SiteLeases(StoreSection):
    """The section of the store that leases sites."""

    _run: str | None = None
    _rest = 0.0  # seconds between the requests of two runs to a site

    @property
    def _owner(self) -> str:
        return self._run or NO_RUN

    def lease_site(self, site: str) -> bool:
        """Lease a site, due or not; report whether this run has it now."""
        row = {"site": clean_key(site), "run": self._owner, "fence": 1}
        with self._database.writing("lease") as connection:
            lease = _lease_free(connection.dialect.name)
            return connection.execute(lease, row | {"now": self._now()}).first() is not None

    def owned_sites(self, named: Collection[str]) -> set[str]:
        """Return those of the sites that this run leases."""
        by_key = {clean_key(site): site for site in named}
        found: set[str] = set()
        with self._database.reading() as connection:
            for chunk in chunks(sorted(by_key)):
                values = {"named": chunk, "run": self._owner}
                found |= {by_key[site] for site in connection.scalars(_OWN_NAMED, values)}
        return found

    def wake_unless_owned(self, site: str) -> bool:
        """Report whether this run leases a site; else its next owner finds its held pages."""
        if self.owned_sites([site]):
            return True
        with self._database.writing("release") as connection:
            self._wake_sites(connection, [clean_key(site)], self._now())
        return False

    def note_delay(self, site: str, seconds: float) -> None:
        """Note the delay that a host of a site wants: it is kept from run to run.

        Noted before the first request, it also holds for whoever takes over from a run that is
        gone, however short leases are.
        """
        row = {"site": clean_key(site), "delay": seconds, "fence": 0}
        with self._database.writing("lease") as connection:
            connection.execute(_note_delay(connection.dialect.name), row)

    def count_leased(self) -> tuple[int, int]:
        """Count the sites that this run leases, and those that others do."""
        with self._database.reading() as connection:
            counts: dict[int, int] = dict(
                connection.execute(_COUNT_LEASED, {"run": self._owner}).all()
            )
        return counts.get(1, 0), counts.get(0, 0)

    def _wake_sites(self, connection: Connection, named: Iterable[str], due: float) -> None:
        """Note that pages of some sites are due at a time; in order, so that nobody deadlocks."""
        rows = [{"site": site, "due": due, "fence": 0} for site in sorted({*named})]
        if rows:
            connection.execute(_wake(connection.dialect.name), rows)

    def _wake_all(self, connection: Connection) -> None:
        """Let the next leases find out when the pages of each site are due."""
        is_later = sites.c.due > self._now()
        connection.execute(update(sites).where(is_later).values(due=self._now()))

    def _due_sites(self, connection: Connection) -> list[str]:
        """Return the sites with due pages that this run leases, the longest due first."""
        values = {"run": self._owner, "now": self._now()}
        return list(connection.scalars(_OWN_DUE, values))

    def _lease_sites(self, connection: Connection, limit: int) -> list[str]:
        """Lease more sites with due pages, the longest due first."""
        now = self._now()
        found = list(connection.scalars(_FREE_DUE, {"now": now, "limit": limit}))
        self._mark_sites(connection, found)
        return found

    def _mark_sites(self, connection: Connection, named: Sequence[str]) -> None:
        for chunk in chunks(named):
            connection.execute(_LEASE, {"named": chunk, "owner": self._owner})

    def _correct_due(self, connection: Connection, named: Collection[str]) -> None:
        """Set when the next page of some sites is due."""
        for chunk in chunks(sorted(named)):
            # Locked before the pages are read: whoever adds one wakes its site afterwards.
            locked = list(connection.scalars(_LOCK, {"named": chunk}))
            if locked:
                connection.execute(_CORRECT, {"named": locked, "left_by": self._owner})

    def _free_sites(self, connection: Connection, named: Collection[str]) -> None:
        """Give sites back; others lease them once their hosts had a rest."""
        values = self._rest_values() | {"owner": self._owner}
        for chunk in chunks(sorted(named)):
            connection.execute(_FREE, values | {"named": chunk})

    def _rest_values(self) -> dict[str, float | None]:
        """Return the values of `REST_END`: a rest begins now."""
        until = self._now() + self._rest if self._rest else None
        return {"rested": until, "since": self._now(), "own_delay": self._rest}

    def _forget_delays(self, connection: Connection) -> None:
        """Let runs note delays anew, and end rests that only a wrong clock can have set."""
        connection.execute(update(sites).where(sites.c.delay.is_not(None)).values(delay=None))
        is_late = sites.c.rest > self._now() + MAX_REST
        connection.execute(update(sites).where(is_late).values(rest=None))

    def _free_idle(self, connection: Connection, busy: Collection[str]) -> None:
        """Give back the sites that are neither due nor busy: their feeds are read.

        Those to which others have brought pages meanwhile, by redirects, are due instead.
        """
        idle = set(connection.scalars(_OWN_IDLE, {"run": self._owner, "now": self._now()}))
        idle -= set(busy)
        held = self._find_held(connection, idle) if self._database.is_shared else set()
        self._wake_sites(connection, held, self._now())
        self._free_sites(connection, idle - held)

    def _find_held(self, connection: Connection, named: Collection[str]) -> set[str]:
        """Return those of the sites that have held pages."""
        found: set[str] = set()
        for chunk in chunks(sorted(named)):
            found.update(connection.scalars(_WITH_HELD, {"named": chunk}))
        return found

    def next_due(self) -> float | None:
        """Return when the next new page is due; `None` if there is none.

        A site that nobody leases is also due for the held pages that a run left.
        """
        with self._database.writing("lease") as connection:
            while True:
                found = [connection.execute(it, {"run": self._owner}).first() for it in _FIRST_DUE]
                rows = sorted((row.due, row.site) for row in found if row is not None)
                if not rows or rows[0][0] > self._now():
                    return float(rows[0][0]) if rows else None
                if self._is_left_held(connection, rows[0][1]):
                    return float(rows[0][0])
                self._correct_due(connection, [rows[0][1]])
                exact: float | None = connection.scalar(_DUE_OF, {"site": rows[0][1]})
                if exact is not None and exact <= self._now():
                    return exact

    def _is_left_held(self, connection: Connection, site: str) -> bool:
        """Report whether a site without an owner has held pages, which its next one finds.

        Without other runs, all held pages are found at the beginning.
        """
        if not self._database.is_shared:
            return False
        return connection.scalar(_LEFT_HELD, {"site": site}) is not None


@cache
def _wake(dialect: str) -> AnyInsert:
    insert = start_insert(dialect, sites)
    is_later = or_(sites.c.due.is_(None), sites.c.due > insert.excluded.due)
    sooner = case((is_later, insert.excluded.due), else_=sites.c.due)
    return insert.on_conflict_do_update(index_elements=[sites.c.site], set_={"due": sooner})


@cache
def _note_delay(dialect: str) -> AnyInsert:
    insert = start_insert(dialect, sites)
    is_longer = insert.excluded.delay > func.coalesce(sites.c.delay, 0.0)
    values = {"delay": insert.excluded.delay}
    return insert.on_conflict_do_update(index_elements=[sites.c.site], set_=values, where=is_longer)


@cache
def _lease_free(dialect: str) -> AnyInsert:
    insert = start_insert(dialect, sites)
    is_own = sites.c.run == insert.excluded.run
    is_free = is_own | (sites.c.run.is_(None) & _is_rested)
    values = {"run": insert.excluded.run, "fence": sites.c.fence + 1}
    lease = insert.on_conflict_do_update(index_elements=[sites.c.site], set_=values, where=is_free)
    return lease.returning(sites.c.site)  # type: ignore[return-value]


# Built once, as they run with every lease: building a statement costs more than running it.
_is_named = sites.c.site.in_(bindparam("named", expanding=True))
_is_rested = sites.c.rest.is_(None) | (sites.c.rest <= bindparam("now"))
_OWN_DUE = (
    select(sites.c.site)
    .where((sites.c.run == bindparam("run")) & (sites.c.due <= bindparam("now")))
    .order_by(sites.c.due, sites.c.site)
)
_FREE_DUE = (
    select(sites.c.site)
    .where(sites.c.run.is_(None) & (sites.c.due <= bindparam("now")) & _is_rested)
    .order_by(sites.c.due, sites.c.site)
    .limit(bindparam("limit"))
    .with_for_update(skip_locked=True)
)
_LEASE = update(sites).where(_is_named).values(run=bindparam("owner"), fence=sites.c.fence + 1)
_LOCK = select(sites.c.site).where(_is_named).with_for_update(skip_locked=True)
# A new page with the id of a run is one that this run leaves to the next.
_is_left = func.coalesce(frontier.c.run, "") == bindparam("left_by")
_next = (
    select(func.min(frontier.c.due))
    .where((frontier.c.state == "new") & (frontier.c.site == sites.c.site) & ~_is_left)
    .scalar_subquery()
)
_CORRECT = update(sites).where(_is_named).values(due=_next)
_is_own = sites.c.run == bindparam("owner")
_is_slow = func.coalesce(sites.c.delay, 0.0) > bindparam("own_delay", type_=Double)
REST_END = case(
    (_is_slow, bindparam("since", type_=Double) + sites.c.delay),
    else_=bindparam("rested", type_=Double),
)
"""Until when the hosts of a site have their rest, if that begins now."""
_FREE = update(sites).where(_is_named & _is_own).values(run=None, rest=REST_END)
_is_later = sites.c.due.is_(None) | (sites.c.due > bindparam("now"))
_OWN_IDLE = select(sites.c.site).where((sites.c.run == bindparam("run")) & _is_later)
_OWN_NAMED = select(sites.c.site).where((sites.c.run == bindparam("run")) & _is_named)
_owns = case((sites.c.run == bindparam("run"), 1), else_=0)
_COUNT_LEASED = select(_owns, func.count()).where(sites.c.run.is_not(None)).group_by(_owns)
_has_held = (
    select(frontier.c.id)
    .where((frontier.c.state == "held") & (frontier.c.site == sites.c.site))
    .exists()
)
_WITH_HELD = select(sites.c.site).where(_is_named & _has_held)
_is_free = (sites.c.site == bindparam("site")) & sites.c.run.is_(None)
_LEFT_HELD = select(sites.c.site).where(_is_free & _has_held)
_DUE_OF = select(sites.c.due).where(sites.c.site == bindparam("site"))

_first = select(sites.c.site, sites.c.due).where(sites.c.due.is_not(None))
_first = _first.order_by(sites.c.due).limit(1)
_FIRST_DUE = (_first.where(sites.c.run.is_(None)), _first.where(sites.c.run == bindparam("run")))
