"""Serve the metrics of `forest status --prometheus` while a crawl runs, on loopback only.

Import this module only once Scrapy has installed its reactor: parts of Twisted install another one.
"""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

from twisted.internet.defer import CancelledError
from twisted.internet.threads import deferToThread
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET

from forest_crawler.cli._loopback_site import serve_resource
from forest_crawler.cli._prometheus import status_metrics, write_metrics
from forest_crawler.cli._store_status import read_status
from forest_crawler.errors import ForestError
from forest_crawler.store import read_store

MAX_SHARE = 0.05
"""Max share of the time in which metrics are read: counting reads every row of the store, so a
large one is counted less often than somebody asks."""

CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"


class MetricsCache:
    """The metrics of a store as text; `read` is called in threads."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._text = ""
        self._next_read = 0.0

    def read(self) -> str:
        """Return the metrics, new ones if enough time has passed; one thread counts at a time."""
        with self._lock:
            began = time.monotonic()
            if began >= self._next_read:
                with read_store(self._store) as store:
                    self._text = write_metrics(status_metrics(read_status(store)))
                ended = time.monotonic()
                self._next_read = ended + (ended - began) / MAX_SHARE
            return self._text


class _Metrics(Resource):
    isLeaf = True  # noqa: N815  as Twisted has it

    def __init__(self, cache: MetricsCache) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._cache = cache

    def render_GET(self, request: Any) -> int:  # noqa: N802  as Twisted has it
        if request.path not in (b"/", b"/metrics"):
            request.setResponseCode(404)
            _answer(request, "metrics are at /metrics\n")
            return NOT_DONE_YET
        found = deferToThread(self._cache.read)
        request.notifyFinish().addErrback(lambda _: found.cancel())  # nobody waits any longer
        found.addCallbacks(lambda text: _answer(request, text), lambda err: _fail(request, err))
        return NOT_DONE_YET


def serve_metrics(store: str, listening: socket.socket) -> None:
    """Answer requests for the metrics that come to a socket."""
    serve_resource(_Metrics(MetricsCache(store)), listening)


def _answer(request: Any, text: str) -> None:
    request.setHeader(b"Content-Type", CONTENT_TYPE)
    request.write(text.encode())
    request.finish()


def _fail(request: Any, failure: Any) -> None:
    if failure.trap(ForestError, CancelledError) is CancelledError:
        return
    request.setResponseCode(503)
    _answer(request, f"{failure.value}\n")
