"""Articles for readers: page by page, by id, with their versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from forest_crawler.store.schema import articles, clean_key, frontier
from forest_crawler.store.section import AnyRow, AnySelect, StoreSection, chunks
from forest_crawler.store.versions import MAX_VERSIONS, first_key, version_key


@dataclass(frozen=True, slots=True)
class ArticleRow:
    """An archived article: its number, page, time, and JSON line."""

    seq: int
    id: str
    key: str  # of its page
    site: str
    archived: float
    wrapper_id: int | None
    line: str


class ArticleLookup(StoreSection):
    """The section of the store that finds single articles."""

    def newest_articles(
        self, site: str | None = None, before: int | None = None, limit: int = 50
    ) -> list[ArticleRow]:
        """Return articles of a site or of all, the newest first, from before a number."""
        query = _ROWS.order_by(articles.c.seq.desc()).limit(limit)
        if site is not None:
            query = query.where(articles.c.site == site)
        if before is not None:
            query = query.where(articles.c.seq < before)
        return self._rows(query)

    def article(self, article_id: str) -> ArticleRow | None:
        """Return the article with this id."""
        found = self._rows(_ROWS.where(articles.c.id == article_id))
        return found[0] if found else None

    def articles_numbered(self, numbers: Sequence[int]) -> list[ArticleRow]:
        """Return the articles with these numbers, in the given order."""
        found: dict[int, ArticleRow] = {}
        for chunk in chunks(numbers):
            rows = self._rows(_ROWS.where(articles.c.seq.in_(chunk)))
            found |= {row.seq: row for row in rows}
        return [found[number] for number in numbers if number in found]

    def article_versions(self, key: str) -> list[ArticleRow]:
        """Return all archived versions of a page's article, the first one first."""
        first = first_key(key) or key
        keys = [first, *(version_key(first, 2 + number) for number in range(MAX_VERSIONS))]
        stored = [clean_key(it) for it in keys]
        return self._rows(_ROWS.where(frontier.c.key.in_(stored)).order_by(articles.c.seq))

    def article_of_page(self, key: str) -> ArticleRow | None:
        """Return the article of a page."""
        found = self._rows(_ROWS.where(frontier.c.key == key))
        return found[0] if found else None

    def _rows(self, query: AnySelect) -> list[ArticleRow]:
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [self._article(row) for row in rows]

    def _article(self, row: AnyRow) -> ArticleRow:
        line = self._checked_line(row)
        return ArticleRow(row.seq, row.id, row.key, row.site, row.archived, row.wrapper_id, line)


_ROWS = select(
    articles.c.seq,
    articles.c.id,
    frontier.c.key,
    articles.c.site,
    articles.c.archived,
    articles.c.wrapper_id,
    articles.c.line,
).join(frontier, frontier.c.id == articles.c.page_id)
