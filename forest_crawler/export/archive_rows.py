"""The articles of a store as rows: chosen by site, language and day, named by a schema."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

from forest_crawler.article.article import Article
from forest_crawler.article.article_day import find_date
from forest_crawler.article.schemas import Schema, apply_schema, pick_fields
from forest_crawler.store import Store
from forest_crawler.store.article_lines import read_article

BATCH = 500
"""Lines that are read from the store at a time: a few megabytes."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ArticleFilter:
    """Which articles of a store; an empty part chooses all.

    An article's day is that of its publication, or else of its last change, or else of its
    download, in its own time zone.
    """

    sites: Collection[str] = ()
    languages: Collection[str] = ()  # "en" includes "en-GB"
    since: date | None = None
    until: date | None = None  # included
    after: int = 0  # the number of the last article that is not wanted,
    last: int | None = None  # and of the last one that is

    def accepts(self, row: Row) -> bool:
        """Check an article's row, in our own schema.

        >>> row = {"site": "a.example", "language": "en-GB", "date_publish": "2026-03-06T10:00:00Z"}
        >>> ArticleFilter(languages=["en"], until=date(2026, 3, 6)).accepts(row)
        True
        >>> ArticleFilter(since=date(2026, 3, 7)).accepts(row)
        False
        """
        if self.sites and row.get("site") not in self.sites:
            return False
        language = str(row.get("language") or "").lower()
        wanted = [name.lower() for name in self.languages]
        if wanted and not any(language == it or language.startswith(f"{it}-") for it in wanted):
            return False
        if self.since is None and self.until is None:
            return True
        day = find_date(row)[:10]
        return bool(
            day
            and (self.since is None or day >= self.since.isoformat())
            and (self.until is None or day <= self.until.isoformat())
        )


def column_names(schema: Schema) -> list[str]:
    """List the columns of an archive, in order."""
    return list(apply_schema(_ABSENT | {"truncated": True}, schema))


def read_rows(
    store: Store,
    wanted: ArticleFilter,
    schema: Schema = "forest",
    chosen: Sequence[str] | None = None,
) -> Iterator[dict[str, Any]]:
    """Read the articles that a filter accepts, in archiving order."""
    seq = wanted.after
    while lines := store.lines_after(seq, BATCH):
        seq = lines[-1][0]
        for number, line in lines:
            if wanted.last is not None and number > wanted.last:
                return
            row = _ABSENT | read_article(line, number, store.name)
            if wanted.accepts(row):
                yield name_fields(row, schema, chosen)


def read_line(line: str) -> dict[str, Any]:
    """Read an article's line, with all fields: those of earlier versions may lack some."""
    row: dict[str, Any] = json.loads(line)
    return _ABSENT | row


def name_fields(
    row: Row, schema: Schema = "forest", chosen: Sequence[str] | None = None
) -> dict[str, Any]:
    """Name a row's fields as a schema does, and choose some of them."""
    named = apply_schema(row, schema)
    return named if chosen is None else pick_fields(named, chosen)


# What lines of earlier versions may lack.
_ABSENT: dict[str, Any] = {
    **{field.name: None for field in fields(Article)},
    **{name: [] for name in ("authors", "tags", "images", "media")},
    **dict.fromkeys(("text", "html", "markdown"), ""),
}
