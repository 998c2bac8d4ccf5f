"""Sources: the URLs of the feed list, and when each is polled next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from forest_crawler.store.records import Source
from forest_crawler.store.schema import clean_key, sources
from forest_crawler.store.section import StoreSection, chunks
from forest_crawler.store.upserts import insert_or_keep

MAX_INTERVAL = 90 * 24 * 3600.0
"""Max seconds until the next poll: a clock that was a year ahead must not silence a feed."""

_COLUMNS = [column for column in sources.c if column.name != "key"]
_BY_KEY = select(sources.c.key, *_COLUMNS).where(
    sources.c.key.in_(bindparam("keys", expanding=True))
)
_CHANGEABLE = {column.name for column in _COLUMNS} - {"id", "url"}


class Sources(StoreSection):
    """The section of the store that knows the feeds."""

    def add_source(self, url: str) -> Source:
        """Return the source with this URL; add it, due at once, if it is new."""
        return self.add_sources([url])[0]

    def add_sources(self, urls: Sequence[str]) -> list[Source]:
        """Return the sources with these URLs, in order; add those that are new, due at once."""
        keys = [clean_key(url) for url in urls]
        with self._database.writing("source") as connection:
            known = self._find_sources(connection, keys)
            new = {key: url for key, url in zip(keys, urls, strict=True) if key not in known}
            if new:  # unless another process adds them just now
                rows = [{"key": url, "url": url} for url in new.values()]
                connection.execute(insert_or_keep(connection, sources), rows)
                known |= self._find_sources(connection, list(new))
        return [known[key] for key in keys]

    def _find_sources(self, connection: Connection, keys: Sequence[str]) -> dict[str, Source]:
        found: dict[str, Source] = {}
        for chunk in chunks(keys):
            rows = connection.execute(_BY_KEY, {"keys": chunk})
            found |= {key: Source(*row) for key, *row in rows}
        return found

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
