"""Write the articles of a store to where the command line says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import click

from forest_crawler.article.article import write_row
from forest_crawler.article.schemas import Schema, pick_fields
from forest_crawler.cli._files import DiskError
from forest_crawler.export.archive_rows import ArticleFilter, column_names, read_rows
from forest_crawler.export.archives import STDOUT, check_archive, form_of, open_archive
from forest_crawler.export.folders import open_folder
from forest_crawler.export.manifest import ManifestEntry, refuse_others, write_entry
from forest_crawler.export.parts import PartForm, PartWriter, ending_of, is_parts
from forest_crawler.store import Store

EXPORT = "export"
"""The stem of parts, and the entry of their manifest, that `forest export` writes."""


@dataclass(frozen=True, slots=True)
class ArchiveTarget:
    """Where articles are written, and which of their fields; checked before anything is read."""

    path: str
    schema: Schema = "forest"
    chosen: Sequence[str] | None = None

    @classmethod
    def from_options(cls, path: str, schema: Schema, fields: str | None) -> ArchiveTarget:
        """Check the options of a command."""
        if not is_parts(path):
            check_archive(path)
        chosen = [name.strip() for name in fields.split(",") if name.strip()] if fields else None
        if not is_parts(path) and form_of(path) == "markdown" and (chosen or schema != "forest"):
            raise click.UsageError("Markdown files have their own fields; drop --schema, --fields")
        if chosen:
            pick_fields(dict.fromkeys(column_names(schema)), chosen)
        target = cls(path, schema, chosen)
        if target.is_parts:
            open_folder(path)
            _ = target.part_form
        return target

    @property
    def is_parts(self) -> bool:
        """Whether the archive is a folder of parts."""
        return is_parts(self.path)

    @property
    def part_form(self) -> PartForm:
        """The form of its parts."""
        return PartForm(ending_of(self.path), self.schema, self.chosen)

    def write(
        self,
        store: Store,
        wanted: ArticleFilter,
        check: Callable[[], None] = lambda: None,
        *,
        keeps_files: bool = False,
    ) -> int:
        """Write the articles of a store; return how many. `check` is called before each.

        `keeps_files`: Markdown files that are there stay as they are.
        """
        if self.is_parts:
            return self._write_parts(store, wanted, check)
        columns = self.chosen or column_names(self.schema)
        number = 0
        try:
            with open_archive(self.path, columns, keeps_files=keeps_files) as archive:
                for row in read_rows(store, wanted, self.schema, self.chosen):
                    check()
                    archive.write(row)
                    number += 1
        except OSError as err:
            if self.path == STDOUT:
                raise  # the command reports it, unless its reader has left
            message = f"{self.path}: cannot be written: {err.strerror}; choose another -o"
            raise DiskError(message) from err
        return number

    def _write_parts(self, store: Store, wanted: ArticleFilter, check: Callable[[], None]) -> int:
        """Write parts of the articles that are wanted, instead of those of the last export."""
        folder = open_folder(self.path)
        refuse_others(folder, EXPORT)
        writer = PartWriter(folder, EXPORT, self.part_form)
        for row in read_rows(store, wanted):
            check()
            writer.add(write_row(row))
        parts = writer.finish()
        write_entry(folder, ManifestEntry(EXPORT, parts))
        return sum(part.rows for part in parts)
