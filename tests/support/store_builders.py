"""Builders for the store's tests."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from forest_crawler.store import Candidate, FetchedPage, HeldPage, NewArticle, Store


@dataclass
class FakeClock:
    """A clock that shows the time it was set to."""

    time: float = 1.8e9

    def __call__(self) -> float:
        return self.time


def candidate(name: str, site: str = "gazette.example", source: int | None = None) -> Candidate:
    """Build a page of a site; its key is `site/name`."""
    return Candidate(f"{site}/{name}", f"https://{site}/{name}", site, source)


def article(key: str, number: str | None = None) -> NewArticle:
    """Build the article of a page; its line holds the key."""
    site = key.partition("/")[0]
    line = json.dumps({"key": key})
    return NewArticle(number or f"id-{key}", key, site, f"https://{key}", "forest", None, "h", line)


def schedule(store: Store, names: Sequence[str], site: str = "gazette.example") -> None:
    """Schedule pages of a site."""
    store.schedule([candidate(name, site) for name in names])


def fetch(store: Store, limit: int = 100) -> list[str]:
    """Lease and hold pages that are due; return their keys."""
    leases = store.lease(limit)
    store.hold([FetchedPage(lease.key, f"<p>{lease.key}</p>".encode()) for lease in leases])
    return [lease.key for lease in leases]


def archive_held(store: Store) -> int:
    """Archive an article for every held page; return how many."""
    pages: list[HeldPage] = []
    for site, held, _ in store.held_sites():
        pages += store.held_pages(site, held)
    return store.archive([article(page.key) for page in pages])


def change_file(file: Path, statement: str, *values: int) -> None:
    """Run a statement on the file of a store that isn't open."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(statement, values)
        connection.commit()
