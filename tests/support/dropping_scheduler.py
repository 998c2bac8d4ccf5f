"""A scheduler that drops requests, as one with a bounded queue elsewhere may."""

from __future__ import annotations

from scrapy import Request
from scrapy.core.scheduler import Scheduler

FULL = "127.62.0.1"
"""The site whose pages are dropped when they are scheduled for the first time."""

SHUT = ("127.62.0.2", "/moved")
"""Parts of URLs that are always dropped."""


class DroppingScheduler(Scheduler):
    """Drops some requests; the engine sends a signal for each."""

    def enqueue_request(self, request: Request) -> bool:
        seen = self.__dict__.setdefault("seen", set())
        is_first = request.url not in seen
        seen.add(request.url)
        is_full = is_first and FULL in request.url and "/article/" in request.url
        if is_full or any(part in request.url for part in SHUT):
            return False
        return super().enqueue_request(request)
