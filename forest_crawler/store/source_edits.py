"""Changes of sources by people: add, remove, and poll at the next occasion."""

from __future__ import annotations

from sqlalchemy import delete, select

from forest_crawler.store.records import REMOVED
from forest_crawler.store.schema import frontier, mentions, sources
from forest_crawler.store.sources import Sources


class SourceEdits(Sources):
    """The section of the store that people change sources with."""

    def enlist(self, url: str) -> bool:
        """Add a source, due at once; return False if it is in use already."""
        known = {source.url for source in self.sources() if not source.disabled}
        source = self.add_source(url)
        if source.url in known:
            return False
        if source.disabled:
            self.update_source(
                source.id, disabled=False, status=None, failures=0, next_poll=self._now()
            )
        return True

    def poll_soon(self, source_id: int) -> None:
        """Make a source due now, also one that failed or was gone."""
        self.get_source(source_id)
        self.update_source(source_id, disabled=False, failures=0, next_poll=self._now())

    def discard(self, source_id: int) -> None:
        """Never poll a source again; its pages and articles stay.

        Its row is deleted if no page was found by it.
        """
        self.get_source(source_id)
        by_it = select(frontier.c.id).where(frontier.c.source_id == source_id).limit(1)
        named = select(mentions.c.page_id).where(mentions.c.source_id == source_id).limit(1)
        with self._database.writing("source") as connection:
            if connection.scalar(by_it) is None and connection.scalar(named) is None:
                connection.execute(delete(sources).where(sources.c.id == source_id))
                return
            self.update_source(source_id, disabled=True, status=REMOVED)
