"""Write the articles of a store to where the command line says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import click

from forest_crawler.article.schemas import Schema, pick_fields
from forest_crawler.cli._files import DiskError
from forest_crawler.export.archive_rows import ArticleFilter, column_names, read_rows
from forest_crawler.export.archives import check_archive, form_of, open_archive
from forest_crawler.store import Store


@dataclass(frozen=True, slots=True)
class ArchiveTarget:
    """Where articles are written, and which of their fields; checked before anything is read."""

    path: str
    schema: Schema = "forest"
    chosen: Sequence[str] | None = None

    @classmethod
    def from_options(cls, path: str, schema: Schema, fields: str | None) -> ArchiveTarget:
        """Check the options of a command."""
        check_archive(path)
        chosen = [name.strip() for name in fields.split(",") if name.strip()] if fields else None
        if form_of(path) == "markdown" and (chosen or schema != "forest"):
            raise click.UsageError("Markdown files have their own fields; drop --schema, --fields")
        if chosen:
            pick_fields(dict.fromkeys(column_names(schema)), chosen)
        return cls(path, schema, chosen)

    def write(
        self, store: Store, wanted: ArticleFilter, check: Callable[[], None] = lambda: None
    ) -> int:
        """Write the articles of a store; return how many. `check` is called before each."""
        columns = self.chosen or column_names(self.schema)
        number = 0
        try:
            with open_archive(self.path, columns) as archive:
                for row in read_rows(store, wanted, self.schema, self.chosen):
                    check()
                    archive.write(row)
                    number += 1
        except OSError as err:
            message = f"{self.path}: cannot be written: {err.strerror}; choose another -o"
            raise DiskError(message) from err
        return number
