"""What a crawl writes beside its file of JSON lines: other archives, full-text feeds.

Everything is made from the store: files are replaced as a whole, or get what they lack. So a kill
leaves no half of one, and the next write brings it up to date.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from forest_crawler.cli._archive_target import ArchiveTarget
from forest_crawler.cli._messages import count, say
from forest_crawler.export.archive_rows import ArticleFilter
from forest_crawler.export.archives import STDOUT, form_of
from forest_crawler.export.folders import open_folder
from forest_crawler.export.outbox_parts import OutboxParts
from forest_crawler.export.source_feeds import write_source_feeds
from forest_crawler.export.whole_file import remove_leftovers
from forest_crawler.store import Store
from forest_crawler.store.replaced_file import ReplacedFile
from forest_crawler.store.skipped_file import skipped_path, skipped_rows, write_skipped

TURN_SECONDS = 60.0
"""Seconds that a crawl which ends waits for another one to finish its parts."""

SKIPPED = "_skipped.jsonl"
"""The file of pages without an article in a folder of parts; readers of tables ignore it."""

Check = Callable[[], None]
"""Called now and then while something is written; raises `StoppedWriting` to end it."""


class StoppedWriting(Exception):  # noqa: N818  not an error
    """The crawl ends: what is being written is left, and written once more at the end."""


class Output(Protocol):
    """Something that is written from the store."""

    def write(self, store: Store, check: Check = lambda: None) -> None:
        """Write what the store has and this hasn't."""

    def finish(self, store: Store) -> None:
        """Write what is left when the run has ended."""


class ArchiveOutput:
    """An archive in another form than plain JSON lines.

    `after`: the last article of earlier runs, if it is to have those of this run only. `store`: the
    name of the store, whose file is never mixed up with that of another.
    """

    def __init__(self, target: ArchiveTarget, after: int = 0, store: str | None = None) -> None:
        self._target = target
        self._after = after
        is_file = target.path != STDOUT and form_of(target.path) != "markdown"
        self._file = ReplacedFile(target.path, store) if store and is_file else None
        self._written = -1  # the last article in it
        self._grows = target.path == STDOUT or form_of(target.path) == "markdown"

    def write(self, store: Store, check: Check = lambda: None) -> None:
        """Add new articles, or write the file anew if its form cannot grow."""
        last = store.last_article()
        if last == self._written:
            return
        if self._written < 0 and self._target.path != STDOUT:
            remove_leftovers(Path(self._target.path))
        after = max(self._after, self._written) if self._grows else self._after
        if self._file is not None:
            self._file.keep_changed()
        wanted = ArticleFilter(after=after, last=last)
        self._target.write(store, wanted, check, keeps_files=True)
        if self._file is not None:
            self._file.record()
        self._written = last

    def finish(self, store: Store) -> None:
        """Write what is left, and the pages without an article."""
        self.write(store)
        if self._target.path != STDOUT:
            write_skipped(store, skipped_path(self._target.path))


class PartsOutput:
    """A folder of parts, which grows by the articles of each write."""

    def __init__(self, target: ArchiveTarget) -> None:
        self._target = target
        self._parts: OutboxParts | None = None

    def write(self, store: Store, check: Check = lambda: None) -> None:
        """Write the articles that no part has, unless another process is at it."""
        if self._parts is None or self._parts.store is not store:
            folder = open_folder(self._target.path)
            self._parts = None
            if not store.take_turn(folder.address):
                return
            self._parts = OutboxParts(store, folder, self._target.part_form)
        self._parts.export(check)

    def finish(self, store: Store) -> None:
        """Write what is left, and the pages without an article."""
        end = time.monotonic() + TURN_SECONDS
        self.write(store)
        while self._parts is None:
            if time.monotonic() > end:
                say(f"{self._target.path}: left to another process, which is writing to it")
                return
            time.sleep(TURN_SECONDS / 200)
            self.write(store)
        lines = [json.dumps(row, ensure_ascii=True) + "\n" for row in skipped_rows(store)]
        open_folder(self._target.path).write(SKIPPED, "".join(lines).encode())


class FeedsOutput:
    """A full-text feed per source, in a directory that may be served at an address."""

    def __init__(self, directory: str, address: str | None = None) -> None:
        self._directory, self._address = directory, address
        self._written = -1

    def write(self, store: Store, check: Check = lambda: None) -> None:
        """Write the feeds that have new articles."""
        last = store.last_article()
        if last == self._written:
            return
        changed = None if self._written < 0 else store.sources_after(self._written)
        write_source_feeds(
            store, self._directory, only=changed, check=check, base_url=self._address
        )
        self._written = last

    def finish(self, store: Store) -> None:
        """Write all feeds: another source may name an article that was there before."""
        written = write_source_feeds(store, self._directory, base_url=self._address)
        say(f"{count(len(written), 'full-text feed')} written to {self._directory}")
