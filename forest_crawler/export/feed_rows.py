"""The articles of a feed, as rows: newest first, each once, under the feed's own ids.

A crawl archives articles in the order in which pages come, so the order of a feed is that of the
publication dates. A reader that knew the truncated feed must not take its entries for new ones:
`link` and `guid` of a row are those of the feed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeAlias

from forest_crawler.article.article_day import find_date
from forest_crawler.store.records import FeedArticle, Source
from forest_crawler.store.store import Store
from forest_crawler.text.dates import parse_date
from forest_crawler.urls.canonical import url_key

FeedRow: TypeAlias = dict[str, Any]
"""The object of an article's JSON line, with the feed's `link` and `guid`."""

WINDOW = 1000
"""Latest archived articles among which the newest are found: more than a feed ever lists, and few
enough to read at every refresh."""


def newest_rows(
    store: Store, *, site: str | None = None, source: int | None = None, limit: int
) -> list[FeedRow]:
    """Return the newest articles of a source or a site; of an article's versions, the latest."""
    found = store.feed_articles(site=site, source=source, limit=max(WINDOW, limit))
    rows = sorted(_distinct(map(feed_row, found)), key=_moment, reverse=True)
    return rows[:limit]


def feed_row(article: FeedArticle) -> FeedRow:
    """Return an article's row with the link and the guid of its feed."""
    row: FeedRow = json.loads(article.line)
    return row | {"link": article.link, "guid": article.guid}


def find_source(store: Store, wanted: str) -> Source | None:
    """Find the source of a URL: its own, or that of its feed."""
    key = url_key(wanted)
    if key is None:
        return None
    for source in store.sources():
        if key in (url_key(source.url), url_key(source.feed_url or "")):
            return source
    return None


def _distinct(rows: Iterable[FeedRow]) -> list[FeedRow]:
    """Keep the first row per article: rows come the latest archived first."""
    kept: dict[str, FeedRow] = {}
    for row in rows:
        kept.setdefault(str(row.get("version_of") or row.get("id")), row)
    return list(kept.values())


def _moment(row: FeedRow) -> float:
    """Return the moment that dates an article; equal ones stay as archived."""
    moment = parse_date(find_date(row))
    return moment.timestamp() if moment is not None else 0.0
