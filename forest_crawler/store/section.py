"""`StoreSection`: the base of every section of the store, and shared helpers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Connection, Row, Select, bindparam, delete, select

from forest_crawler.feed.entry_codec import EntryValues
from forest_crawler.store.article_lines import read_article
from forest_crawler.store.database import Database
from forest_crawler.store.page_bodies import remove_body, unpack_body
from forest_crawler.store.records import Candidate, State
from forest_crawler.store.schema import clean_key, frontier, pages

Clock: TypeAlias = Callable[[], float]
AnyRow: TypeAlias = "Row[*tuple[Any, ...]]"
AnySelect: TypeAlias = "Select[*tuple[Any, ...]]"

# A leased page's state is "claimed" in the database: the stored value predates the word lease, and
# changing it would change the schema.
OPEN_STATES: tuple[State, ...] = ("new", "claimed", "held", "waiting", "part")
"""States that a page can still leave; done, skipped and failed are final."""

_CHUNK = 500  # values per statement: SQLite allows 32,766, but longer statements gain nothing

_T = TypeVar("_T")


class StoreSection:
    """One subject of the store, such as leases; `Store` inherits all sections."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now
        self.discard_body: Callable[[str], None] = remove_body  # called after a commit

    def _find_pages(
        self, connection: Connection, keys: Sequence[str], states: Sequence[State]
    ) -> dict[str, AnyRow]:
        """Return the pages with these keys that are in one of the states, by clean key."""
        found: dict[str, AnyRow] = {}
        for chunk in chunks(keys):
            rows = connection.execute(_BY_KEY, {"keys": chunk})
            found |= {row.key: row for row in rows if row.state in states}
        return found

    def _drop_bodies(self, connection: Connection, numbers: Sequence[int]) -> None:
        """Delete the bodies of pages."""
        for chunk in chunks(numbers):
            gone = connection.scalars(_DROP, {"numbers": chunk}).all()
            self._remove_bodies(gone)

    def _remove_bodies(self, addresses: Sequence[str | None]) -> None:
        """Remove the files of deleted bodies, once that is committed."""
        for address in addresses:
            if address is not None:
                self._database.after_commit(partial(self.discard_body, address))

    def _unpack(self, packed: bytes) -> bytes:
        return unpack_body(packed, self._database.name)

    def _checked_line(self, row: AnyRow) -> str:
        """Return an article's line; one that isn't JSON is an error, of whoever changed it."""
        packed = self._unpack(row.line)
        read_article(packed, row.seq, self._database.name)
        return packed.decode()


_DROP = (
    delete(pages)
    .where(pages.c.page_id.in_(bindparam("numbers", expanding=True)))
    .returning(pages.c.body_at)
)

# Filters by key only: with states in the condition, SQLite scans all pages in those states.
_COLUMNS = ("key", "id", "site", "state", "part_of", "doubts", "closes", "source_id")
# Locked, since whoever looks goes on to change them, and another process may, too.
_BY_KEY = (
    select(*(frontier.c[name] for name in _COLUMNS))
    .where(frontier.c.key.in_(bindparam("keys", expanding=True)))
    .order_by(frontier.c.id)
    .with_for_update()
)


def chunks(values: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """Split values into runs that fit into one statement."""
    return (values[i : i + _CHUNK] for i in range(0, len(values), _CHUNK))


def distinct_keys(keys: Sequence[str]) -> list[str]:
    """Return the keys as they are stored, each once, in order."""
    return list(dict.fromkeys(map(clean_key, keys)))


def new_page_values(candidate: Candidate, now: float) -> dict[str, Any]:
    """Return the row of a page that is scheduled.

    It is due at once, even if the clock is set back later.
    """
    return {
        "key": candidate.key,
        "url": candidate.url,
        "site": candidate.site,
        "state": "new",
        "source_id": candidate.source_id,
        "guid": candidate.guid,
        "entry": write_entry(candidate.entry),
        "due": 0.0,
        "attempts": 0,
        "scheduled": now,
    }


def write_entry(entry: EntryValues | None) -> str | None:
    """Write the values of a feed entry as ASCII JSON, which can hold any text."""
    return None if entry is None else json.dumps(dict(entry), ensure_ascii=True)


def read_entry(text: str | None) -> EntryValues | None:
    """Read the values of a feed entry from their JSON."""
    if text is None:
        return None
    entry: dict[str, Any] = json.loads(text)
    return entry
