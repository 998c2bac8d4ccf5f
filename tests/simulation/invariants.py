"""What must hold after every step of the store, and after every run."""

from __future__ import annotations

import json
import sqlite3
import zlib
from pathlib import Path
from typing import Any

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
                is_ours = run == self._store._run and lease is not None
                _require(is_ours, f"{key} is leased by nobody")
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


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ViolationError(what)
