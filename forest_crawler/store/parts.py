"""Articles over several pages: a page waits for its next part, and they are settled together.

held ─▶ waiting ─▶ held, with one part more, or with none where the part cannot be had
The part itself is new, claimed, then `part`, and never an article: with its first page's, it is
skipped.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, delete, select, update

from forest_crawler.store.schema import frontier, pages
from forest_crawler.store.section import OPEN_STATES, Part, chunks

PART = "part"
"""The reason of a page that is in the article of another one."""


class Parts(Part):
    """The part of the store that knows which pages belong together."""

    def _wake_firsts(self, connection: Connection, numbers: Sequence[int]) -> None:
        """Hold pages again that waited for one of these: it has come, or will not."""
        waiting = (frontier.c.id.in_(numbers)) & (frontier.c.state == "waiting")
        connection.execute(update(frontier).where(waiting).values(state="held"))

    def _close_parts(self, connection: Connection, firsts: Sequence[int]) -> None:
        """Settle the parts of pages that are settled."""
        for chunk in chunks(firsts):
            rows = connection.execute(_PARTS_OF, {"firsts": chunk})
            numbers = [row.id for row in rows if row.state in OPEN_STATES]
            for some in chunks(numbers):
                values = {"state": "skipped", "reason": PART, "run": None, "lease": None}
                connection.execute(update(frontier).where(frontier.c.id.in_(some)).values(**values))
                connection.execute(delete(pages).where(pages.c.page_id.in_(some)))


# By their first pages alone: asked for states, too, SQLite goes through all pages in them.
_PARTS_OF = select(frontier.c.id, frontier.c.state).where(
    frontier.c.part_of.in_(bindparam("firsts", expanding=True))
)
