"""Sketches of archived texts: find near-duplicates by a bounded lookup.

A text is looked up by the bands of its sketch. Only the first of several near-duplicates is
entered, and a band has at most `MAX_SHARING` texts, so the cost per article does not grow with the
archive.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection, bindparam, insert, select

from forest_crawler.store import schema
from forest_crawler.store.records import NewArticle
from forest_crawler.store.section import AnyRow, StoreSection, chunks
from forest_crawler.text.near_duplicates import (
    MIN_SIMILARITY,
    read_sketch,
    sketch_bands,
    sketch_similarity,
    write_sketch,
)

MAX_SHARING = 5
"""Max texts per band, no two of them near-duplicates: a band that more texts share is
boilerplate, and no evidence."""

REPEATED = "near_duplicate_of"
"""The JSON field of an article that names the earlier near-duplicate."""

_Fresh = tuple[NewArticle, AnyRow]
_Known = dict[int, tuple[str, tuple[int, ...]]]  # page → the id of its article, and its sketch


class Sketches(StoreSection):
    """The section of the store that finds near-duplicate articles."""

    def _mark_repeats(self, connection: Connection, fresh: Sequence[_Fresh]) -> list[_Fresh]:
        """Let near-duplicates name the earlier article; enter the sketches of the others."""
        bands = {row.id: sketch_bands(article.sketch) for article, row in fresh}
        shared = self._shared_bands(connection, {band for of in bands.values() for band in of})
        known = self._known_sketches(connection, {page for of in shared.values() for page in of})
        entered: dict[int, tuple[int, ...]] = {}
        marked: list[_Fresh] = []
        for article, row in fresh:
            likely = {page for band in bands[row.id] for page in shared.get(band, ())}
            first = _first_alike(article, sorted(likely), known)
            if first is not None:
                article = replace(article, line=_name_first(article.line, first))
            elif article.sketch:
                known[row.id] = (article.id, article.sketch)
                entered[row.id] = article.sketch
                for band in bands[row.id]:
                    shared.setdefault(band, []).append(row.id)
            marked.append((article, row))
        if entered:
            self._enter(connection, entered, shared)
        return marked

    def _shared_bands(self, connection: Connection, bands: set[int]) -> dict[int, list[int]]:
        shared: dict[int, list[int]] = {}
        for chunk in chunks(sorted(bands)):
            for band, page in connection.execute(_SHARED, {"bands": chunk}):
                shared.setdefault(band, []).append(page)
        return shared

    def _known_sketches(self, connection: Connection, numbers: set[int]) -> _Known:
        known: _Known = {}
        for chunk in chunks(sorted(numbers)):
            rows = connection.execute(_KNOWN, {"numbers": chunk})
            known |= {page: (name, read_sketch(sketch)) for page, name, sketch in rows}
        return known

    def _enter(
        self,
        connection: Connection,
        entered: Mapping[int, tuple[int, ...]],
        shared: Mapping[int, Sequence[int]],
    ) -> None:
        sketches = [
            {"page_id": page, "sketch": write_sketch(sketch)} for page, sketch in entered.items()
        ]
        connection.execute(_ENTER_SKETCHES, sketches)
        bands = [
            {"band": band, "page_id": page}
            for band, pages in shared.items()
            for page in pages[:MAX_SHARING]
            if page in entered
        ]
        if bands:
            connection.execute(_ENTER_BANDS, bands)


# Built once: building a statement costs more than running it.
_ENTER_SKETCHES, _ENTER_BANDS = insert(schema.sketches), insert(schema.sketch_bands)
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


def _first_alike(article: NewArticle, likely: Sequence[int], known: _Known) -> str | None:
    """Return the id of the earliest article with nearly the same text."""
    for page in likely:
        name, sketch = known.get(page, ("", ()))
        if sketch_similarity(article.sketch, sketch) >= MIN_SIMILARITY:
            return name
    return None


def _name_first(line: str, first: str) -> str:
    return json.dumps(json.loads(line) | {REPEATED: first}, ensure_ascii=True, allow_nan=False)
