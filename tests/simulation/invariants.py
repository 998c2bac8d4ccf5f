"""What must hold after every step of the store, and after every run."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from forest_crawler.export.folders import Folder
from forest_crawler.export.manifest import check_parts, list_parts
from forest_crawler.store import Store

_PAGES = """
SELECT f.id, f.key, f.state, f.run, f.lease, f.part_of, p.page_id IS NOT NULL, a.seq
FROM frontier f LEFT JOIN pages p ON p.page_id = f.id LEFT JOIN articles a ON a.page_id = f.id
"""
_HAS_BODY = frozenset({"held", "waiting", "part"})
_STATES = _HAS_BODY | {"new", "claimed", "done", "skipped", "failed"}


class ViolationError(AssertionError):
    """Something that must never happen has happened."""


class Invariants:
    """Checks a store whenever something was written to it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        database: Any = store._database
        self._connection: sqlite3.Connection = database._connection.connection.driver_connection
        self._done: set[str] = set()
        self.number = 0
        self._last_article = 0
        self._changes = -1

    def check(self) -> None:
        """Check every page, and the articles that are new, if something was written."""
        if self._connection.total_changes == self._changes:
            return
        self._changes = self._connection.total_changes
        rows = self._connection.execute(_PAGES).fetchall()
        _require(len(rows) >= self.number, "pages vanish from the frontier")
        self.number = len(rows)
        for _, key, state, run, lease, part_of, has_body, article in rows:
            self._check_page(key, state, has_body, article)
            if state == "claimed":
                _require(lease is not None, f"{key} is leased without an end")
                self._check_owner(key, run)
            _require(part_of is None or state != "done", f"{key} is a part with an article")
        self._check_articles()

    def _check_page(self, key: str, state: str, has_body: int, article: int | None) -> None:
        _require(state in _STATES, f"{key} is {state}")
        _require((state == "done") == (article is not None), f"{key} is {state}, article {article}")
        if state != "done":  # whose latest bodies are kept
            _require(bool(has_body) == (state in _HAS_BODY), f"{key} is {state}, body {has_body}")
            _require(key not in self._done, f"{key} was done and is {state}")
        else:
            self._done.add(key)

    def _check_owner(self, key: str, run: str | None) -> None:
        _require(run == self._store._run, f"{key} is leased by nobody")

    def check_account(self) -> None:
        """Check that scheduled = archived + skipped + failed + pending."""
        account = self._store.account()
        closed = sum(account["skipped"].values()) + sum(account["failed"].values())
        total = account["archived"] + closed + account["pending"]
        _require(account["scheduled"] == total == self.number, f"the account is off: {account}")

    def _check_articles(self) -> None:
        new = self._connection.execute(
            "SELECT seq, line FROM articles WHERE seq > ? ORDER BY seq", (self._last_article,)
        )
        for seq, line in new.fetchall():
            found = json.loads(zlib.decompress(line))
            is_right = found["key"].endswith(f"/{found.get('article')}")
            _require(is_right, f"garbage archived: {found}")
            self._last_article = seq

    def done_urls(self) -> list[str]:
        """Return the URLs of all pages with an article."""
        rows = self._connection.execute("SELECT url FROM frontier WHERE state = 'done'")
        return [row[0] for row in rows.fetchall()]

    def check_file(self, path: Path) -> None:
        """Check that a file has each article once, in order, after a run that ended."""
        lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
        _require(lines.pop() == b"", "the file's last line is torn")
        rows = self._connection.execute("SELECT line FROM articles ORDER BY seq").fetchall()
        expected = [zlib.decompress(row[0]) for row in rows]
        _require(lines == expected, f"the file has {len(lines)} articles, not {len(expected)}")


class SharedInvariants(Invariants):
    """Checks a store that several runs share."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._exported: list[bytes] = []

    def check(self) -> None:
        """Check every page and every lease, if something was written."""
        if self._connection.total_changes == self._changes:
            return
        super().check()
        wrong = self._connection.execute(_OWNED_BY_NOBODY).fetchone()
        _require(wrong is None, f"leased by a run that has ended: {wrong}")

    def _check_owner(self, key: str, run: str | None) -> None:
        _require(run is not None, f"{key} is leased by nobody")

    def owner_of(self, site: str) -> str | None:
        """Return the run that leases a site."""
        row = self._connection.execute("SELECT run FROM sites WHERE site = ?", (site,)).fetchone()
        return None if row is None else row[0]

    def first_expiry(self) -> float | None:
        """Return when the first of the runs that have not ended is or was over."""
        query = "SELECT min(expires) FROM runs WHERE ended IS NULL"
        row = self._connection.execute(query).fetchone()
        return None if row is None else row[0]

    @contextmanager
    def refusing_fenced(self, name: str, run: str | None) -> Iterator[None]:
        """Check that a run which others have ended writes nothing."""
        query = "SELECT ended FROM runs WHERE id = ?"
        row = self._connection.execute(query, (run,)).fetchone()
        before = self._connection.total_changes
        yield
        is_fenced = row is not None and row[0] is not None
        is_written = self._connection.total_changes != before
        _require(not (is_fenced and is_written), f"{name} has written though its run has ended")

    def check_parts(self, folder: Folder, *, is_complete: bool = False) -> None:
        """Check that parts have the first articles in order, each once; or all."""
        # A killed process leaves a part unlisted; the next export writes the same part again.
        faults = [it for it in check_parts(folder) if is_complete or it[1] != "unlisted"]
        _require(not faults, f"the manifest is wrong: {faults}")
        found = [
            line
            for part in list_parts(folder)
            for line in (folder.read(part.name) or b"").splitlines()
        ]
        rows = self._connection.execute("SELECT line FROM articles ORDER BY seq").fetchall()
        expected = [zlib.decompress(row[0]) for row in rows]
        number = len(expected) if is_complete else len(found)
        _require(found == expected[:number], f"{len(found)} articles in parts, not {number}")
        _require(found[: len(self._exported)] == self._exported, "a part has changed")
        self._exported = found


_OWNED_BY_NOBODY = """
SELECT s.site FROM sites s LEFT JOIN runs r ON r.id = s.run
WHERE s.run IS NOT NULL AND (r.id IS NULL OR r.ended IS NOT NULL)
UNION ALL
SELECT f.key FROM frontier f LEFT JOIN sites s ON s.site = f.site
WHERE f.state = 'claimed' AND s.run IS NOT f.run
"""


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ViolationError(what)
