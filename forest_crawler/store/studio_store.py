"""`StudioStore`: the store with the sections that only the web application needs."""

from __future__ import annotations

import time

from sqlalchemy import select

from forest_crawler.store.article_lookup import ArticleLookup
from forest_crawler.store.database import Database
from forest_crawler.store.database_errors import OutdatedStoreError
from forest_crawler.store.schema import exports
from forest_crawler.store.section import Clock
from forest_crawler.store.site_list import SiteNumbers
from forest_crawler.store.source_edits import SourceEdits
from forest_crawler.store.store import Store
from forest_crawler.store.wrapper_edits import WrapperEdits


class StudioStore(SourceEdits, WrapperEdits, SiteNumbers, ArticleLookup, Store):
    """A store that people look at and correct."""

    def written_files(self) -> list[tuple[str, int, int]]:
        """Return the files of articles that crawls append to: name, last article, length."""
        query = select(exports.c.file, exports.c.seq, exports.c.offset).order_by(exports.c.file)
        with self._database.reading() as connection:
            return [(row.file, row.seq, row.offset) for row in connection.execute(query)]


def read_studio_store(url: str, *, now: Clock = time.time, upgrade: bool = True) -> StudioStore:
    """Open an existing store for reading, as `read_store` does; upgrade an older one, or fail."""
    try:
        return StudioStore(Database(url, read_only=True), now)
    except OutdatedStoreError:
        if not upgrade:
            raise
        open_studio_store(url).close()
    return StudioStore(Database(url, read_only=True), now)


def open_studio_store(url: str, *, now: Clock = time.time) -> StudioStore:
    """Open a store for a change, as `open_store` does; close it right afterwards."""
    return StudioStore(Database(url), now)
