"""A scheduler that does not take every request, as one with a queue of its own elsewhere may be."""

from __future__ import annotations

from scrapy import Request
from scrapy.core.scheduler import Scheduler

FULL = "127.62.0.1"
"""The site whose pages find the queue full at first."""

SHUT = ("127.62.0.2", "/moved")
"""What is in the address of a request that is never taken."""


class DroppingScheduler(Scheduler):
    """Drops some requests, which the engine tells by a signal."""

    def enqueue_request(self, request: Request) -> bool:
        seen = self.__dict__.setdefault("seen", set())
        is_first = request.url not in seen
        seen.add(request.url)
        is_full = is_first and FULL in request.url and "/article/" in request.url
        if is_full or any(part in request.url for part in SHUT):
            return False
        return super().enqueue_request(request)
