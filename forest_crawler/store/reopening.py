"""Pages that get another chance: closed ones that a feed still names, and doubtful ones.

skipped, failed ─▶ new   while a feed names the page, with back-off, up to `MAX_AGE`
held ─▶ new              its text is in doubt, so it is fetched again later
An outage may cost hours, but no article: what a site served during it is not the last word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, func, select, update

from forest_crawler.store.article_parts import PART
from forest_crawler.store.doubt_pauses import doubt_pause, is_settled
from forest_crawler.store.records import MAX_DOUBTS
from forest_crawler.store.schema import clean_key, frontier, sources
from forest_crawler.store.section import AnyRow, chunks, distinct_keys
from forest_crawler.store.site_leases import SiteLeases

REOPEN_INTERVAL = 3600.0
"""Seconds until a closed page may be reopened, doubled at each close: seven times within a week."""

MAX_AGE = 7 * 24 * 3600.0
"""Seconds after a page was first scheduled in which it may be reopened."""

MOVED = "moved"
"""The reason of a page whose URL redirects to another one, under which it is held."""

DUPLICATE = "duplicate"
"""The reason of a skipped page whose article another page gave before."""

FINAL_REASONS = frozenset({PART, DUPLICATE, "http-410"})
"""Reasons that stay true: the text is in another article, or the server says that it is gone."""

MIN_CLOSES = 2
"""Times that a page was closed before its next close is lasting: one of them may have been a
notice, or a redirect to the home page."""

SETTLED_AFTER = 7 * 3600.0
"""Seconds after a page was first scheduled from which a further close is no passing outage: that
is the time of its third reopening."""

_MAX_DOUBLINGS = 20


class Reopening(SiteLeases):
    """The section of the store that opens pages again."""

    def reopen(self, keys: Sequence[str], *, at_once: bool = False) -> int:
        """Open closed pages that a feed names and whose pause is over; return how many."""
        now, number = self._now(), 0
        with self._database.writing("schedule") as connection:
            for row in self._reopenable(connection, keys):
                # A time further away than any that is ever set is of a clock that ran ahead.
                if at_once or row.due <= now or row.due > now + MAX_AGE:
                    values = {"state": "new", "due": now, "run": None}
                    connection.execute(
                        update(frontier).where(frontier.c.id == row.id).values(**values)
                    )
                    self._wake_sites(connection, [row.site], now)
                    number += 1
        return number

    def has_reopenable(self, keys: Sequence[str]) -> bool:
        """Report whether some of the pages are closed, but may be reopened later."""
        with self._database.reading() as connection:
            return bool(self._reopenable(connection, keys))

    def put_back(self, key: str, reason: str) -> bool:
        """Drop the body of a held page that is in doubt, and fetch the page again later.

        Returns False and does nothing if that was done often enough.
        """
        with self._database.writing("release") as connection:
            row = self._find_pages(connection, [clean_key(key)], ["held"]).get(clean_key(key))
            if row is None or is_settled(row.doubts, reason):
                return False
            doubts = min(row.doubts, MAX_DOUBTS - 2)  # one more look where only time has passed
            due = self._now() + doubt_pause(doubts)
            values = {"state": "new", "reason": reason, "due": due, "doubts": doubts + 1}
            connection.execute(update(frontier).where(frontier.c.id == row.id).values(**values))
            self._drop_bodies(connection, [row.id])
            self._wake_sites(connection, [row.site], due)
        return True

    def is_lasting(self, key: str, reason: str) -> bool:
        """Report whether a page that is about to be closed for a reason stays so.

        It was closed twice before, and is known for hours; or the reason is final.
        """
        query = select(frontier.c.closes, frontier.c.scheduled).where(frontier.c.key == key)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            return False
        is_old = row.closes >= MIN_CLOSES and row.scheduled <= self._now() - SETTLED_AFTER
        return is_old or reason in FINAL_REASONS

    def count_moves(self, key: str) -> int:
        """Count the pages that redirect to a page."""
        target = select(frontier.c.id).where(frontier.c.key == key).scalar_subquery()
        moved = select(func.count()).select_from(frontier).where(frontier.c.moved_to == target)
        with self._database.reading() as connection:
            return connection.scalar(moved) or 0

    def _reopenable(self, connection: Connection, keys: Sequence[str]) -> list[AnyRow]:
        """Return the closed pages among these that may be reopened, now or later."""
        oldest = self._now() - MAX_AGE
        found: list[AnyRow] = []
        for chunk in chunks(distinct_keys(keys)):
            rows = connection.execute(_CLOSED.where(frontier.c.key.in_(chunk)))
            found += [row for row in rows if _is_closed(row) and row.scheduled > oldest]
        return found

    def _closing_values(self, connection: Connection, row: AnyRow, reason: str) -> dict[str, Any]:
        """Return when a page that is closed may be reopened; its feed is read in full."""
        if reason in FINAL_REASONS or row.part_of is not None:
            return {}
        if row.source_id is not None:
            source = update(sources).where(sources.c.id == row.source_id)
            connection.execute(source.values(etag=None, modified=None))
        due = self._now() + _pause(REOPEN_INTERVAL, row.closes)
        return {"due": due, "closes": row.closes + 1}


_target = frontier.alias("target")
_CLOSED = select(
    *(
        frontier.c[name]
        for name in ("id", "site", "state", "reason", "due", "scheduled", "part_of")
    ),
    _target.c.state.label("target_state"),
).outerjoin_from(frontier, _target, _target.c.id == frontier.c.moved_to)


def _is_closed(row: AnyRow) -> bool:
    """Report whether a page is closed by something that may pass.

    A page that redirects is settled if the page that it leads to gave an article.
    """
    if row.state not in ("skipped", "failed") or row.part_of is not None:
        return False
    is_settled = row.reason == MOVED and row.target_state in (None, "done")
    return row.reason not in FINAL_REASONS and not is_settled


def _pause(interval: float, times: int) -> float:
    return interval * 2.0 ** min(times, _MAX_DOUBLINGS)
