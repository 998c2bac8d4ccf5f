"""`CrawlDelayMiddleware`: keeps every host's delay between requests.

A slot belongs to a host, or with FOREST_SLOT_PER_ADDRESS to the IP address that many hosts may
share. A request that a frontier can take back (`RETURNABLE`) is postponed if its turn is far away,
so that a slow host's queue doesn't fill the window of all the others.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from scrapy.resolver import dnscache
from scrapy.utils.datatypes import LocalCache
from scrapy.utils.httpobj import urlparse_cached

from forest_crawler.crawl.outcomes import CRAWL_DELAY
from forest_crawler.fetching.request_outcomes import postpone_request

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.core.downloader import Downloader, Slot
    from scrapy.crawler import Crawler

DELAY_KEY = "forest_crawl_delay"
RETURNABLE = "forest_returnable"
"""Set in a request's meta if its errback puts a postponed request back into a frontier."""
_SLOT_HOST = "forest_slot_host"

MAX_SLOT_WAIT = 10.0
"""Seconds that a returnable request waits in a slot for its turn."""
MAX_SLOTS = 10_000


class CrawlDelayMiddleware:
    """Puts requests into slots, and sets the delay that a robots.txt requests."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.per_address = crawler.settings.getbool("FOREST_SLOT_PER_ADDRESS")
        self.turns: LocalCache[str, float] = LocalCache(MAX_SLOTS)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        self._choose_slot(request)
        downloader = self.crawler.engine.downloader
        key = downloader.get_slot_key(request)
        if delay := request.meta.get(DELAY_KEY):
            _slow_down(downloader, key, delay)
            # AutoThrottle would go below the delay if the server is quick.
            request.meta["autothrottle_dont_adjust_delay"] = True
        if request.meta.get(RETURNABLE) and key in downloader.slots:
            self._postpone_late(key, downloader.slots[key])

    def _choose_slot(self, request: Request) -> None:
        host = urlparse_cached(request).hostname or ""
        # A redirected request has the slot of its first host.
        if request.meta.setdefault(_SLOT_HOST, host) != host:
            request.meta.pop("download_slot", None)
            request.meta[_SLOT_HOST] = host
        # The host is resolved by now: its robots.txt has been fetched.
        if self.per_address and (addresses := dnscache.get(host)):
            request.meta["download_slot"] = addresses[0].host

    def _postpone_late(self, key: str, slot: Slot) -> None:
        """Postpone a request whose turn in the slot is too far away."""
        turn = slot.delay * (len(slot.queue) + 1) - (time.monotonic() - slot.lastseen)
        if turn <= MAX_SLOT_WAIT:
            self.turns.pop(key, None)
            return
        # One after the other: all at once would only be postponed again.
        retry_at = max(time.time() + turn, self.turns.get(key, 0.0) + slot.delay)
        self.turns[key] = retry_at
        raise postpone_request(self.crawler, CRAWL_DELAY, retry_at)


def _slow_down(downloader: Downloader, key: str, delay: float) -> None:
    """Set a slot's delay, also for when Scrapy drops the slot and makes it again."""
    known = downloader.per_slot_settings.get(key, {})
    delay = max(delay, known.get("delay", 0.0), downloader.settings.getfloat("DOWNLOAD_DELAY"))
    downloader.per_slot_settings[key] = known | {"delay": delay, "concurrency": 1, "jitter": 0.0}
    if slot := downloader.slots.get(key):
        slot.delay, slot.concurrency, slot.jitter = max(slot.delay, delay), 1, 0.0
