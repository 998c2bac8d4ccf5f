"""The frontier: every page ever scheduled, once, with its state.

new ─▶ claimed ─▶ held ─▶ done
 ▲────────┘ retry, or its run died      (skipped, failed: from any of the first three)
"claimed" is the stored name of leased pages. For articles over several pages see `article_parts`,
for pages that are fetched again though they are closed or in doubt see `reopening`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, func, select, update

from forest_crawler.store.article_parts import ArticleParts
from forest_crawler.store.leases import Leases
from forest_crawler.store.maintenance import settled_keys
from forest_crawler.store.records import Candidate, State
from forest_crawler.store.reopening import MOVED, Reopening
from forest_crawler.store.schema import clean_key, frontier, mentions
from forest_crawler.store.section import (
    OPEN_STATES,
    chunks,
    distinct_keys,
    new_page_values,
)
from forest_crawler.store.upserts import insert_or_keep


class Frontier(Leases, ArticleParts, Reopening):
    """The section of the store that knows all pages and their states."""

    def schedule(self, candidates: Sequence[Candidate]) -> int:
        """Add unknown pages and return how many; record the sources of all."""
        if not candidates:
            return 0
        by_key: dict[str, Candidate] = {}
        for candidate in candidates:
            by_key.setdefault(clean_key(candidate.key), candidate)
        with self._database.writing("schedule") as connection:
            known = self._page_numbers(connection, list(by_key))
            unknown = [key for key in by_key if key not in known]
            gone = settled_keys(connection, unknown)
            fresh = [by_key[key] for key in unknown if key not in gone]
            added = self._add_pages(connection, [self._new_row(it) for it in fresh])
            if len(added) < len(fresh):  # another process has added them just now
                added |= self._page_numbers(connection, distinct_keys([it.key for it in fresh]))
            named = [it for it in candidates if clean_key(it.key) not in gone]
            self._note_mentions(connection, named, known | added)
        return len(fresh)

    def known_keys(self, keys: Sequence[str]) -> set[str]:
        """Return those of the keys whose page is known."""
        with self._database.reading() as connection:
            numbers = self._page_numbers(connection, distinct_keys(keys))
            gone = settled_keys(connection, [it for it in distinct_keys(keys) if it not in numbers])
        return {key for key in keys if clean_key(key) in numbers or clean_key(key) in gone}

    def follow_part(self, first: str, part: Candidate) -> bool:
        """Schedule a part of a held page's article; the held page waits for it.

        Returns False if that page is known already: as an article of its own, or as a part that
        was fetched or given up.
        """
        with self._database.writing("schedule") as connection:
            row = self._find_pages(connection, [clean_key(first)], ["held"]).get(clean_key(first))
            if row is None or self._page_numbers(connection, [clean_key(part.key)]):
                return False
            if not self._add_pages(connection, [self._new_row(part) | {"part_of": row.id}]):
                return False
            waiting = update(frontier).where(frontier.c.id == row.id).values(state="waiting")
            connection.execute(waiting)
        return True

    def skip(self, key: str, reason: str) -> None:
        """Close a page as not wanted."""
        self._close(key, "skipped", reason)

    def move(self, key: str, target: str) -> None:
        """Skip a page whose URL redirects to another page, which is scheduled."""
        self._close(key, "skipped", MOVED)
        with self._database.writing("release") as connection:
            number = select(frontier.c.id).where(frontier.c.key == target).scalar_subquery()
            moved = (frontier.c.key == key) & (frontier.c.reason == MOVED)
            connection.execute(update(frontier).where(moved).values(moved_to=number))

    def fail(self, key: str, reason: str) -> None:
        """Close a page as not obtainable."""
        self._close(key, "failed", reason)

    def pending(self, site: str, *, within: float = math.inf) -> int:
        """Count the pages of a site that are still to be fetched: new or leased.

        `within`: only those that are leased, or due within so many seconds in this run.
        """
        is_pending = (frontier.c.site == site) & frontier.c.state.in_(("new", "claimed"))
        if within < math.inf:
            is_due = (frontier.c.due <= self._now() + within) & frontier.c.run.is_(None)
            is_pending &= (frontier.c.state == "claimed") | is_due
        with self._database.reading() as connection:
            return (
                connection.scalar(select(func.count()).select_from(frontier).where(is_pending)) or 0
            )

    def state(self, key: str) -> tuple[State, str | None] | None:
        """Return the state of a page and its reason; `None` if it is unknown."""
        found = select(frontier.c.state, frontier.c.reason).where(frontier.c.key == key)
        with self._database.reading() as connection:
            row = connection.execute(found).first()
        return None if row is None else (row.state, row.reason)

    def mentions(self, key: str) -> list[int]:
        """Return the ids of the sources that named a page."""
        found = (
            select(mentions.c.source_id).join_from(mentions, frontier).where(frontier.c.key == key)
        )
        with self._database.reading() as connection:
            return list(connection.scalars(found.order_by(mentions.c.source_id)))

    def account(self) -> dict[str, Any]:
        """Count all pages by state: scheduled = archived + skipped + failed + pending.

        Of the pending ones, some are postponed: fetched in vain or put off, for a later fetch.
        Reads every row: for reports, not for every page.
        """
        counts = select(frontier.c.state, frontier.c.reason, func.count()).group_by(
            frontier.c.state, frontier.c.reason
        )
        with self._database.reading() as connection:
            rows = [tuple(row) for row in connection.execute(counts)]
        in_state = {s: sum(n for state, _, n in rows if state == s) for s, _, _ in rows}
        return {
            "scheduled": sum(in_state.values()),
            "archived": in_state.get("done", 0),
            "skipped": {str(reason): n for state, reason, n in rows if state == "skipped"},
            "failed": {str(reason): n for state, reason, n in rows if state == "failed"},
            "pending": sum(in_state.get(state, 0) for state in OPEN_STATES),
            "postponed": {reason: n for state, reason, n in rows if state == "new" and reason},
            "held": in_state.get("held", 0),
        }

    def _new_row(self, candidate: Candidate) -> dict[str, Any]:
        return new_page_values(candidate, self._now())

    def _add_pages(
        self, connection: Connection, rows: Sequence[Mapping[str, Any]]
    ) -> dict[str, int]:
        """Add pages unless they are known, and wake their sites; return keys and ids."""
        if not rows:
            return {}
        self._wake_sites(connection, {clean_key(row["site"]) for row in rows}, self._now())
        insert = insert_or_keep(connection, frontier).returning(frontier.c.key, frontier.c.id)
        return {row.key: row.id for row in connection.execute(insert, rows)}

    def _page_numbers(self, connection: Connection, keys: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for chunk in chunks(keys):
            rows = select(frontier.c.key, frontier.c.id).where(frontier.c.key.in_(chunk))
            found |= dict(connection.execute(rows).all())
        return found

    def _note_mentions(
        self, connection: Connection, candidates: Sequence[Candidate], numbers: dict[str, int]
    ) -> None:
        named = {
            (numbers[clean_key(c.key)], c.source_id): c.guid
            for c in reversed(candidates)
            if c.source_id is not None
        }
        rows = [
            {"page_id": page, "source_id": source, "guid": guid}
            for (page, source), guid in named.items()
        ]
        if rows:
            connection.execute(insert_or_keep(connection, mentions), rows)

    def _close(self, key: str, state: State, reason: str) -> None:
        with self._database.writing("release") as connection:
            found = self._find_pages(connection, [clean_key(key)], OPEN_STATES)
            for row in found.values():
                self._close_pages(connection, [row.id], state, reason)
                if values := self._closing_values(connection, row, reason):
                    again = update(frontier).where(frontier.c.id == row.id)
                    connection.execute(again.values(**values))
                self._drop_bodies(connection, [row.id])
                if row.part_of is not None:
                    self._wake_first_pages(connection, [row.part_of])

    def _close_pages(
        self, connection: Connection, numbers: Sequence[int], state: State, reason: str | None
    ) -> None:
        values = {"state": state, "reason": reason, "run": None, "lease": None}
        for chunk in chunks(numbers):
            connection.execute(update(frontier).where(frontier.c.id.in_(chunk)).values(**values))
        self._close_parts(connection, numbers)
