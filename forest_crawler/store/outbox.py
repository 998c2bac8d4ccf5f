"""The outbox: articles in archiving order, and up to which each file has them.

One transaction inserts the article with its JSON line and closes its page. `archive_file` appends
the lines to files later, from the position recorded here.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, func, select

from forest_crawler.store.article_parts import PART
from forest_crawler.store.frontier import Frontier
from forest_crawler.store.locks import NUMBERED, NUMBERING
from forest_crawler.store.pages import KEPT_PAGES, Pages, select_pages
from forest_crawler.store.records import ArchivedPage, ClosedPage, ExportState, NewArticle
from forest_crawler.store.reopening import DUPLICATE, MOVED
from forest_crawler.store.schema import (
    articles,
    clean_key,
    exports,
    frontier,
    mentions,
    pages,
    sources,
)
from forest_crawler.store.section import OPEN_STATES, AnyRow, chunks, distinct_keys, read_entry
from forest_crawler.store.sketches import Sketches
from forest_crawler.store.upserts import insert_or_keep, insert_or_replace
from forest_crawler.store.versions import Versions, first_key


class Outbox(Frontier, Pages, Sketches, Versions):
    """The section of the store that keeps articles."""

    def archive(self, new: Sequence[NewArticle]) -> int:
        """Keep articles and close their pages; return how many are new."""
        return len(self.archive_lines(new))

    def archive_lines(self, new: Sequence[NewArticle]) -> dict[str, str]:
        """Keep articles and close their pages; return the new ones' lines by their keys.

        Closed pages stay as they are. If another page gave the same article before, this page is
        skipped as a duplicate. An article whose text nearly equals an earlier one's is kept, and
        names it.
        """
        for article in new:
            if not article.line.isascii() or "\n" in article.line or "\r" in article.line:
                raise ValueError(
                    f"{article.url}: an article's line must be ASCII without line breaks"
                )
        by_key = self._without_sketch({clean_key(it.key): it for it in reversed(new)})
        with self._database.writing("archive") as connection:
            self._begin_numbering(connection)
            found = self._find_pages(connection, distinct_keys([a.key for a in new]), OPEN_STATES)
            fresh, repeated = self._split_duplicates(connection, by_key, found)
            fresh = self._mark_versions(connection, self._mark_repeats(connection, fresh))
            numbers = self._insert_articles(connection, fresh)
            # Another run may have archived the same article a moment ago.
            repeated += [row.id for _, row in fresh if row.id not in numbers]
            fresh = [(article, row) for article, row in fresh if row.id in numbers]
            self._close_pages(connection, [row.id for _, row in fresh], "done", None)
            self._close_pages(connection, repeated, "skipped", DUPLICATE)
            self._drop_bodies(connection, repeated)
        return {article.key: article.line for article, _ in fresh}

    def closed_without_article(self) -> Iterator[ClosedPage]:
        """Yield the pages that were skipped or failed, by site, except for parts and moves."""
        with self._database.reading() as connection:
            for row in connection.execute(_CLOSED, execution_options={"yield_per": 500}):
                if first_key(row.key):  # unchanged: its first version is archived
                    continue
                yield ClosedPage(
                    row.url,
                    row.site,
                    row.state,
                    row.reason,
                    row.feed_url,
                    row.guid,
                    read_entry(row.entry),
                )

    def unexported(self, file: str, limit: int) -> list[tuple[int, str]]:
        """Return numbers and lines of the next articles that a file does not have."""
        state = self.export_state(file)
        return self.lines_after(0 if state is None else state.seq, limit)

    def lines_after(self, seq: int, limit: int, last: int | None = None) -> list[tuple[int, str]]:
        """Return numbers and lines of the articles after a number, up to the `last`.

        With `last_article` as `last`, no article appears between these later on.
        """
        after = select(articles.c.seq, articles.c.line).where(articles.c.seq > seq)
        if last is not None:
            after = after.where(articles.c.seq <= last)
        with self._database.reading() as connection:
            rows = connection.execute(after.order_by(articles.c.seq).limit(limit)).all()
        return [(row.seq, self._unpack(row.line).decode()) for row in rows]

    def last_article(self) -> int:
        """Return the number of the latest article; 0 if there is none.

        Articles that get a lower number are in the store already: several runs number articles at
        the same time, and this waits for those that have not committed theirs.
        """
        with self._database.reading() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(NUMBERED)
            return connection.scalar(select(func.max(articles.c.seq))) or 0

    def export_state(self, file: str) -> ExportState | None:
        """Return up to which article a file is written; `None` for an unknown file."""
        state = select(exports.c.seq, exports.c.offset, exports.c.crc).where(exports.c.file == file)
        with self._database.reading() as connection:
            row = connection.execute(state).first()
        return None if row is None else ExportState(*row)

    def record_export(self, file: str, seq: int, offset: int, crc: int) -> None:
        """Record up to which article a file is written."""
        row = {"file": file, "seq": seq, "offset": offset, "crc": crc}
        with self._database.writing("record") as connection:
            connection.execute(insert_or_replace(connection, exports), [row])

    def articles(
        self, *, site: str | None = None, source: int | None = None, limit: int = 100
    ) -> list[str]:
        """Return the lines of articles, the newest first; of a site, a source, or all."""
        query = select(articles.c.seq, articles.c.line).order_by(articles.c.seq.desc()).limit(limit)
        if site is not None:
            query = query.where(articles.c.site == site)
        if source is not None:
            named = mentions.c.page_id == articles.c.page_id
            query = query.join(mentions, named).where(mentions.c.source_id == source)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [self._checked_line(row) for row in rows]

    def sources_after(self, seq: int) -> set[int]:
        """Return the ids of the sources that name an article after a number."""
        named = select(mentions.c.source_id).distinct()
        named = named.join(articles, articles.c.page_id == mentions.c.page_id)
        with self._database.reading() as connection:
            return set(connection.scalars(named.where(articles.c.seq > seq)))

    def archived_sites(self) -> list[str]:
        """Return the sites of archived pages whose bodies are kept."""
        kept = select(pages.c.site).where(pages.c.article.is_not(None)).distinct()
        with self._database.reading() as connection:
            return list(connection.scalars(kept.order_by(pages.c.site)))

    def archived_pages(self, site: str, limit: int = KEPT_PAGES) -> list[ArchivedPage]:
        """Return a site's latest archived pages with their articles, the newest first."""
        query = _ARCHIVED.where(pages.c.site == site).limit(limit)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [
            ArchivedPage(self._held_page(row), self._checked_line(row), bool(row.has_parts))
            for row in rows
        ]

    def count_articles(self, site: str | None = None) -> int:
        """Count the articles, of a site or of all."""
        number = select(func.count()).select_from(articles)
        if site is not None:
            number = number.where(articles.c.site == site)
        with self._database.reading() as connection:
            return connection.scalar(number) or 0

    def _split_duplicates(
        self, connection: Connection, by_key: dict[str, NewArticle], found: dict[str, AnyRow]
    ) -> tuple[list[tuple[NewArticle, AnyRow]], list[int]]:
        """Split into new articles with their pages, and pages whose article is known."""
        known: set[str] = set()
        for chunk in chunks([by_key[key].id for key in found]):
            known.update(connection.scalars(select(articles.c.id).where(articles.c.id.in_(chunk))))
        fresh: list[tuple[NewArticle, AnyRow]] = []
        repeated: list[int] = []
        for key, row in sorted(found.items(), key=lambda item: item[1].id):
            article = by_key[key]
            if (number := clean_key(article.id)) in known:
                repeated.append(row.id)
            else:
                known.add(number)
                fresh.append((article, row))
        return fresh, repeated

    def _insert_articles(
        self, connection: Connection, fresh: list[tuple[NewArticle, AnyRow]]
    ) -> dict[int, int]:
        """Insert articles unless they are known; return their pages and numbers."""
        if not fresh:
            return {}
        keep = insert_or_keep(connection, articles).returning(articles.c.page_id, articles.c.seq)
        rows = [self._article_row(article, row) for article, row in fresh]
        numbers = {row.page_id: row.seq for row in connection.execute(keep, rows)}
        held = {row.id for _, row in fresh if row.state == "held"}
        kept = {page: number for page, number in numbers.items() if page in held}
        self._keep_recent(connection, kept, {row.site for _, row in fresh})
        return numbers

    def _begin_numbering(self, connection: Connection) -> None:
        """Let `last_article` wait for this transaction."""
        if connection.dialect.name == "postgresql":
            connection.execute(NUMBERING)

    def _article_row(self, article: NewArticle, row: AnyRow) -> dict[str, Any]:
        return {
            "id": article.id,
            "page_id": row.id,
            "site": article.site,
            "url": article.url,
            "extractor": article.extractor,
            "wrapper_id": article.wrapper_id,
            "content_hash": article.content_hash,
            "archived": self._now(),
            "line": zlib.compress(article.line.encode()),
        }


# The text is that of another page: of the first one of its article, or of where it has moved.
_ELSEWHERE = (PART, MOVED)
_CLOSED = (
    select(
        *(frontier.c[name] for name in ("key", "url", "site", "state", "reason", "guid", "entry")),
        func.coalesce(sources.c.feed_url, sources.c.url).label("feed_url"),
    )
    .outerjoin_from(frontier, sources, sources.c.id == frontier.c.source_id)
    .where(
        frontier.c.state.in_(("skipped", "failed"))
        & (frontier.c.part_of.is_(None))
        & func.coalesce(frontier.c.reason, "").not_in(_ELSEWHERE)
    )
    .order_by(frontier.c.state.desc(), frontier.c.site, frontier.c.id)
)
_later = frontier.alias("later")
_is_part = (_later.c.part_of == frontier.c.id) & (_later.c.reason == PART)
_ARCHIVED = (
    select_pages()
    .add_columns(
        articles.c.seq,
        articles.c.line,
        select(_later.c.id).where(_is_part).exists().label("has_parts"),
    )
    .join(articles, articles.c.seq == pages.c.article)
    .order_by(pages.c.article.desc())
)
