"""Leases: which pages are fetched next, and how they come back when nothing came of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, update

from forest_crawler.store.records import Lease, State
from forest_crawler.store.schema import frontier
from forest_crawler.store.section import AnyRow, AnySelect, Part, chunks, read_entry

LEASE = 3600.0
"""Seconds after which a lease that nothing came of may be claimed again; no fetch takes longer."""

MAX_WAIT = 24 * 3600.0
"""Seconds until a retry at most, whatever a server asked for or a wrong clock made of it."""


class Leases(Part):
    """The part of the store that gives out pages."""

    _run: str | None = None

    def lease(
        self,
        limit: int,
        *,
        per_site: int | None = None,
        places: Mapping[str, int] | None = None,
    ) -> list[Lease]:
        """Take pages to fetch: of every site in turn, the oldest first.

        `per_site`: the most pages of a site that may be claimed at a time, earlier leases included;
        `places`: the same for single sites.
        """
        if limit <= 0:
            return []
        with self._database.writing("lease") as connection:
            self._take_back(connection, frontier.c.lease < self._now())
            room = self._room(connection, limit, per_site, places or {})
            rows = self._pick(connection, room, limit) if room else []
            self._mark_claimed(connection, [row.id for row in rows])
        return [_lease(row) for row in rows]

    def retry(self, key: str, reason: str, at: float) -> None:
        """Give a claimed page back, to be fetched again at a time."""
        due = min(at, self._now() + MAX_WAIT)
        is_claimed = (frontier.c.key == key) & (frontier.c.state == "claimed")
        values = {"state": "new", "reason": reason, "due": due, "run": None, "lease": None}
        with self._database.writing("settle") as connection:
            connection.execute(update(frontier).where(is_claimed).values(**values))

    def next_due(self) -> float | None:
        """When the next new page is due; `None` where there is none."""
        soonest = select(func.min(frontier.c.due)).where(frontier.c.state == "new")
        with self._database.reading() as connection:
            due: float | None = connection.scalar(soonest)
        return due

    def _room(
        self, connection: Connection, limit: int, per_site: int | None, places: Mapping[str, int]
    ) -> dict[str, tuple[int, int]]:
        """The first due page of every site, the oldest first, and how many may be claimed."""
        busy: dict[str, int] = {}
        if per_site is not None or places:
            busy = dict(connection.execute(count_by_site("claimed")).all())
        room: dict[str, tuple[int, int]] = {}
        for head, site in self._due_sites(connection):
            most = places.get(site, per_site)
            free = limit if most is None else min(limit, most - busy.get(site, 0))
            if free > 0:
                room[site] = (head, free)
        return room

    def _due_sites(self, connection: Connection) -> list[tuple[int, str]]:
        """The sites with a due page, and the number of the first; the one with the oldest first.

        Hops through the index from site to site: the cost is that of the sites, and of pages that
        are not due yet, not of all pages.
        """
        rows = connection.execute(_DUE_SITES, {"now": self._now()})
        return sorted((head, site) for site, head in rows if head is not None)

    def _pick(
        self, connection: Connection, room: dict[str, tuple[int, int]], limit: int
    ) -> list[AnyRow]:
        """Of every site in turn one page, until there are enough."""
        if len(room) >= limit:
            heads = [head for head, _ in room.values()][:limit]
            rows = select(frontier).where(frontier.c.id.in_(heads)).order_by(frontier.c.id)
            return list(connection.execute(rows))
        share = -(-limit // len(room))
        asked = {site: min(places, share) for site, (_, places) in room.items()}
        queues = {site: self._head(connection, site, most) for site, most in asked.items()}
        if sum(map(len, queues.values())) < limit:
            # What poor sites leave over is for those that have more.
            for site, (_, places) in room.items():
                if len(queues[site]) == asked[site] < places:
                    queues[site] = self._head(connection, site, places)
        turns = sorted(
            (turn, row.id, row) for queue in queues.values() for turn, row in enumerate(queue)
        )
        return [row for _, _, row in turns[:limit]]

    def _head(self, connection: Connection, site: str, most: int) -> Sequence[AnyRow]:
        return connection.execute(_HEAD, {"of": site, "now": self._now(), "most": most}).all()

    def _mark_claimed(self, connection: Connection, numbers: Sequence[int]) -> None:
        values = {
            "state": "claimed",
            "reason": None,
            "run": self._run,
            "lease": self._now() + LEASE,
            "attempts": frontier.c.attempts + 1,
        }
        for chunk in chunks(numbers):
            connection.execute(update(frontier).where(frontier.c.id.in_(chunk)).values(**values))

    def _take_back(self, connection: Connection, which: Any = True) -> None:
        values = {"state": "new", "run": None, "lease": None}
        claimed = update(frontier).where(frontier.c.state == "claimed")
        connection.execute((claimed if which is True else claimed.where(which)).values(**values))

    def _bound_waits(self, connection: Connection) -> None:
        latest = self._now() + MAX_WAIT
        late = (frontier.c.state == "new") & (frontier.c.due > latest)
        connection.execute(update(frontier).where(late).values(due=latest))


def _due_sites() -> AnySelect:
    new = frontier.c.state == "new"
    hops = select(func.min(frontier.c.site).label("site")).where(new).cte("hops", recursive=True)
    after = select(func.min(frontier.c.site)).where(new & (frontier.c.site > hops.c.site))
    hops = hops.union_all(select(after.scalar_subquery()).where(hops.c.site.is_not(None)))
    head = (
        select(frontier.c.id)
        .where(new & (frontier.c.site == hops.c.site) & (frontier.c.due <= bindparam("now")))
        .order_by(frontier.c.id)
        .limit(1)
        .scalar_subquery()
    )
    return select(hops.c.site, head).where(hops.c.site.is_not(None))


_DUE_SITES = _due_sites()
# Run for every site, so built once: building costs more than running it.
_HEAD = (
    select(frontier)
    .where(
        (frontier.c.state == "new")
        & (frontier.c.site == bindparam("of"))
        & (frontier.c.due <= bindparam("now"))
    )
    .order_by(frontier.c.id)
    .limit(bindparam("most"))
)


def count_by_site(state: State) -> AnySelect:
    """Selects every site with pages in a state, and how many these are."""
    in_state = frontier.c.state == state
    return select(frontier.c.site, func.count()).where(in_state).group_by(frontier.c.site)


def _lease(row: AnyRow) -> Lease:
    return Lease(
        row.key,
        row.url,
        row.site,
        row.source_id,
        row.guid,
        read_entry(row.entry),
        row.attempts + 1,
        row.part_of is not None,
    )
