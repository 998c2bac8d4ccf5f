"""Leases: which pages are fetched next, and how they return to the queue.

A leased page's state in the database is "claimed" (see `section.OPEN_STATES`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, case, func, select, update

from forest_crawler.store.records import Lease, State
from forest_crawler.store.schema import frontier
from forest_crawler.store.section import AnyRow, AnySelect, StoreSection, chunks, read_entry
from forest_crawler.urls.hosts import host_of

LEASE_TIME = 3600.0
"""Seconds until a lease expires and its page may be leased again; no fetch takes longer."""

MAX_WAIT = 24 * 3600.0
"""Max seconds until a retry, whatever a server requested or a wrong clock computed."""


class Leases(StoreSection):
    """The section of the store that leases pages to fetch."""

    _run: str | None = None

    def lease(
        self,
        limit: int,
        *,
        per_site: int | None = None,
        slots: Mapping[str, int] | None = None,
    ) -> list[Lease]:
        """Lease up to `limit` due pages: one per site in turn, the oldest first.

        `per_site` is the max number of leased pages per site, earlier leases included; `slots`
        overrides it for single sites.
        """
        if limit <= 0:
            return []
        with self._database.writing("lease") as connection:
            connection.execute(_REVOKE_EXPIRED, {"now": self._now()})
            room = self._room(connection, limit, per_site, slots or {})
            rows = self._pick(connection, room, limit) if room else []
            self._mark_leased(connection, [row.id for row in rows])
        return [_lease(row) for row in rows]

    def retry(
        self, key: str, reason: str, at: float, *, is_answer: bool = True, is_left: bool = False
    ) -> None:
        """Release a leased page, to be fetched again at time `at`.

        `is_answer`: its fetch failed, which counts as an attempt; else it was only put off.
        `is_left`: this run doesn't lease it again.
        """
        is_leased = (frontier.c.key == key) & (frontier.c.state == "claimed")
        values = {
            "state": "new",
            "reason": reason,
            "due": min(at, self._now() + MAX_WAIT),
            "attempts": frontier.c.attempts + int(is_answer),
            "run": self._run if is_left else None,
            "lease": None,
        }
        with self._database.writing("release") as connection:
            connection.execute(update(frontier).where(is_leased).values(**values))

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
                select(frontier.c.id, frontier.c.url).where(new), {"run": self._run or _NO_RUN}
            )
            found = [row.id for row in rows if host_of(row.url) == host]
            for chunk in chunks(found):
                connection.execute(
                    update(frontier).where(frontier.c.id.in_(chunk)).values(**values)
                )
        return len(found)

    def next_due(self) -> float | None:
        """Return when the next new page is due; `None` if there is none."""
        with self._database.reading() as connection:
            due: float | None = connection.scalar(_NEXT_DUE, {"run": self._run or _NO_RUN})
        return due

    def _room(
        self, connection: Connection, limit: int, per_site: int | None, slots: Mapping[str, int]
    ) -> dict[str, tuple[int, int]]:
        """Return each site's first due page and free slots, the oldest page first."""
        busy: dict[str, int] = {}
        if per_site is not None or slots:
            busy = dict(connection.execute(_LEASED).all())
        room: dict[str, tuple[int, int]] = {}
        for head, site in self._due_sites(connection):
            max_leased = slots.get(site, per_site)
            free = limit if max_leased is None else min(limit, max_leased - busy.get(site, 0))
            if free > 0:
                room[site] = (head, free)
        return room

    def _due_sites(self, connection: Connection) -> list[tuple[int, str]]:
        """Return each site's first due page and the site, the oldest page first.

        Hops through the index from site to site, so the cost grows with the sites and with pages
        that are not due yet, not with all pages.
        """
        rows = connection.execute(_DUE_SITES, {"now": self._now(), "run": self._run or _NO_RUN})
        return sorted((head, site) for site, head in rows if head is not None)

    def _pick(
        self, connection: Connection, room: dict[str, tuple[int, int]], limit: int
    ) -> list[AnyRow]:
        """Take one page from each site in turn, until there are `limit`."""
        if len(room) >= limit:
            heads = [head for head, _ in room.values()][:limit]
            rows = select(frontier).where(frontier.c.id.in_(heads)).order_by(frontier.c.id)
            return list(connection.execute(rows))
        share = -(-limit // len(room))
        shares = {site: min(free, share) for site, (_, free) in room.items()}
        queues = {site: self._head(connection, site, size) for site, size in shares.items()}
        if sum(map(len, queues.values())) < limit:
            # Sites with more pages get what sites with few leave over.
            for site, (_, free) in room.items():
                if len(queues[site]) == shares[site] < free:
                    queues[site] = self._head(connection, site, free)
        turns = sorted(
            (turn, row.id, row) for queue in queues.values() for turn, row in enumerate(queue)
        )
        return [row for _, _, row in turns[:limit]]

    def _head(self, connection: Connection, site: str, limit: int) -> Sequence[AnyRow]:
        values = {"of": site, "now": self._now(), "limit": limit, "run": self._run or _NO_RUN}
        return connection.execute(_HEAD, values).all()

    def _mark_leased(self, connection: Connection, numbers: Sequence[int]) -> None:
        values = {
            "state": "claimed",
            "reason": None,
            "run": self._run,
            "lease": self._now() + LEASE_TIME,
        }
        for chunk in chunks(numbers):
            connection.execute(update(frontier).where(frontier.c.id.in_(chunk)).values(**values))

    def _revoke_leases(self, connection: Connection) -> None:
        connection.execute(_REVOKE)

    def _bound_waits(self, connection: Connection) -> None:
        latest = self._now() + MAX_WAIT
        late = (frontier.c.state == "new") & (frontier.c.due > latest)
        connection.execute(update(frontier).where(late).values(due=latest))


# Built once, as they run with every lease: building a statement costs more than running it.
_REVOKE = (
    update(frontier).where(frontier.c.state == "claimed").values(state="new", run=None, lease=None)
)
_REVOKE_EXPIRED = _REVOKE.where(frontier.c.lease < bindparam("now"))
_NO_RUN = "none"
# A new page with the id of this run is one that this run leaves to the next.
_is_ours = func.coalesce(frontier.c.run, "") != bindparam("run")
_NEXT_DUE = select(func.min(frontier.c.due)).where((frontier.c.state == "new") & _is_ours)


def _due_sites() -> AnySelect:
    new = frontier.c.state == "new"
    hops = select(func.min(frontier.c.site).label("site")).where(new).cte("hops", recursive=True)
    after = select(func.min(frontier.c.site)).where(new & (frontier.c.site > hops.c.site))
    hops = hops.union_all(select(after.scalar_subquery()).where(hops.c.site.is_not(None)))
    is_due = (frontier.c.due <= bindparam("now")) & _is_ours
    head = (
        select(frontier.c.id)
        .where(new & (frontier.c.site == hops.c.site) & is_due)
        .order_by(frontier.c.id)
        .limit(1)
        .scalar_subquery()
    )
    return select(hops.c.site, head).where(hops.c.site.is_not(None))


_DUE_SITES = _due_sites()
_HEAD = (
    select(frontier)
    .where(
        (frontier.c.state == "new")
        & (frontier.c.site == bindparam("of"))
        & (frontier.c.due <= bindparam("now"))
        & _is_ours
    )
    .order_by(frontier.c.id)
    .limit(bindparam("limit"))
)


def count_by_site(state: State) -> AnySelect:
    """Build the query for every site with pages in a state, and their number."""
    in_state = frontier.c.state == state
    return select(frontier.c.site, func.count()).where(in_state).group_by(frontier.c.site)


_LEASED = count_by_site("claimed")


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
