"""`ArticleItems`: sends new articles through Scrapy's item pipelines, as items of their own.

An article exists only after its site's sample is complete, long after the callback that yielded its
page. So it is sent by whoever archives it, in its own time.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from scrapy.crawler import Crawler

from forest_crawler.pipelines.items import ArticleItem


class ArticleItems:
    """Gives articles to the other pipelines, to feed exports and to whoever listens to signals."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._batches: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def send(self, lines: Sequence[str]) -> None:
        """Send articles, and wait until the pipelines are done with them.

        A stop that cancels the caller does not cancel the batch: Scrapy waits for its items.
        """
        if lines and not self._is_closed:
            batch = asyncio.ensure_future(self._send(lines))
            self._batches.add(batch)
            batch.add_done_callback(self._batches.discard)
            await asyncio.shield(batch)

    def close(self) -> None:
        """Send nothing more: the other pipelines are closing."""
        self._is_closed = True

    async def _send(self, lines: Sequence[str]) -> None:
        for number, line in enumerate(lines):
            engine = self._crawler.engine
            if self._is_closed or engine is None or engine.spider is None:
                self._crawler.stats.inc_value("forest/items_unsent", len(lines) - number)
                return
            await engine.scraper.start_itemproc_async(ArticleItem(json.loads(line)), response=None)
