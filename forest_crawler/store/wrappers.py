"""Wrappers of every site, in use and retired, and how well they fit.

Rows are untrusted input (`wrapper_rows`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update

from forest_crawler.store.records import StoredWrapper
from forest_crawler.store.schema import clean_key, fits, wrappers
from forest_crawler.store.section import AnyRow, StoreSection, chunks
from forest_crawler.store.wrapper_rows import read_document, write_document
from forest_crawler.wrapper.wrapper import Wrapper

FIT_WINDOW = 20
"""Last pages per site for which the store records whether a wrapper fitted: enough to distinguish a
redesign from an odd page, few enough to notice it soon."""


class Wrappers(StoreSection):
    """The section of the store that keeps wrappers and how they fit."""

    def wrappers(self, site: str) -> list[StoredWrapper]:
        """Return a site's wrappers in use, in the order they are tried."""
        in_use = (wrappers.c.site == site) & wrappers.c.retired.is_(None)
        order = (wrappers.c.pinned.desc(), wrappers.c.position, wrappers.c.id)
        with self._database.reading() as connection:
            rows = connection.execute(select(wrappers).where(in_use).order_by(*order)).all()
        return [_stored(row) for row in rows]

    def wrapper_history(self, site: str) -> list[StoredWrapper]:
        """Return a site's retired wrappers, the latest first."""
        retired = (wrappers.c.site == site) & wrappers.c.retired.is_not(None)
        order = (wrappers.c.retired.desc(), wrappers.c.id.desc())
        with self._database.reading() as connection:
            rows = connection.execute(select(wrappers).where(retired).order_by(*order)).all()
        return [_stored(row) for row in rows]

    def sites(self) -> list[str]:
        """Return the sites that have wrappers in use."""
        named = select(wrappers.c.site).where(wrappers.c.retired.is_(None)).distinct()
        with self._database.reading() as connection:
            return list(connection.scalars(named.order_by(wrappers.c.site)))

    def replace_wrappers(self, site: str, found: Sequence[Wrapper], reason: str) -> None:
        """Use these wrappers from now on; pinned ones stay first, the others are retired."""
        rows = [self._wrapper_row(site, wrapper, i, reason) for i, wrapper in enumerate(found)]
        with self._database.writing("wrappers") as connection:
            self._retire(connection, site, reason, wrappers.c.pinned.is_(False))
            if rows:
                connection.execute(insert(wrappers), rows)
            connection.execute(fits.delete().where(fits.c.site == site))

    def pin(self, site: str, wrapper: Wrapper) -> None:
        """Try a wrapper before all others of its site, whatever is induced later."""
        row = self._wrapper_row(site, wrapper, 0, "pinned") | {"pinned": True}
        with self._database.writing("wrappers") as connection:
            self._retire(connection, site, "pinned", wrappers.c.document == row["document"])
            last = select(func.max(wrappers.c.position)).where(wrappers.c.site == site)
            row["position"] = (connection.scalar(last) or 0) + 1
            connection.execute(insert(wrappers), [row])

    def remove_wrappers(self, site: str, reason: str = "removed") -> None:
        """Retire all wrappers of a site, pinned ones included."""
        with self._database.writing("wrappers") as connection:
            self._retire(connection, site, reason)
            connection.execute(fits.delete().where(fits.c.site == site))

    def count_uses(self, hits: Mapping[int, int], misses: Mapping[str, int]) -> None:
        """Add to the hits of wrappers, by id, and to the misses of sites.

        A miss is a page that no wrapper of its site fitted.
        """
        now = self._now()
        hit = [{"number": number, "more": more, "now": now} for number, more in hits.items()]
        missed = [{"of": site, "more": more} for site, more in misses.items()]
        with self._database.writing("wrappers") as connection:
            for statement, rows in ((_HIT, hit), (_MISS, missed)):
                if rows:
                    connection.execute(statement, rows)

    def record_fits(self, fitted: Mapping[str, Sequence[bool]]) -> None:
        """Record for the latest pages of some sites, in order, whether a wrapper fitted."""
        marks = {
            clean_key(site): "".join("1" if fits_it else "0" for fits_it in pages)
            for site, pages in fitted.items()
            if pages
        }
        with self._database.writing("wrappers") as connection:
            known = self._windows(connection, list(marks))
            for statement, is_known in ((_NEXT_FIT, True), (_NEW_FIT, False)):
                rows = [
                    {"of": site, "window": (known.get(site, "") + more)[-FIT_WINDOW:]}
                    for site, more in marks.items()
                    if (site in known) is is_known
                ]
                if rows:
                    connection.execute(statement, rows)

    def recent_fit(self, site: str) -> tuple[int, int]:
        """Count a site's recent pages that a wrapper fitted, and all recent pages."""
        return self.recent_fits([site])[site]

    def recent_fits(self, sites: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Count per site the recent pages that a wrapper fitted, and all recent pages."""
        with self._database.reading() as connection:
            known = self._windows(connection, [clean_key(site) for site in sites])
        windows = {site: known.get(clean_key(site), "") for site in sites}
        return {site: (window.count("1"), len(window)) for site, window in windows.items()}

    def _windows(self, connection: Connection, sites: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for chunk in chunks(sites):
            found |= dict(connection.execute(_FITS, {"sites": chunk}).all())
        return found

    def _wrapper_row(
        self, site: str, wrapper: Wrapper, position: int, reason: str
    ) -> dict[str, Any]:
        return {
            "site": site,
            "position": position,
            "pinned": False,
            "document": write_document(wrapper),
            "created": self._now(),
            "reason": reason,
        }

    def _retire(self, connection: Connection, site: str, reason: str, *which: Any) -> None:
        in_use = (wrappers.c.site == site) & wrappers.c.retired.is_(None)
        values = {"retired": self._now(), "reason": reason}
        connection.execute(update(wrappers).where(in_use, *which).values(**values))


# Built once, as they run every few pages: building a statement costs more than running it.
_HIT = (
    update(wrappers)
    .where(wrappers.c.id == bindparam("number"))
    .values(hits=wrappers.c.hits + bindparam("more"), last_hit=bindparam("now"))
)
_MISS = (
    update(wrappers)
    .where((wrappers.c.site == bindparam("of")) & wrappers.c.retired.is_(None))
    .values(misses=wrappers.c.misses + bindparam("more"))
)
_FITS = select(fits.c.site, fits.c.recent).where(
    fits.c.site.in_(bindparam("sites", expanding=True))
)
_NEW_FIT = insert(fits).values(site=bindparam("of"), recent=bindparam("window"))
_NEXT_FIT = update(fits).where(fits.c.site == bindparam("of")).values(recent=bindparam("window"))


def _stored(row: AnyRow) -> StoredWrapper:
    return StoredWrapper(
        id=row.id,
        wrapper=read_document(row.document, row.site),
        created=row.created,
        hits=row.hits,
        misses=row.misses,
        last_hit=row.last_hit,
        pinned=row.pinned,
        retired=row.retired,
        reason=row.reason,
    )
