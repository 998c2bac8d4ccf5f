"""Sketches of archived texts: whether an article is nearly one that is there, by a bounded lookup.

A text is looked up by the bands of its sketch. Only the first of its kind is entered, and no band
has more than `MOST_SHARING` texts, so the cost of an article does not grow with the archive.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection, bindparam, insert, select

from forest_crawler.near_duplicates import (
    ALIKE,
    read_sketch,
    sketch_bands,
    sketch_likeness,
    write_sketch,
)
from forest_crawler.store import schema
from forest_crawler.store.part import AnyRow, Part, chunks
from forest_crawler.store.records import NewArticle

MOST_SHARING = 5
"""Texts under one band, none of them alike: what more of them share is boilerplate, and tells
nothing."""

REPEATED = "near_duplicate_of"
"""The field that names the earlier article."""

_Fresh = tuple[NewArticle, AnyRow]


class Sketches(Part):
    """The part of the store that knows texts by their sketches."""

    def _mark_repeats(self, connection: Connection, fresh: Sequence[_Fresh]) -> list[_Fresh]:
        """Articles as they are archived: those that are nearly an earlier one name it."""
        shared = self._shared_bands(connection, fresh)
        known = self._known_sketches(connection, {page for of in shared.values() for page in of})
        entered: list[_Fresh] = []
        marked: list[_Fresh] = []
        for article, row in fresh:
            first = _first_alike(article, shared, known)
            if first is not None:
                article = replace(article, line=_name_first(article.line, first))
            elif article.sketch:
                known[row.id] = (article.id, article.sketch)
                entered.append((article, row))
                for band in sketch_bands(article.sketch):
                    shared.setdefault(band, []).append(row.id)
            marked.append((article, row))
        self._enter(connection, entered, shared)
        return marked

    def _shared_bands(
        self, connection: Connection, fresh: Sequence[_Fresh]
    ) -> dict[int, list[int]]:
        shared: dict[int, list[int]] = {}
        bands = {band for article, _ in fresh for band in sketch_bands(article.sketch)}
        for chunk in chunks(sorted(bands)):
            for band, page in connection.execute(_SHARED, {"bands": chunk}):
                shared.setdefault(band, []).append(page)
        return shared

    def _known_sketches(
        self, connection: Connection, numbers: set[int]
    ) -> dict[int, tuple[str, tuple[int, ...]]]:
        known: dict[int, tuple[str, tuple[int, ...]]] = {}
        for chunk in chunks(sorted(numbers)):
            rows = connection.execute(_KNOWN, {"numbers": chunk})
            known |= {page: (name, read_sketch(sketch)) for page, name, sketch in rows}
        return known

    def _enter(
        self, connection: Connection, entered: Sequence[_Fresh], shared: dict[int, list[int]]
    ) -> None:
        if not entered:
            return
        sketches = [
            {"page_id": row.id, "sketch": write_sketch(article.sketch)} for article, row in entered
        ]
        connection.execute(insert(schema.sketches), sketches)
        bands = [
            {"band": band, "page_id": row.id}
            for article, row in entered
            for band in sketch_bands(article.sketch)
            if row.id in shared[band][:MOST_SHARING]
        ]
        if bands:
            connection.execute(insert(schema.sketch_bands), bands)


# Built once: building costs more than running them.
_SHARED = (
    select(schema.sketch_bands.c.band, schema.sketch_bands.c.page_id)
    .where(schema.sketch_bands.c.band.in_(bindparam("bands", expanding=True)))
    .order_by(schema.sketch_bands.c.page_id)
)
_KNOWN = (
    select(schema.sketches.c.page_id, schema.articles.c.id, schema.sketches.c.sketch)
    .join(schema.articles, schema.articles.c.page_id == schema.sketches.c.page_id)
    .where(schema.sketches.c.page_id.in_(bindparam("numbers", expanding=True)))
)


def _first_alike(
    article: NewArticle,
    shared: dict[int, list[int]],
    known: dict[int, tuple[str, tuple[int, ...]]],
) -> str | None:
    """The id of the earliest article with nearly the same text."""
    bands = sketch_bands(article.sketch)
    for page in sorted({page for band in bands for page in shared.get(band, ())}):
        name, sketch = known.get(page, ("", ()))
        if sketch_likeness(article.sketch, sketch) >= ALIKE:
            return name
    return None


def _name_first(line: str, first: str) -> str:
    return json.dumps(json.loads(line) | {REPEATED: first}, ensure_ascii=True, allow_nan=False)
