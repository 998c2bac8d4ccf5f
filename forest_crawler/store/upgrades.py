"""Upgrades: how a store of an earlier version gets today's tables."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sqlalchemy import Column, Connection, insert, inspect, literal, select, text, update
from sqlalchemy.schema import CreateColumn

from forest_crawler.store.schema import (
    free_sites,
    frontier,
    frontier_by_first,
    frontier_by_run,
    frontier_by_target,
    pages,
    pauses,
    runs,
    settled,
    sites,
    sketch_bands,
    sketches,
    sources,
    store_version,
    tables,
)

Upgrade: TypeAlias = Callable[[Connection], None]


def _add_sketches(connection: Connection) -> None:
    """Add sketches of articles; earlier articles have none."""
    sketches.create(connection)
    sketch_bands.create(connection)


def _add_parts(connection: Connection) -> None:
    """Let pages be parts of another page's article."""
    connection.execute(text("ALTER TABLE frontier ADD COLUMN part_of BIGINT"))
    frontier_by_first.create(connection)


def _forget_sketches(connection: Connection) -> None:
    """Delete all sketches: their algorithm changed, and old ones match no new ones."""
    connection.execute(sketch_bands.delete())
    connection.execute(sketches.delete())


def _add_truncated(connection: Connection) -> None:
    """Let pages record that their end may be missing."""
    connection.execute(text("ALTER TABLE pages ADD COLUMN truncated BOOLEAN"))


def _add_moves(connection: Connection) -> None:
    """Let pages record which page they redirect to; earlier ones don't."""
    connection.execute(text("ALTER TABLE frontier ADD COLUMN moved_to BIGINT"))
    frontier_by_target.create(connection)


def _add_polls(connection: Connection) -> None:
    """Let sources record their last poll; earlier polls are not known."""
    for column in ("last_poll DOUBLE PRECISION", "entries INTEGER", "new INTEGER"):
        connection.execute(text(f"ALTER TABLE sources ADD COLUMN {column}"))


def _add_counters(connection: Connection) -> None:
    """Count doubts and closes by themselves; earlier ones were counted as attempts."""
    for column in ("doubts", "closes"):
        connection.execute(
            text(f"ALTER TABLE frontier ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
        )


def _add_sites(connection: Connection) -> None:
    """Let sites be leased: each site with open pages is due at once."""
    sites.create(connection)
    pauses.create(connection)
    is_open = frontier.c.state.in_(("new", "claimed", "held", "waiting", "part"))
    found = select(frontier.c.site, literal(0.0), literal(0)).where(is_open)
    names = ("site", "due", "fence")
    connection.execute(insert(sites).from_select(names, found.distinct()))


def _add_owners(connection: Connection) -> None:
    """Let several runs share a store, bodies be files, and pages be forgotten."""
    for column in (runs.c.machine, runs.c.pid, runs.c.expires, sites.c.rest, pages.c.body_at):
        _add_column(connection, column)
    frontier_by_run.create(connection)
    free_sites.create(connection, checkfirst=True)
    settled.create(connection)


def _add_hubs(connection: Connection) -> None:
    """Let sources name the hub that reports their news; the next poll reads it."""
    for column in (sources.c.hub, sources.c.topic):
        _add_column(connection, column)


def _add_store_id(connection: Connection) -> None:
    """Let the store have an id; bodies that it has in files stay where they are."""
    _add_column(connection, store_version.c.store_id)
    connection.execute(update(store_version).values(store_id=_new_id()))


def _new_id() -> str:
    return uuid.uuid4().hex[:16]


def _add_delays(connection: Connection) -> None:
    """Let sites record the delay that their hosts want."""
    _add_column(connection, sites.c.delay)


def _add_column(connection: Connection, column: Column[Any]) -> None:
    """Add a column, unless an earlier upgrade has created its table as it is today."""
    known = {it["name"] for it in inspect(connection).get_columns(column.table.name)}
    if column.name not in known:
        definition = CreateColumn(column).compile(dialect=connection.dialect)
        connection.execute(text(f"ALTER TABLE {column.table.name} ADD COLUMN {definition}"))


UPGRADES: Sequence[Upgrade] = (
    _add_sketches,
    _add_parts,
    _forget_sketches,
    _add_truncated,
    _add_moves,
    _add_polls,
    _add_counters,
    _add_sites,
    _add_owners,
    _add_hubs,
    _add_store_id,
    _add_delays,
)
"""The first upgrades version 1 to 2, and so on."""

VERSION = len(UPGRADES) + 1
"""Version of the tables: newer stores are refused, older ones upgraded by `UPGRADES`."""


class UnusableSchemaError(Exception):
    """Tables that this program must not touch."""


def prepare(connection: Connection, upgrades: Sequence[Upgrade] | None = None) -> None:
    """Create the tables of an empty database, or upgrade older ones.

    Runs inside the caller's transaction. Raises `UnusableSchemaError` and changes nothing if the
    database isn't a store, or is a newer one.
    """
    upgrades = UPGRADES if upgrades is None else upgrades
    newest = len(upgrades) + 1
    found = read_version(connection, newest)
    if found is None:
        tables.create_all(connection)
        connection.execute(insert(store_version).values(version=newest, store_id=_new_id()))
        return
    for upgrade in upgrades[found - 1 :]:
        upgrade(connection)
    if found < newest:
        connection.execute(update(store_version).values(version=newest))


def read_version(connection: Connection, newest: int | None = None) -> int | None:
    """Return the version of a store's tables; `None` for a database without tables.

    Raises `UnusableSchemaError` if it isn't a store, or is a newer one.
    """
    names = set(inspect(connection).get_table_names())
    if not names:
        return None
    if store_version.name not in names:
        raise UnusableSchemaError(
            f"holds other tables ({', '.join(sorted(names)[:3])}) and isn't a store; "
            "name another database"
        )
    newest = VERSION if newest is None else newest
    found = connection.scalar(select(store_version.c.version))
    if not isinstance(found, int) or not 1 <= found <= newest:
        raise UnusableSchemaError(
            f"is a store of version {found}, but this program supports versions 1 to {newest}; "
            "use the program that wrote it, or begin a new store"
        )
    return found


def check_columns(connection: Connection) -> None:
    """Raise `UnusableSchemaError` if a store lacks a table or a column."""
    found = {
        name: {column["name"] for column in columns}
        for (_, name), columns in inspect(connection).get_multi_columns().items()
    }
    for table in tables.sorted_tables:
        for column in table.columns:
            if column.name not in found.get(table.name, ()):
                raise UnusableSchemaError(
                    f"lacks the column {column}, so another program has changed it; "
                    "restore a copy, or begin a new store"
                )
