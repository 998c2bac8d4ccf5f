"""Sources: the URLs of the feed list, and when each is polled next."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select, update

from forest_crawler.store.records import Source
from forest_crawler.store.schema import sources
from forest_crawler.store.section import StoreSection
from forest_crawler.store.upserts import insert_or_keep

MAX_INTERVAL = 90 * 24 * 3600.0
"""Max seconds until the next poll: a clock that was a year ahead must not silence a feed."""

_COLUMNS = [column for column in sources.c if column.name != "key"]
_CHANGEABLE = {column.name for column in _COLUMNS} - {"id", "url"}


class Sources(StoreSection):
    """The section of the store that knows the feeds."""

    def add_source(self, url: str) -> Source:
        """Return the source with this URL; add it, due at once, if it is new."""
        with self._database.writing("source") as connection:
            query = select(*_COLUMNS).where(sources.c.key == url)
            found = connection.execute(query).first()
            if found is None:  # or another process adds it just now
                connection.execute(insert_or_keep(connection, sources), [{"key": url, "url": url}])
                found = connection.execute(query).one()
            return Source(*found)

    def due_sources(self, limit: int) -> list[Source]:
        """Return sources to poll now, the longest due first."""
        is_due = ~sources.c.disabled & (sources.c.next_poll <= self._now())
        order = (sources.c.next_poll, sources.c.id)
        with self._database.reading() as connection:
            rows = connection.execute(select(*_COLUMNS).where(is_due).order_by(*order).limit(limit))
            return [Source(*row) for row in rows]

    def sources(self) -> list[Source]:
        """Return all sources, in the order they were added."""
        with self._database.reading() as connection:
            return [
                Source(*row) for row in connection.execute(select(*_COLUMNS).order_by(sources.c.id))
            ]

    def get_source(self, source_id: int) -> Source:
        """Return the source with this id; raises `KeyError` for an unknown one."""
        with self._database.reading() as connection:
            row = connection.execute(select(*_COLUMNS).where(sources.c.id == source_id)).first()
        if row is None:
            raise KeyError(source_id)
        return Source(*row)

    def update_source(self, source_id: int, **changes: Any) -> None:
        """Record what a poll found; `next_poll` is at most `MAX_INTERVAL` from now."""
        if unknown := set(changes) - _CHANGEABLE:
            raise TypeError(f"a source has no changeable {sorted(unknown)}")
        if "next_poll" in changes:
            changes["next_poll"] = min(changes["next_poll"], self._now() + MAX_INTERVAL)
        if not changes:
            return
        with self._database.writing("source") as connection:
            connection.execute(update(sources).where(sources.c.id == source_id).values(**changes))

    def _bound_polls(self) -> None:
        latest = self._now() + MAX_INTERVAL
        with self._database.writing("source") as connection:
            connection.execute(
                update(sources).where(sources.c.next_poll > latest).values(next_poll=latest)
            )
