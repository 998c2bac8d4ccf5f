"""Insert rows that several processes may insert at the same time.

Looking first and inserting afterwards would fail when another process inserts between the two, so
the database decides.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

AnyInsert: TypeAlias = "sqlite.Insert | postgresql.Insert"


def insert_or_keep(connection: Connection, table: Table) -> AnyInsert:
    """Build an insert that leaves rows alone that exist already."""
    return _insert_or_keep(connection.dialect.name, table)


def insert_or_replace(connection: Connection, table: Table) -> AnyInsert:
    """Build an insert that replaces the other columns of a row with the same primary key."""
    return _insert_or_replace(connection.dialect.name, table)


def start_insert(dialect: str, table: Table) -> AnyInsert:
    """Build an insert that can be told what to do with rows that exist already."""
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


# Cached: building a statement costs more than running it.
@cache
def _insert_or_keep(dialect: str, table: Table) -> AnyInsert:
    return start_insert(dialect, table).on_conflict_do_nothing()


@cache
def _insert_or_replace(dialect: str, table: Table) -> AnyInsert:
    insert = start_insert(dialect, table)
    values = {column.name: insert.excluded[column.name] for column in table.c}
    for column in table.primary_key:
        del values[column.name]
    return insert.on_conflict_do_update(index_elements=list(table.primary_key), set_=values)
