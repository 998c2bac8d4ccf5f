"""`RetryAfterMiddleware`: Retry-After holds for the whole host.

A short wait is waited out in place. For a longer one the request is postponed to the time that the
host states, and so is everything else that is queued for the host: neither a download slot nor
another host waits.
"""

from __future__ import annotations

import math
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.utils.datatypes import LocalCache
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.task import deferLater

from forest_crawler.crawl.outcomes import RETRY_AFTER
from forest_crawler.fetching.request_outcomes import PostponedRequest, postpone_request

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

STATUSES = frozenset({429, 503})
MAX_PAUSE = 3600.0
"""Seconds; a host that requests more is retried after an hour."""
DEFAULT_PAUSE = 60.0
"""Seconds after "too many requests" without a Retry-After."""
SHORT_PAUSE = 5.0
"""Seconds that are waited out in place, unless FOREST_SHORT_PAUSE says otherwise."""
MAX_HOSTS = 10_000


class RetryAfterMiddleware:
    """Keeps the pauses that hosts request."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.short = crawler.settings.getfloat("FOREST_SHORT_PAUSE", SHORT_PAUSE)
        self.until: LocalCache[str, float] = LocalCache(MAX_HOSTS)  # monotonic
        # Sent before the host's next request leaves the queue; process_response comes after.
        crawler.signals.connect(self._note_pause, signal=signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        wait = self._left(request)
        if wait > self.short:
            raise postpone_request(self.crawler, RETRY_AFTER, time.time() + wait)
        if wait > 0:
            from twisted.internet import reactor

            await maybe_deferred_to_future(deferLater(reactor, wait))

    def process_response(self, request: Request, response: Response) -> Request | Response:
        wait = requested_pause(response, time.time())
        if not wait:
            return response
        if wait > self.short:
            raise postpone_request(self.crawler, RETRY_AFTER, time.time() + wait)
        spider = self.crawler.spider
        again = spider and get_retry_request(request, spider=spider, reason=RETRY_AFTER)
        return again or response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Repeat a request that a pause took out of its slot, if the pause is short."""
        if not isinstance(exception, PostponedRequest) or self._left(request) > self.short:
            return None
        return request.replace(dont_filter=True) if exception.reason == RETRY_AFTER else None

    def _left(self, request: Request) -> float:
        return self.until.get(_host(request), -math.inf) - time.monotonic()

    def _note_pause(self, response: Response, request: Request) -> None:
        wait = requested_pause(response, time.time())
        if not wait:
            return
        host = _host(request)
        self.until[host] = max(self.until.get(host, -math.inf), time.monotonic() + wait)
        downloader = self.crawler.engine.downloader
        slot = downloader.slots.get(downloader.get_slot_key(request))
        if slot is None:
            return
        queued = list(slot.queue)
        slot.queue.clear()
        for waiting, deferred in queued:
            if _host(waiting) == host:
                error = postpone_request(self.crawler, RETRY_AFTER, time.time() + wait)
                deferred.errback(error)
            else:  # of another host at the same IP address
                slot.queue.append((waiting, deferred))


def requested_pause(response: Response, now: float) -> float:
    """Return the seconds of pause that a response requests for its host."""
    if response.status not in STATUSES:
        return 0.0
    wait = read_retry_after(response.headers.get("Retry-After"), now)
    if not wait and response.status == 429:
        wait = DEFAULT_PAUSE
    return min(wait, MAX_PAUSE)


def read_retry_after(value: bytes | None, now: float) -> float:
    """Read the seconds of a Retry-After header; 0 if it has no usable value.

    >>> read_retry_after(b"120", 0.0), read_retry_after(b"Thu, 01 Jan 1970 00:01:30 GMT", 60.0)
    (120.0, 30.0)
    >>> read_retry_after(b"-5", 0.0), read_retry_after(b"soon", 0.0), read_retry_after(None, 0.0)
    (0.0, 0.0, 0.0)
    """
    text = (value or b"").decode("latin-1").strip()[:100]
    if text.isascii() and text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, OverflowError, OSError):
        return 0.0


def _host(request: Request) -> str:
    return urlparse_cached(request).hostname or ""
