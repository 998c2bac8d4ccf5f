"""`FeedRun`: the steps of a crawl of feeds: which polls and fetches come next, until its end.

Whoever has a network makes the requests: the spider `feeds`, or a simulation.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence

from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.page_queue import PageQueue
from forest_crawler.crawl.source_polls import SourcePolls
from forest_crawler.store import Lease, Source

_log = logging.getLogger(__name__)

Step = Source | list[Lease]
"""A source to poll, or pages to fetch."""


class FeedRun:
    """One run: polls, pages, and the engine that makes articles of them."""

    def __init__(self, engine: CrawlEngine, polls: SourcePolls, queue: PageQueue) -> None:
        self._engine, self._polls, self._queue = engine, polls, queue

    async def steps(self, urls: Sequence[str]) -> AsyncIterator[Step]:
        """Yield what to request now, until nothing is due. Raises `StoreError`."""
        await self._polls.add(urls)
        while True:
            for source in await self._polls.lease(self._queue.max_sites):
                yield source
            leases = await self._queue.lease_next()
            if leases:
                yield leases
            elif await self._is_done():
                _log.info("nothing more to fetch")
                await self._engine.finish()
                # Else articles continue on pages that are due now, or another process is at work,
                # whose sites are ours if it is killed.
                if await self._is_done() and await self._queue.is_alone():
                    break
                self._engine.go_on()
            await self._queue.wait(has_leased=bool(leases))
        _log.info("all pages are processed")

    async def _is_done(self) -> bool:
        return self._polls.is_done and await self._queue.is_done()
