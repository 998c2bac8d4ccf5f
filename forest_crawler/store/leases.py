"""Leases: which pages are fetched next, and how they return to the queue.

A leased page's state in the database is "claimed" (see `section.OPEN_STATES`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, case, func, select, update

from forest_crawler.store.doubt_pauses import count_doubts
from forest_crawler.store.host_pauses import HostPauses
from forest_crawler.store.records import Lease, State
from forest_crawler.store.schema import clean_key, frontier, sites
from forest_crawler.store.section import AnyRow, AnySelect, chunks, read_entry
from forest_crawler.store.site_leases import REST_END, SiteLeases
from forest_crawler.urls.hosts import host_of

LEASE_TIME = 3600.0
"""Seconds until a lease expires and its page may be leased again; no fetch takes longer."""

MAX_WAIT = 24 * 3600.0
"""Max seconds until a retry, whatever a server requested or a wrong clock computed."""


class LeasedWork(NamedTuple):
    """What a run has to do next."""

    pages: list[Lease]  # to fetch
    held: dict[str, int]  # pages per site that another run has fetched


class _MaxLeased(NamedTuple):
    """How many pages of a site may be leased at a time, and how many sites."""

    limit: int
    per_site: int | None
    slots: Mapping[str, int]
    sites: int | None
    busy: Collection[str]

    def of(self, site: str) -> int:
        number = self.slots.get(site, self.per_site)
        return self.limit if number is None else number


class _Room(NamedTuple):
    """How many pages of a site may be leased now, and the first of them."""

    free: int
    head: AnyRow


class Leases(SiteLeases, HostPauses):
    """The section of the store that leases pages to fetch."""

    def lease(
        self,
        limit: int,
        *,
        per_site: int | None = None,
        slots: Mapping[str, int] | None = None,
    ) -> list[Lease]:
        """Lease up to `limit` due pages: one per site in turn, the longest due site first.

        `per_site` is the max number of leased pages per site, earlier leases included; `slots`
        overrides it for single sites.
        """
        return self.lease_work(limit, per_site=per_site, slots=slots).pages

    def lease_work(
        self,
        limit: int,
        *,
        per_site: int | None = None,
        slots: Mapping[str, int] | None = None,
        busy: Collection[str] = (),
        max_sites: int | None = None,
    ) -> LeasedWork:
        """Lease pages as `lease` does, and find held pages of sites that were taken over.

        Sites without either are given back, unless they are `busy`. `max_sites` limits the sites
        that this run leases, earlier ones included.
        """
        if limit <= 0:
            return LeasedWork([], {})
        named = {clean_key(site) for site in busy}
        bounds = _MaxLeased(limit, per_site, slots or {}, max_sites, named)
        with self._database.writing("lease") as connection:
            self._revoke_expired(connection)
            self._free_idle(connection, named)
            room, held = self._room(connection, bounds)
            rows = self._pick(connection, room, limit) if room else []
            rows = self._put_off_paused(connection, rows)
            self._mark_leased(connection, [row.id for row in rows])
            self._count_doubts(connection, rows)
        return LeasedWork([_lease(row) for row in rows], held)

    def retry(
        self, key: str, reason: str, at: float, *, is_answer: bool = True, is_left: bool = False
    ) -> None:
        """Release a leased page, to be fetched again at time `at`.

        `is_answer`: its fetch failed, which counts as an attempt; else it was only put off.
        `is_left`: this run doesn't lease it again.
        """
        is_leased = (frontier.c.key == key) & (frontier.c.state == "claimed")
        due = min(at, self._now() + MAX_WAIT)
        values = {
            "state": "new",
            "reason": reason,
            "due": due,
            "attempts": frontier.c.attempts + int(is_answer),
            "run": self._run if is_left else None,
            "lease": None,
        }
        with self._database.writing("release") as connection:
            named = connection.scalars(select(frontier.c.site).where(is_leased)).all()
            connection.execute(update(frontier).where(is_leased).values(**values))
            self._wake_sites(connection, named, due)

    def leave(self, site: str, host: str, until: float | None = None) -> int:
        """Leave a host's new pages to the next run, or put them off until a time.

        Returns how many there are.
        """
        new = (frontier.c.state == "new") & (frontier.c.site == site) & _is_ours
        values: dict[str, Any] = {"run": self._run}
        if until is not None:
            is_sooner = frontier.c.due < until
            values = {"due": case((is_sooner, until), else_=frontier.c.due)}
        with self._database.writing("release") as connection:
            rows = connection.execute(
                select(frontier.c.id, frontier.c.url).where(new), {"run": self._owner}
            )
            found = [row.id for row in rows if host_of(row.url) == host]
            for chunk in chunks(found):
                connection.execute(
                    update(frontier).where(frontier.c.id.in_(chunk)).values(**values)
                )
        return len(found)

    def _room(
        self, connection: Connection, max_leased: _MaxLeased
    ) -> tuple[dict[str, _Room], dict[str, int]]:
        """Return sites with due pages and free slots; lease more of them if there are few.

        The other sites are those with held pages, and how many.
        """
        room: dict[str, _Room] = {}
        held: dict[str, int] = {}
        own = self._due_sites(connection) or self._lease_more(connection, max_leased, room)
        while own:
            free = self._free_slots(connection, own, max_leased)
            heads = self._heads(connection, own)
            idle = [site for site in own if site not in max_leased.busy]
            held |= self._resume(connection, idle, heads)
            room |= {it: _Room(n, heads[it]) for it, n in free.items() if it in heads}
            own = self._lease_more(connection, max_leased, room)
        return room, held

    def _lease_more(
        self, connection: Connection, max_leased: _MaxLeased, room: Mapping[str, _Room]
    ) -> list[str]:
        number = max_leased.limit - len(room)
        if max_leased.sites is not None:
            number = min(number, max_leased.sites - self.count_leased()[0])
        return self._lease_sites(connection, number) if number > 0 else []

    def _resume(
        self, connection: Connection, idle: Sequence[str], heads: Collection[str]
    ) -> dict[str, int]:
        """Return sites with pages that another run has fetched; give back sites without work."""
        held = self._count_held(connection, idle) if self._database.is_shared else {}
        done = set(idle).difference(held, heads)
        self._correct_due(connection, done)
        self._free_sites(connection, done)
        return held

    def _count_held(self, connection: Connection, named: Sequence[str]) -> dict[str, int]:
        held: dict[str, int] = {}
        for chunk in chunks(named):
            held |= dict(connection.execute(_HELD, {"named": chunk}).all())
        return held

    def _free_slots(
        self, connection: Connection, named: Sequence[str], max_leased: _MaxLeased
    ) -> dict[str, int]:
        busy: dict[str, int] = {}
        if max_leased.per_site is not None or max_leased.slots:
            for chunk in chunks(named):
                busy |= dict(connection.execute(_LEASED, {"named": chunk}).all())
        free = {site: max_leased.of(site) - busy.get(site, 0) for site in named}
        return {site: number for site, number in free.items() if number > 0}

    def _pick(self, connection: Connection, room: Mapping[str, _Room], limit: int) -> list[AnyRow]:
        """Take one page from each site in turn, until there are `limit`."""
        chosen = list(room)[:limit]
        share = -(-limit // len(chosen))
        sizes = {site: min(room[site].free, share) for site in chosen}
        queues = {it: self._queue(connection, room[it].head, n) for it, n in sizes.items()}
        if sum(map(len, queues.values())) < limit:
            # Sites with more pages get what sites with few leave over.
            for site in chosen:
                free = min(room[site].free, limit)
                if len(queues[site]) == sizes[site] < free:
                    queues[site] = self._queue(connection, room[site].head, free)
        turns = sorted(
            (turn, row.id, row) for queue in queues.values() for turn, row in enumerate(queue)
        )
        return [row for _, _, row in turns[:limit]]

    def _heads(self, connection: Connection, named: Sequence[str]) -> dict[str, AnyRow]:
        """Return the first due page of each site that has one."""
        found: dict[str, AnyRow] = {}
        for chunk in chunks(named):
            values = {"named": chunk, "now": self._now(), "run": self._owner}
            found |= {row.site: row for row in connection.execute(_HEADS, values)}
        return found

    def _queue(self, connection: Connection, head: AnyRow, limit: int) -> Sequence[AnyRow]:
        """Return the first due pages of a site, of which the first is known."""
        if limit == 1:
            return [head]
        values = {"of": head.site, "now": self._now(), "limit": limit, "run": self._owner}
        return connection.execute(_HEAD, values).all()

    def _revoke_expired(self, connection: Connection) -> None:
        """Make leased pages new again that this run has forgotten."""
        values = {"now": self._now(), "run": self._run}
        found = connection.execute(_EXPIRED, values).all()
        for chunk in chunks([row.id for row in found]):
            connection.execute(_REVOKE.where(frontier.c.id.in_(chunk)))
        self._wake_sites(connection, {row.site for row in found}, self._now())

    def _mark_leased(self, connection: Connection, numbers: Sequence[int]) -> None:
        values = {
            "state": "claimed",
            "reason": None,
            "run": self._run,
            "lease": self._now() + LEASE_TIME,
        }
        for chunk in chunks(numbers):
            connection.execute(update(frontier).where(frontier.c.id.in_(chunk)).values(**values))

    def _count_doubts(self, connection: Connection, rows: Iterable[AnyRow]) -> None:
        """Count, of pages in doubt, the fetches for which no run was there."""
        now = self._now()
        for row in rows:
            doubts = count_doubts(row.doubts, now - row.due, row.reason)
            if doubts > row.doubts:
                counted = update(frontier).where(frontier.c.id == row.id)
                connection.execute(counted.values(doubts=doubts, due=now))

    def _revoke_leases(self, connection: Connection, owners: Sequence[str] | None = None) -> None:
        """Make the leased pages and sites of some runs free, or of all."""
        leased, leases = [frontier.c.state == "claimed"], sites.c.run.is_not(None)
        if owners is not None:
            leased.append(frontier.c.run.in_(owners))
            leases = sites.c.run.in_(owners)
        named = connection.scalars(select(frontier.c.site).where(*leased).distinct()).all()
        connection.execute(_REVOKE.where(*leased))
        values: dict[str, Any] = {"run": None, "rest": REST_END}
        if owners:
            # Due now at the latest: there may be held pages, too. The next lease corrects the time.
            # Sites that were due already keep their time, and so their place before others.
            is_due = sites.c.due <= self._now()
            values["due"] = case((is_due, sites.c.due), else_=self._now())
        free = update(sites).where(leases).values(**values)
        connection.execute(free, self._rest_values())
        self._wake_sites(connection, named, self._now())

    def _take_back_left(self, connection: Connection, except_of: Sequence[str] = ()) -> None:
        """Let pages be leased again that runs have left to the next, except for those of some."""
        left = (frontier.c.state == "new") & frontier.c.run.is_not(None)
        left &= frontier.c.run.not_in(except_of)
        named = connection.scalars(select(frontier.c.site).where(left).distinct()).all()
        connection.execute(update(frontier).where(left).values(run=None))
        self._wake_sites(connection, named, self._now())

    def _bound_waits(self, connection: Connection) -> None:
        latest = self._now() + MAX_WAIT
        late = (frontier.c.state == "new") & (frontier.c.due > latest)
        connection.execute(update(frontier).where(late).values(due=latest))
        # A time further away than any that is ever set is of a clock that ran ahead, or was set
        # back: the next lease of the site corrects it.
        connection.execute(update(sites).where(sites.c.due > latest).values(due=self._now()))


# Built once, as they run with every lease: building a statement costs more than running it.
_REVOKE = (
    update(frontier).where(frontier.c.state == "claimed").values(state="new", run=None, lease=None)
)
_EXPIRED = select(frontier.c.id, frontier.c.site).where(
    (frontier.c.state == "claimed")
    & (frontier.c.lease < bindparam("now"))
    & frontier.c.run.is_not_distinct_from(bindparam("run"))
)
# A new page with the id of this run is one that this run leaves to the next.
_is_ours = func.coalesce(frontier.c.run, "") != bindparam("run")
_is_due = (frontier.c.state == "new") & (frontier.c.due <= bindparam("now")) & _is_ours


def _heads() -> AnySelect:
    first = (
        select(frontier.c.id)
        .where(_is_due & (frontier.c.site == sites.c.site))
        .order_by(frontier.c.id)
        .limit(1)
        .scalar_subquery()
    )
    named = sites.c.site.in_(bindparam("named", expanding=True))
    return select(frontier).where(frontier.c.id.in_(select(first).where(named)))


_HEADS = _heads()
_HEAD = (
    select(frontier)
    .where(_is_due & (frontier.c.site == bindparam("of")))
    .order_by(frontier.c.id)
    .limit(bindparam("limit"))
)


def count_by_site(state: State) -> AnySelect:
    """Build the query for every site with pages in a state, and their number."""
    in_state = frontier.c.state == state
    return select(frontier.c.site, func.count()).where(in_state).group_by(frontier.c.site)


_is_named = frontier.c.site.in_(bindparam("named", expanding=True))
_LEASED = count_by_site("claimed").where(_is_named)
_HELD = count_by_site("held").where(_is_named)


def _lease(row: AnyRow) -> Lease:
    return Lease(
        row.key,
        row.url,
        row.site,
        row.source_id,
        row.guid,
        read_entry(row.entry),
        row.attempts,
        row.part_of is not None,
    )
