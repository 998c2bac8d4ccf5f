"""Counts over a whole store, for reports: pages, articles, runs and wrappers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sqlalchemy import case, func, select

from forest_crawler.errors import WrapperError
from forest_crawler.store.records import State
from forest_crawler.store.schema import articles, frontier, runs, wrappers
from forest_crawler.store.section import StoreSection
from forest_crawler.store.wrapper_rows import read_document


class Overview(StoreSection):
    """The section of the store that counts; each call reads every row of a table."""

    def count_states(self) -> dict[State, int]:
        """Count the pages in each state."""
        counts = select(frontier.c.state, func.count()).group_by(frontier.c.state)
        with self._database.reading() as connection:
            return dict(connection.execute(counts).all())

    def count_sites(self) -> int:
        """Count the sites with at least one page."""
        with self._database.reading() as connection:
            return connection.scalar(select(func.count(frontier.c.site.distinct()))) or 0

    def count_archived(self, borders: Sequence[float]) -> list[int]:
        """Count the articles archived from each time, ascending, until the next one."""
        archived = articles.c.archived
        counts = [
            func.sum(case(((archived >= since) & (archived < until), 1), else_=0))
            for since, until in pairwise(borders)
        ]
        with self._database.reading() as connection:
            return [number or 0 for number in connection.execute(select(*counts)).one()]

    def oldest_pending(self) -> float | None:
        """Return when the oldest page that is still to be fetched was scheduled."""
        is_pending = frontier.c.state.in_(("new", "claimed"))
        oldest = select(func.min(frontier.c.scheduled)).where(is_pending)
        with self._database.reading() as connection:
            found: float | None = connection.scalar(oldest)
        return found

    def next_retry(self) -> float | None:
        """Return when the first of the postponed pages may be fetched again."""
        is_postponed = (frontier.c.state == "new") & frontier.c.reason.is_not(None)
        with self._database.reading() as connection:
            found: float | None = connection.scalar(
                select(func.min(frontier.c.due)).where(is_postponed)
            )
        return found

    def last_run(self) -> tuple[float, float | None] | None:
        """Return when the last run began and, unless it still runs or was killed, ended."""
        latest = select(runs.c.started, runs.c.ended).order_by(runs.c.started.desc()).limit(1)
        with self._database.reading() as connection:
            row = connection.execute(latest).first()
        return None if row is None else (row.started, row.ended)

    def confidences(self) -> list[float | None]:
        """Return the confidence of each wrapper in use; `None` for one that is unreadable."""
        in_use = select(wrappers.c.document, wrappers.c.site).where(wrappers.c.retired.is_(None))
        with self._database.reading() as connection:
            rows = connection.execute(in_use.order_by(wrappers.c.id)).all()
        return [_confidence(row.document, row.site) for row in rows]


def _confidence(document: str, site: str) -> float | None:
    try:
        return read_document(document, site).confidence
    except WrapperError:
        return None
