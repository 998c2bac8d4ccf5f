"""Articles over several pages: the first page waits for each part.

First page: held ─▶ waiting ─▶ held, with one more part, or without it if it could not be fetched.
Part: new ─▶ claimed ─▶ part ─▶ skipped, when its first page is archived, skipped or failed. A part
never becomes an article.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select, update

from forest_crawler.store.schema import frontier
from forest_crawler.store.section import OPEN_STATES, StoreSection, chunks

PART = "part"
"""The reason of a skipped page whose text belongs to another page's article."""


class ArticleParts(StoreSection):
    """The section of the store for pages that form one article."""

    def _wake_first_pages(self, connection: Connection, numbers: Sequence[int]) -> None:
        """Turn waiting first pages to held: their part was fetched or given up."""
        waiting = (frontier.c.id.in_(numbers)) & (frontier.c.state == "waiting")
        connection.execute(update(frontier).where(waiting).values(state="held"))

    def _close_parts(self, connection: Connection, firsts: Sequence[int]) -> None:
        """Skip the open parts of these first pages, and delete their bodies."""
        for chunk in chunks(firsts):
            rows = connection.execute(_PARTS_OF, {"firsts": chunk})
            numbers = [row.id for row in rows if row.state in OPEN_STATES]
            self._drop_bodies(connection, numbers)
            for some in chunks(numbers):
                values = {"state": "skipped", "reason": PART, "run": None, "lease": None}
                connection.execute(update(frontier).where(frontier.c.id.in_(some)).values(**values))


# Filters by first page only: with states in the condition, SQLite scans all pages in them.
_PARTS_OF = select(frontier.c.id, frontier.c.state).where(
    frontier.c.part_of.in_(bindparam("firsts", expanding=True))
)
