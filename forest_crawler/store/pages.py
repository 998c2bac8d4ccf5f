"""Raw pages: held until archived; the last few of every site stay longer.

Those few serve to induce again after a redesign, and to check a site's wrappers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from forest_crawler.store.article_parts import ArticleParts
from forest_crawler.store.leases import count_by_site
from forest_crawler.store.page_bodies import (
    BodyFolder,
    open_bodies,
    pack_body,
    read_body,
    read_packed,
)
from forest_crawler.store.records import MIN_REFUSED, FetchedPage, HeldPage, State
from forest_crawler.store.schema import clean_key, frontier, pages, sources, store_version
from forest_crawler.store.section import AnyRow, AnySelect, chunks, distinct_keys, read_entry

KEPT_PAGES = 12
"""Raw pages that stay per site: a sample has ten, and two may be unfit for it."""


class Pages(ArticleParts):
    """The section of the store that keeps raw pages."""

    bodies: BodyFolder | None = None  # where new bodies are kept; None: in the database

    def open_bodies(self, place: str | None) -> BodyFolder | None:
        """Open this store's folder of bodies in a place; `None` for the database."""
        with self._database.reading() as connection:
            store_id = connection.scalar(select(store_version.c.store_id))
        return open_bodies(place, str(store_id))

    def hold(self, fetched: Sequence[FetchedPage]) -> int:
        """Keep the bodies of pages that are leased or new; return how many."""
        return len(self.hold_keys(fetched))

    def hold_keys(self, fetched: Sequence[FetchedPage]) -> set[str]:
        """Keep the bodies of pages that are leased or new; return their keys.

        Bodies that are files are written before the transaction begins, unless a batch is open: a
        slow disk or network must not hold its locks.
        """
        by_key = {clean_key(page.key): page for page in fetched}
        by_key = {key: self._put_apart(page) for key, page in by_key.items()}
        packed = {key: pack_body(page.body) for key, page in by_key.items() if not page.body_at}
        with self._database.writing("hold") as connection:
            found = self._find_pages(connection, distinct_keys(list(by_key)), ["new", "claimed"])
            others = {key: page for key, page in by_key.items() if key not in found}
            known = self._discard_unused(connection, others)
            if not found:
                return known
            rows = [
                self._held_row(row, by_key[key], packed.get(key, b"")) for key, row in found.items()
            ]
            connection.execute(insert(pages), rows)
            self._mark_held(connection, [row for row in found.values() if row.part_of is None])
            parts = [row for row in found.values() if row.part_of is not None]
            self._mark_held(connection, parts, "part")
            for chunk in chunks([row.part_of for row in parts]):
                self._wake_first_pages(connection, chunk)
        return {by_key[key].key for key in found} | known

    def held_sites(self) -> list[tuple[str, int, int]]:
        """Return sites with held pages: how many are held, how many still to be fetched."""
        held = count_by_site("held").subquery("held_by_site")
        held_site, held_count = held.c
        to_come = (
            select(func.count())
            .select_from(frontier)
            .where((frontier.c.site == held_site) & frontier.c.state.in_(("new", "claimed")))
            .scalar_subquery()
        )
        with self._database.reading() as connection:
            rows = connection.execute(select(held_site, held_count, to_come).order_by(held_site))
            return [(site, number, coming) for site, number, coming in rows]

    def held_pages(
        self, site: str, limit: int, newest: bool = False, *, load: bool = True
    ) -> list[HeldPage]:
        """Return a site's held pages with their parts, the oldest or the newest first.

        Without `load`, bodies that are files are left to `read_packed`, and all are compressed.
        """
        query = _NEWEST_HELD if newest else _OLDEST_HELD
        with self._database.reading() as connection:
            rows = connection.execute(query, {"of": site, "limit": limit}).all()
            parts = self._parts_of(connection, [row.id for row in rows if row.has_parts])
        return [
            replace(
                self._held_page(row, load),
                parts=tuple(self._held_page(part, load) for part in parts.get(row.id, ())),
            )
            for row in rows
        ]

    def recent_pages(
        self, site: str, limit: int = KEPT_PAGES, *, load: bool = True
    ) -> list[HeldPage]:
        """Return the latest archived pages of a site, the newest first; max `KEPT_PAGES`."""
        query = select_pages().where((pages.c.site == site) & pages.c.article.is_not(None))
        return self._read(query.order_by(pages.c.article.desc()).limit(limit), load)

    def read_packed(self, address: str) -> bytes:
        """Read a body that is a file; the database isn't used, so any thread may."""
        return read_packed(address, self._database.name)

    def kept_page(self, key: str) -> HeldPage | None:
        """Return the page with this key, if its body is kept.

        Bodies are kept until a page is archived or closed, and of a site's latest articles.
        """
        found = self._read(select_pages().where(frontier.c.key == key))
        return found[0] if found else None

    def _mark_held(
        self, connection: Connection, rows: Sequence[AnyRow], state: State = "held"
    ) -> None:
        values = {"state": state, "run": None, "lease": None}
        for chunk in chunks([row.id for row in rows]):
            connection.execute(update(frontier).where(frontier.c.id.in_(chunk)).values(**values))

    def _parts_of(self, connection: Connection, firsts: Sequence[int]) -> dict[int, list[AnyRow]]:
        found: dict[int, list[AnyRow]] = {}
        for chunk in chunks(firsts):
            for row in connection.execute(_PARTS, {"firsts": chunk}):
                found.setdefault(row.part_of, []).append(row)
        return found

    def _put_apart(self, page: FetchedPage) -> FetchedPage:
        """Write the body of a page to its folder, if the store has one and the page a body."""
        if self.bodies is None or page.body_at is not None or not page.body:
            return page
        return replace(page, body=b"", body_at=self.bodies.write(page.body))

    def _discard_unused(
        self, connection: Connection, others: Mapping[str, FetchedPage]
    ) -> set[str]:
        """Remove the files of pages that can't be held; return keys of those that are already.

        A step that is repeated, since a server was lost before it confirmed the commit, finds its
        own pages held.
        """
        own = {key: page for key, page in others.items() if page.body_at is not None}
        used: dict[str, str | None] = {}
        for chunk in chunks(list(own)):
            rows = select(frontier.c.key, pages.c.body_at).join_from(frontier, pages)
            used |= dict(connection.execute(rows.where(frontier.c.key.in_(chunk))).all())
        held = {key for key, page in own.items() if used.get(key) == page.body_at}
        self._remove_bodies([page.body_at for key, page in own.items() if key not in held])
        return {own[key].key for key in held}

    def _held_row(self, row: AnyRow, page: FetchedPage, packed: bytes) -> dict[str, Any]:
        return {
            "page_id": row.id,
            "site": row.site,
            "url": page.url,
            "status": page.status,
            "content_type": page.content_type,
            "body": packed,
            "body_at": page.body_at,
            "fetched_at": self._now() if page.fetched_at is None else page.fetched_at,
            "truncated": page.truncated or None,
        }

    def _read(self, query: AnySelect, load: bool = True) -> list[HeldPage]:
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [self._held_page(row, load) for row in rows]

    def _held_page(self, row: AnyRow, load: bool = True) -> HeldPage:
        return HeldPage(
            row.key,
            row.url,
            row.site,
            row.status,
            row.content_type,
            self._body_of(row) if load else b"",
            row.fetched_at,
            read_entry(row.entry),
            row.feed_url,
            row.guid,
            truncated=bool(row.truncated),
            doubts=row.doubts,
            body_at=None if load else row.body_at,
            packed=row.body if not load and row.body_at is None else None,
        )

    def _body_of(self, row: AnyRow) -> bytes:
        if row.body_at is not None:
            return read_body(row.body_at, self._database.name)
        return self._unpack(row.body)

    def _keep_recent(
        self, connection: Connection, numbered: dict[int, int], sites: set[str]
    ) -> None:
        """Turn held pages into recent ones, by article number; delete the oldest.

        Refused pages are not kept: a sample learns nothing from them.
        """
        if numbered:
            for refused in chunks(list(numbered)):
                self._remove_bodies(connection.scalars(_DELETE_REFUSED, {"numbers": refused}).all())
            rows = [{"page": page_id, "number": number} for page_id, number in numbered.items()]
            connection.execute(_KEEP, rows)
        for chunk in chunks(sorted(sites)):
            self._remove_bodies(connection.scalars(_DELETE_OLD, {"sites": chunk}).all())


