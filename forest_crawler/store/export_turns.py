"""Turns to export: one process at a time writes an output that many could write."""

from __future__ import annotations

from sqlalchemy import Text, bindparam, cast, func, select

from forest_crawler.store.locks import OUTPUT_LOCKS
from forest_crawler.store.section import StoreSection


class ExportTurns(StoreSection):
    """The section of the store that decides whose turn it is."""

    def take_turn(self, output: str) -> bool:
        """Try to be the process that writes an output, until this store is closed.

        On SQLite nobody else does.
        """
        with self._database.reading() as connection:
            if connection.dialect.name != "postgresql":
                return True
            return bool(connection.scalar(_TURN, {"output": output}))


_of_schema = func.concat(func.current_schema(), " ", cast(bindparam("output"), Text))
_TURN = select(func.pg_try_advisory_lock(OUTPUT_LOCKS, func.hashtext(_of_schema)))
