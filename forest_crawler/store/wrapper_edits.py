"""Corrections of wrappers by people: pin a draft, unpin, and restore an earlier wrapper.

Two people may edit one site at a time. Each names the wrappers that the draft began with
(`wrapper_state`); if these have changed since, nothing is written, and the second is told.
"""

from __future__ import annotations

import hashlib

from sqlalchemy import Connection, func, insert, select, update

from forest_crawler.errors import WrapperError
from forest_crawler.store.schema import wrappers
from forest_crawler.store.wrappers import Wrappers
from forest_crawler.wrapper.wrapper import Wrapper

UNPINNED = "unpinned"


class ChangedWrappersError(WrapperError):
    """The wrappers of a site that somebody else has changed since."""


class WrapperEdits(Wrappers):
    """The section of the store that people correct wrappers with."""

    def wrapper_state(self, site: str) -> str:
        """Return a short text that changes with a site's wrappers in use."""
        with self._database.reading() as connection:
            return self._state(connection, site)

    def pin_draft(self, site: str, draft: Wrapper, state: str, replaced: int | None = None) -> int:
        """Pin a wrapper instead of the one that it was edited from; return its number.

        Raises `ChangedWrappersError` unless the wrappers in use are those of `state`.
        """
        row = self._wrapper_row(site, draft, 0, "pinned") | {"pinned": True}
        of_site = wrappers.c.site == site
        with self._database.writing("wrappers") as connection:
            self._refuse_changed(connection, site, state)
            # A correction comes before every other pinned wrapper.
            first = connection.scalar(select(func.min(wrappers.c.position)).where(of_site))
            row["position"] = (first or 0) - 1
            made = connection.execute(insert(wrappers).values(**row)).inserted_primary_key
            assert made is not None  # noqa: S101
            number: int = made.id
            is_same = (wrappers.c.document == row["document"]) & (wrappers.c.id != number)
            self._retire(
                connection, site, _replaced_by(number), is_same | (wrappers.c.id == replaced)
            )
        return number

    def unpin(self, site: str, number: int, state: str) -> None:
        """Retire a pinned wrapper; what it replaced is used again."""
        with self._database.writing("wrappers") as connection:
            self._refuse_changed(connection, site, state)
            is_it = (wrappers.c.id == number) & wrappers.c.pinned
            self._retire(connection, site, UNPINNED, is_it)
            is_replaced = (wrappers.c.site == site) & (wrappers.c.reason == _replaced_by(number))
            values = {"retired": None, "reason": "restored"}
            connection.execute(update(wrappers).where(is_replaced).values(**values))

    def restore_wrapper(self, site: str, number: int, state: str) -> None:
        """Use a retired wrapper again, pinned: otherwise the next induction would replace it."""
        with self._database.writing("wrappers") as connection:
            self._refuse_changed(connection, site, state)
            is_it = (wrappers.c.id == number) & (wrappers.c.site == site)
            values = {"retired": None, "reason": "restored", "pinned": True}
            connection.execute(
                update(wrappers).where(is_it, wrappers.c.retired.is_not(None)).values(**values)
            )

    def _refuse_changed(self, connection: Connection, site: str, state: str) -> None:
        if self._state(connection, site) != state:
            raise ChangedWrappersError(
                f"the wrappers of {site} have changed since you opened this page, in another tab, "
                "by another person or by a crawl; nothing was saved: reload to see them"
            )

    def _state(self, connection: Connection, site: str) -> str:
        in_use = (wrappers.c.site == site) & wrappers.c.retired.is_(None)
        query = select(wrappers.c.id, wrappers.c.pinned).where(in_use).order_by(wrappers.c.id)
        rows = [(row.id, bool(row.pinned)) for row in connection.execute(query)]
        return hashlib.sha256(repr(rows).encode()).hexdigest()[:16]


def _replaced_by(number: int) -> str:
    return f"replaced by pinned wrapper {number}"