# Built once, as they run per batch: building a statement costs more than running it.
_KEEP = (
    update(pages).where(pages.c.page_id == bindparam("page")).values(article=bindparam("number"))
)
_is_refused = pages.c.status >= MIN_REFUSED
_is_numbered = pages.c.page_id.in_(bindparam("numbers", expanding=True))
_DELETE_REFUSED = delete(pages).where(_is_numbered & _is_refused).returning(pages.c.body_at)
_rank = func.row_number().over(partition_by=pages.c.site, order_by=pages.c.article.desc())
_ranked = (
    select(pages.c.page_id, _rank.label("rank"))
    .where(pages.c.site.in_(bindparam("sites", expanding=True)) & pages.c.article.is_not(None))
    .subquery("ranked")
)
_is_old = pages.c.page_id.in_(select(_ranked.c.page_id).where(_ranked.c.rank > KEPT_PAGES))
_DELETE_OLD = delete(pages).where(_is_old).returning(pages.c.body_at)


def select_pages() -> AnySelect:
    """Select the columns that `_held_page` needs, of every page whose body is kept."""
    return (
        select(
            frontier.c.id,
            frontier.c.part_of,
            frontier.c.key,
            func.coalesce(pages.c.url, frontier.c.url).label("url"),
            frontier.c.site,
            pages.c.status,
            pages.c.content_type,
            pages.c.body,
            pages.c.body_at,
            pages.c.fetched_at,
            pages.c.truncated,
            frontier.c.entry,
            func.coalesce(sources.c.feed_url, sources.c.url).label("feed_url"),
            frontier.c.guid,
            frontier.c.doubts,
        )
        .join_from(frontier, pages)
        .outerjoin(sources, sources.c.id == frontier.c.source_id)
    )


_later = frontier.alias("later")
_HELD = (
    select_pages()
    .add_columns(
        select(_later.c.id).where(_later.c.part_of == frontier.c.id).exists().label("has_parts")
    )
    .where((frontier.c.site == bindparam("of")) & (frontier.c.state == "held"))
    .limit(bindparam("limit"))
)
_OLDEST_HELD = _HELD.order_by(frontier.c.id)
_NEWEST_HELD = _HELD.order_by(frontier.c.id.desc())
_PARTS = (
    select_pages()
    .where(
        frontier.c.part_of.in_(bindparam("firsts", expanding=True)) & (frontier.c.state == "part")
    )
    .order_by(frontier.c.id)
)
