"""`BoundedHandler`: limits response headers and idle connections, and adds headers per site.

Scrapy limits bodies and Twisted single lines, but neither the number of headers: 500,000 of them
take two seconds to read, and a server can go on until the timeout. Nor does either limit the
connections that are kept for a next request: one or more per host of the last four minutes, so
that a crawl of a thousand sites runs out of descriptors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
)
from twisted.web._newclient import HEADER, STATUS
from twisted.web.client import HTTPConnectionPool

from forest_crawler.crawl.descriptors import count_idle
from forest_crawler.fetching.lease_check import check_lease
from forest_crawler.fetching.site_headers import site_headers_of

if TYPE_CHECKING:
    from scrapy import Request as ScrapyRequest
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred
    from twisted.internet.interfaces import IAddress
    from twisted.web._newclient import HTTP11ClientProtocol, Request
    from twisted.web.iweb import IResponse

MAX_HEAD = 256 * 1024
"""Bytes of status line and headers; browsers stop at about as much."""


class _BoundedProtocol(_LenientHTTP11ClientProtocol):
    """Aborts a connection whose response has too large a head."""

    head = 0

    def request(self, request: Request) -> Deferred[IResponse]:
        self.head = 0
        return super().request(request)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        if self._parser is not None and self._parser.state in (STATUS, HEADER):
            self.head += len(data)
            # A chunk may have the end of the head and much of the body, so it counts only when
            # the head goes on after it.
            if self.transport is not None and self.head - len(data) > MAX_HEAD:
                self.transport.abortConnection()
                return
        super().dataReceived(data)  # type: ignore[no-untyped-call]


class _BoundedFactory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> HTTP11ClientProtocol:  # noqa: N802
        return _BoundedProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]


class _BoundedPool(HTTPConnectionPool):
    """Closes the connection that has been idle for longest if there are too many.

    Twisted keeps a list for every host that a connection was made to, also once it is empty.
    """

    _factory = _BoundedFactory

    def __init__(self, reactor: Any, max_idle: int) -> None:
        super().__init__(reactor)  # type: ignore[no-untyped-call]
        self.max_idle = max_idle

    def getConnection(self, key: Any, endpoint: Any) -> Deferred[HTTP11ClientProtocol]:  # noqa: N802
        found = super().getConnection(key, endpoint)
        self._forget_empty(key)
        return found

    def _removeConnection(self, key: Any, connection: HTTP11ClientProtocol) -> None:  # noqa: N802
        super()._removeConnection(key, connection)  # type: ignore[no-untyped-call]
        self._forget_empty(key)

    def _forget_empty(self, key: Any) -> None:
        if not self._connections.get(key, True):
            del self._connections[key]

    def _putConnection(self, key: Any, connection: HTTP11ClientProtocol) -> None:  # noqa: N802
        super()._putConnection(key, connection)  # type: ignore[no-untyped-call]
        while len(self._timeouts) > self.max_idle:
            timeout = next(iter(self._timeouts.values()))  # in the order they became idle
            oldest = timeout.args
            timeout.cancel()
            self._removeConnection(*oldest)


class BoundedHandler(HTTP11DownloadHandler):
    """Scrapy's handler for http and https, with limits."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._crawler = crawler
        from twisted.internet import reactor  # imported late: the import chooses the reactor

        requests = crawler.settings.getint("CONCURRENT_REQUESTS")
        max_idle = count_idle(requests, crawler.settings.getint("FOREST_WORKERS"))
        per_host = self._pool.maxPersistentPerHost
        self._pool = _BoundedPool(reactor, max_idle)
        self._pool.maxPersistentPerHost = per_host
        self._site_headers = site_headers_of(crawler.settings)

    async def download_request(self, request: ScrapyRequest) -> Response:
        """Send a request, with the headers that the user gives for its site."""
        check_lease(self._crawler)  # here, as requests wait for their turn before
        found = self._site_headers.find(request.url) if self._site_headers else {}
        if not found:
            return await super().download_request(request)
        sent = request.replace(headers=request.headers | found)
        try:
            response = await super().download_request(sent)
        finally:
            request.meta.update(sent.meta)  # times that AutoThrottle reads
        # A session's cookies would reach WARC files.
        response.headers.pop("Set-Cookie", None)
        return response
