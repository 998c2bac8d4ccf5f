"""Maintenance: how large a store is, who waits, and what may be deleted.

A page that gave no article stays known after its row is gone: its key's hash is kept, so that a
feed that names it again does not bring it back. A page that gave one keeps its row, which feeds,
versions and near-duplicates of the article refer to, but not its feed entry.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, func, select, update

from forest_crawler.store.page_bodies import BodyFolder, name_of, remove_body
from forest_crawler.store.runs import Runs
from forest_crawler.store.schema import (
    articles,
    exports,
    frontier,
    mentions,
    pages,
    runs,
    settled,
    sites,
    tables,
)
from forest_crawler.store.section import chunks
from forest_crawler.store.upserts import insert_or_keep

_BATCH = 5000
"""Pages that are forgotten in one transaction."""


@dataclass(frozen=True, slots=True)
class Vacuumed:
    """What a vacuum has deleted."""

    pages: int  # rows of pages without an article
    sites: int  # rows of sites without open pages
    runs: int
    bodies: int  # files whose page is gone
    entries: int  # feed entries of archived pages


def hash_key(key: str) -> bytes:
    """Return what is kept of the key of a page that is forgotten."""
    return hashlib.sha256(key.encode()).digest()[:16]


class Maintenance(Runs):
    """The section of the store for those who operate it."""

    def sizes(self) -> dict[str, tuple[int, int | None]]:
        """Return the rows and, on a server, the bytes of each table, the largest first."""
        found: dict[str, tuple[int, int | None]] = {}
        with self._database.reading() as connection:
            for table in tables.sorted_tables:
                rows = connection.scalar(select(func.count()).select_from(table)) or 0
                found[table.name] = (rows, self._size_of(connection, table.name))
        return dict(sorted(found.items(), key=lambda row: row[1][1] or row[1][0], reverse=True))

    def total_size(self) -> int | None:
        """Return the bytes of the whole store; `None` if it is in memory."""
        if self._database.path is not None:
            return self._database.path.stat().st_size
        with self._database.reading() as connection:
            if connection.dialect.name != "postgresql":
                return None
            named = [self._size_of(connection, table.name) or 0 for table in tables.sorted_tables]
        return sum(named)

    def waiting_sites(self) -> tuple[int, float | None]:
        """Count the sites that are due and that nobody leases; the longest wait in seconds."""
        now = self._now()
        free = select(func.count(), func.min(sites.c.due)).where(
            sites.c.run.is_(None) & (sites.c.due <= now)
        )
        with self._database.reading() as connection:
            number, first = connection.execute(free).one()
            scheduled = select(func.min(frontier.c.scheduled)).where(frontier.c.state == "new")
            oldest = connection.scalar(scheduled) if number else None
        return number, None if oldest is None else max(0.0, now - max(oldest, first or 0.0))

    def export_lags(self) -> dict[str, int]:
        """Count per file of articles those that it does not have yet."""
        behind = select(func.count()).where(articles.c.seq > exports.c.seq).scalar_subquery()
        with self._database.reading() as connection:
            rows = connection.execute(select(exports.c.file, behind).order_by(exports.c.file))
            return {row[0]: row[1] for row in rows}

    def vacuum(self, max_age: float, bodies: BodyFolder | None = None) -> Vacuumed:
        """Delete what is of no use any more; the store must not be shared, and has no run.

        `max_age`: seconds after which a page without an article is forgotten but for its hash, and
        one with an article loses its feed entry.
        """
        with self._database.writing("run") as connection:
            # One that lost its server may have written bodies that it has not committed yet.
            self._end_dead(connection)
        number = 0
        while some := self._forget_pages(self._now() - max_age):
            number += some
        with self._database.writing("release") as connection:
            is_idle = sites.c.run.is_(None) & sites.c.due.is_(None)
            idle = connection.execute(delete(sites).where(is_idle)).rowcount
            used = select(frontier.c.run).where(frontier.c.run.is_not(None))
            is_over = runs.c.ended.is_not(None) & (runs.c.ended < self._now() - max_age)
            ended = delete(runs).where(is_over & runs.c.id.not_in(used))
            gone = connection.execute(ended).rowcount
        entries = self._forget_entries(self._now() - max_age)
        removed = self._sweep(bodies) if bodies else 0
        self._database.compact()
        return Vacuumed(number, idle, gone, removed, entries)

    def _forget_pages(self, before: float) -> int:
        with self._database.writing("release") as connection:
            rows = connection.execute(_SETTLED, {"before": before, "limit": _BATCH}).all()
            kept = [{"hash": hash_key(row.key)} for row in rows]
            if kept:
                connection.execute(insert_or_keep(connection, settled), kept)
            for chunk in chunks([row.id for row in rows]):
                connection.execute(delete(mentions).where(mentions.c.page_id.in_(chunk)))
                connection.execute(delete(frontier).where(frontier.c.id.in_(chunk)))
        return len(rows)

    def _forget_entries(self, before: float) -> int:
        """Delete the feed entries of archived pages whose bodies are gone; return how many."""
        number, last = 0, 0
        while True:
            with self._database.writing("release") as connection:
                values = {"before": before, "after": last, "limit": _BATCH}
                found = connection.scalars(_WITH_ENTRY, values).all()
                for chunk in chunks(found):
                    forgotten = update(frontier).where(frontier.c.id.in_(chunk))
                    connection.execute(forgotten.values(entry=None))
            if not found:
                return number
            number, last = number + len(found), found[-1]

    def _sweep(self, bodies: BodyFolder) -> int:
        """Remove the files that no page refers to, by whichever path the folder is named."""
        with self._database.reading() as connection:
            addresses = connection.scalars(select(pages.c.body_at)).all()
        used = {name_of(address) for address in addresses if address is not None}
        unused = [address for address in bodies.addresses() if name_of(address) not in used]
        for address in unused:
            remove_body(address)
        return len(unused)

    def _size_of(self, connection: Connection, table: str) -> int | None:
        if connection.dialect.name != "postgresql":
            return None
        size: int | None = connection.scalar(select(func.pg_total_relation_size(table)))
        return size


def settled_keys(connection: Connection, keys: Sequence[str]) -> set[str]:
    """Return those of the keys whose pages are forgotten but for their hashes."""
    by_hash = {hash_key(key): key for key in keys}
    found: set[str] = set()
    for chunk in chunks(list(by_hash)):
        rows = connection.scalars(_KNOWN, {"hashes": chunk})
        found |= {by_hash[bytes(row)] for row in rows}
    return found


_KNOWN = select(settled.c.hash).where(settled.c.hash.in_(bindparam("hashes", expanding=True)))
# A page that another one moved to, or that an article has a part of, is still of use.
_other = frontier.alias("other")
_is_needed = (
    select(_other.c.id)
    .where((_other.c.moved_to == frontier.c.id) | (_other.c.part_of == frontier.c.id))
    .exists()
)
_has_body = select(pages.c.page_id).where(pages.c.page_id == frontier.c.id).exists()
_WITH_ENTRY = (
    select(frontier.c.id)
    .where(
        (frontier.c.id > bindparam("after"))
        & (frontier.c.state == "done")
        & (frontier.c.scheduled < bindparam("before"))
        & frontier.c.entry.is_not(None)
        & ~_has_body
    )
    .order_by(frontier.c.id)
    .limit(bindparam("limit"))
)
_SETTLED = (
    select(frontier.c.id, frontier.c.key)
    .where(
        frontier.c.state.in_(("skipped", "failed"))
        & (frontier.c.scheduled < bindparam("before"))
        & ~_is_needed
        & ~select(articles.c.seq).where(articles.c.page_id == frontier.c.id).exists()
        & ~_has_body
    )
    .limit(bindparam("limit"))
)
