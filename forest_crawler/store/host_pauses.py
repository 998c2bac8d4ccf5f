"""Pauses that hosts request (Retry-After): whoever leases a site next keeps them, too."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from sqlalchemy import Connection, bindparam, delete, select, update

from forest_crawler.store.schema import frontier, pauses
from forest_crawler.store.section import AnyRow, StoreSection
from forest_crawler.store.upserts import AnyInsert, start_insert
from forest_crawler.urls.hosts import host_of

MAX_PAUSE = 24 * 3600.0
"""Max seconds of a pause, whatever a host requested or a wrong clock computed."""


class HostPauses(StoreSection):
    """The section of the store that knows which hosts want a pause."""

    def pause_host(self, host: str, reason: str, until: float) -> None:
        """Lease no page of a host until a time, and poll no source there."""
        row = {"host": host, "reason": reason, "until": min(until, self._now() + MAX_PAUSE)}
        with self._database.writing("release") as connection:
            connection.execute(_pause(connection.dialect.name), [row])

    def pause_ends(self, hosts: Collection[str]) -> dict[str, float]:
        """Return until when those of the hosts want a pause that do."""
        values = {"hosts": sorted(hosts), "now": self._now()}
        with self._database.reading() as connection:
            return {row.host: row.until for row in connection.execute(_PAUSED, values)}

    def _put_off_paused(self, connection: Connection, rows: Sequence[AnyRow]) -> list[AnyRow]:
        """Put pages off whose hosts want a pause; return the others."""
        hosts = {row.id: host_of(row.url) or row.site for row in rows}
        values = {"hosts": sorted({*hosts.values()}), "now": self._now()}
        paused = {row.host: row for row in connection.execute(_PAUSED, values)} if rows else {}
        for row in rows:
            if pause := paused.get(hosts[row.id]):
                later = update(frontier).where(frontier.c.id == row.id)
                connection.execute(later.values(due=pause.until, reason=pause.reason))
        return [row for row in rows if hosts[row.id] not in paused]

    def _forget_pauses(self, connection: Connection) -> None:
        """Delete pauses that are over, or longer than any that is ever set."""
        now = self._now()
        is_over = (pauses.c.until <= now) | (pauses.c.until > now + MAX_PAUSE)
        connection.execute(delete(pauses).where(is_over))


@cache
def _pause(dialect: str) -> AnyInsert:
    """Build the statement for a pause; an earlier one that ends later goes on."""
    insert = start_insert(dialect, pauses)
    values = {"until": insert.excluded.until, "reason": insert.excluded.reason}
    is_later = insert.excluded.until > pauses.c.until
    return insert.on_conflict_do_update(index_elements=[pauses.c.host], set_=values, where=is_later)


_PAUSED = select(pauses).where(
    pauses.c.host.in_(bindparam("hosts", expanding=True)) & (pauses.c.until > bindparam("now"))
)
