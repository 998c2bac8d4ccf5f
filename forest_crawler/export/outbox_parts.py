"""The outbox of a store as parts: each article in one part, also after kills.

A part has the articles of a range of outbox numbers, and is named by it. The manifest has the last
number. If a kill came between a part and its entry, the part is there unlisted: the next export
repeats that range, and so writes the same part. One exporter at a time: the caller holds a lock.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from forest_crawler.errors import StoreError
from forest_crawler.export.folders import Folder
from forest_crawler.export.manifest import (
    ManifestEntry,
    read_manifest,
    refuse_others,
    write_entry,
)
from forest_crawler.export.parts import MAX_PART_ROWS, Part, PartForm, write_part
from forest_crawler.store.article_lines import read_article

ENTRY_PARTS = 500
"""Parts per entry of the manifest: an entry is written anew with each of its parts."""

STEM = "outbox"
_ENTRY = STEM + "-{:06}"
_PART = re.compile(r"part-(\d{12})-(\d{12})\.")


class OutboxLines(Protocol):
    """What is needed of a store."""

    def lines_after(self, seq: int, limit: int, last: int | None = None) -> list[tuple[int, str]]:
        """Return numbers and lines of the articles after a number, up to the `last`."""

    def last_article(self) -> int:
        """Return the latest number below which nothing is missing any more."""

    @property
    def name(self) -> str:
        """The store's name, for messages."""


@dataclass
class OutboxParts:
    """An open folder of parts; raises an error if it has those of another store or writer."""

    store: OutboxLines
    folder: Folder
    form: PartForm
    max_rows: int = MAX_PART_ROWS

    def __post_init__(self) -> None:
        refuse_others(self.folder, STEM)
        entries = list(read_manifest(self.folder))
        self._entry = entries[-1] if entries else ManifestEntry(_ENTRY.format(0), ())
        self._number = len(entries) - 1 if entries else 0
        self.last = int(self._entry.about.get("last", 0))
        self._may_be_begun = True
        self._check_store()

    def export(self, check: Callable[[], None] = lambda: None) -> int:
        """Write the articles that no part has; return how many. `check` runs before each part."""
        number, last = 0, self.store.last_article()
        while lines := self._next_lines(last):
            check()
            self._may_be_begun = True
            self._write(lines)
            self._may_be_begun = False
            number += len(lines)
        return number

    def _next_lines(self, last: int) -> list[tuple[int, str]]:
        """Return the articles of the next part; of the one that was begun, if there is one."""
        lines = self.store.lines_after(self.last, self.max_rows, last)
        if not lines or not self._may_be_begun:
            return lines
        begun = self._find_begun(lines[0][0])
        if begun is None:
            return lines
        return self.store.lines_after(self.last, begun - self.last, begun)

    def _find_begun(self, first: int) -> int | None:
        """Return the last number of the unlisted part that begins with an article."""
        found = [_PART.match(name) for name in self.folder.names()]
        return min((int(it[2]) for it in found if it and int(it[1]) == first), default=None)

    def _write(self, lines: list[tuple[int, str]]) -> None:
        first, last = lines[0][0], lines[-1][0]
        stem = f"part-{first:012}-{last:012}"
        part = self._write_part(stem, lines)
        if len(self._entry.parts) >= ENTRY_PARTS:
            self._number += 1
            self._entry = ManifestEntry(_ENTRY.format(self._number), ())
        about = {"last": last, "article": self._article_id(*lines[-1])}
        self._entry = replace(self._entry, parts=(*self._entry.parts, part), about=about)
        write_entry(self.folder, self._entry)
        self.last = last

    def _write_part(self, stem: str, lines: list[tuple[int, str]]) -> Part:
        try:
            return write_part(self.folder, stem, [line for _, line in lines], self.form)
        except (ValueError, TypeError):
            for number, line in lines:
                read_article(line, number, self.store.name)  # names a line that is damaged
            raise

    def _check_store(self) -> None:
        if not self.last:
            return
        found = self.store.lines_after(self.last - 1, 1)
        known = (self.last, self._entry.about.get("article"))
        if not found or (found[0][0], self._article_id(*found[0])) != known:
            raise StoreError(
                f"has parts that are not from the store {self.store.name}; "
                "name another folder for this store",
                self.folder.address,
            )

    def _article_id(self, number: int, line: str) -> str:
        return str(read_article(line, number, self.store.name).get("id"))
