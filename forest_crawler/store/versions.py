"""Versions of an article: its page is fetched again after its feed entry has changed.

A version is a page of its own in the frontier, under the key of the first and a number, so every
step from lease to archive is the same. If its words are those of an archived version, it is a
duplicate, and skipped; else its article names the first version.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, select

from forest_crawler.store.records import Candidate, NewArticle
from forest_crawler.store.schema import articles, clean_key, frontier, mentions
from forest_crawler.store.section import (
    OPEN_STATES,
    AnyRow,
    chunks,
    new_page_values,
    read_entry,
)
from forest_crawler.store.site_leases import SiteLeases
from forest_crawler.store.upserts import insert_or_keep

VERSION_OF = "version_of"
"""The JSON field of an article that names its first version."""

MAX_VERSIONS = 20
"""Max times that a page is fetched again: a live blog changes more often than readers need."""

_MARK = "#version="


def version_key(key: str, number: int) -> str:
    """Return the key of a page's version; the second one has the number 2."""
    return f"{key}{_MARK}{number}"


def first_key(key: str) -> str | None:
    """Return the key of the first version; `None` for a page that isn't a later one.

    >>> first_key(version_key("gazette.example/ferry", 2))
    'gazette.example/ferry'
    """
    first, mark, _ = key.partition(_MARK)
    return first if mark else None


class Versions(SiteLeases):
    """The section of the store that schedules and marks the versions of articles."""

    def schedule_versions(self, candidates: Sequence[Candidate], max_age: float) -> int:
        """Schedule archived pages again that changed since; return how many.

        `max_age` are the seconds since the first version was archived. A feed entry tells of a
        change by its `updated`, each once.
        """
        changed = {clean_key(c.key): (c, at) for c in candidates if (at := _changed(c)) is not None}
        if not changed or max_age <= 0:
            return 0
        number = 0
        with self._database.writing("schedule") as connection:
            for row in self._archived(connection, list(changed)):
                candidate, at = changed[row.key]
                is_recent = row.archived < at <= min(row.archived + max_age, self._now())
                if is_recent and (key := self._next_key(connection, candidate)):
                    self._schedule_version(connection, candidate, key)
                    number += 1
        return number

    def _archived(self, connection: Connection, keys: Sequence[str]) -> list[AnyRow]:
        found: list[AnyRow] = []
        for chunk in chunks(keys):
            found += connection.execute(_ARCHIVED.where(frontier.c.key.in_(chunk))).all()
        return found

    def _next_key(self, connection: Connection, candidate: Candidate) -> str | None:
        """Return the key of the next version; `None` if this change is known, or one too many."""
        keys = [version_key(candidate.key, 2 + number) for number in range(MAX_VERSIONS)]
        query = select(frontier.c.key, frontier.c.state, frontier.c.entry)
        known = {row.key: row for row in connection.execute(query.where(frontier.c.key.in_(keys)))}
        for row in known.values():
            is_open = row.state in OPEN_STATES  # what it brings is as new
            if is_open or (read_entry(row.entry) or {}).get("updated") == _updated(candidate):
                return None
        return next((key for key in keys if clean_key(key) not in known), None)

    def _schedule_version(self, connection: Connection, candidate: Candidate, key: str) -> None:
        values = new_page_values(replace(candidate, key=key), self._now())
        connection.execute(insert_or_keep(connection, frontier), [values])
        self._wake_sites(connection, [clean_key(candidate.site)], self._now())
        if candidate.source_id is not None:
            page = connection.scalar(select(frontier.c.id).where(frontier.c.key == key))
            mention = {"page_id": page, "source_id": candidate.source_id, "guid": candidate.guid}
            connection.execute(insert_or_keep(connection, mentions), [mention])

    def _without_sketch(self, new: Mapping[str, NewArticle]) -> dict[str, NewArticle]:
        """Drop the sketches of later versions, which are near-duplicates of the first."""
        return {
            key: replace(article, sketch=()) if first_key(key) else article
            for key, article in new.items()
        }

    def _mark_versions(
        self, connection: Connection, fresh: Sequence[tuple[NewArticle, AnyRow]]
    ) -> list[tuple[NewArticle, AnyRow]]:
        """Let later versions name the first one."""
        return [
            (self._mark_version(connection, article, first), row)
            if (first := first_key(article.key))
            else (article, row)
            for article, row in fresh
        ]

    def _mark_version(self, connection: Connection, article: NewArticle, first: str) -> NewArticle:
        earlier = (
            select(articles.c.id)
            .join(frontier, frontier.c.id == articles.c.page_id)
            .where(frontier.c.key == first)
        )
        found = connection.scalar(earlier)
        if found is None:
            return article
        row = json.loads(article.line) | {VERSION_OF: found}
        return replace(article, line=json.dumps(row, ensure_ascii=True, allow_nan=False))


_ARCHIVED = (
    select(frontier.c.key, articles.c.archived)
    .join(articles, articles.c.page_id == frontier.c.id)
    .where(frontier.c.state == "done")
)


def _updated(candidate: Candidate) -> object:
    return (candidate.entry or {}).get("updated")


def _changed(candidate: Candidate) -> float | None:
    """Return when a candidate's feed entry was changed; `None` if it doesn't say."""
    written = _updated(candidate)
    if not isinstance(written, str):
        return None
    moment = datetime.fromisoformat(written)
    return moment.timestamp() if moment.tzinfo else None
