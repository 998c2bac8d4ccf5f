"""Read archived articles for feeds: as a source names them, and one by its key."""

from __future__ import annotations

from sqlalchemy import func, select

from forest_crawler.store.records import FeedArticle
from forest_crawler.store.schema import articles, clean_key, frontier, mentions
from forest_crawler.store.section import AnyRow, StoreSection


class FeedArticles(StoreSection):
    """The section of the store that feeds are written from."""

    def feed_articles(
        self, *, site: str | None = None, source: int | None = None, limit: int = 100
    ) -> list[FeedArticle]:
        """Return articles with the link and the guid that a feed gives them.

        The latest archived first. Of a source, the guid is the one in its own feed; another feed
        may name the same page by another guid.
        """
        columns = (articles.c.seq, articles.c.line, frontier.c.url)
        joined = articles.join(frontier, frontier.c.id == articles.c.page_id)
        if source is not None:
            named = mentions.c.page_id == articles.c.page_id
            guid = func.coalesce(mentions.c.guid, frontier.c.guid).label("guid")
            query = select(*columns, guid).select_from(joined.join(mentions, named))
            query = query.where(mentions.c.source_id == source)
        else:
            query = select(*columns, frontier.c.guid).select_from(joined)
        if site is not None:
            query = query.where(articles.c.site == site)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(articles.c.seq.desc()).limit(limit)).all()
        return [self._feed_article(row) for row in rows]

    def article_at(self, key: str) -> FeedArticle | None:
        """Return the article of the page with a key; `None` if none is archived."""
        query = (
            select(articles.c.seq, articles.c.line, frontier.c.url, frontier.c.guid)
            .join(frontier, frontier.c.id == articles.c.page_id)
            .where(frontier.c.key == clean_key(key))
        )
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else self._feed_article(row)

    def _feed_article(self, row: AnyRow) -> FeedArticle:
        return FeedArticle(self._checked_line(row), row.url, row.guid)
