"""Answers whose headers have no end are cut off, before they fill the memory.

Scrapy bounds bodies and Twisted single lines, but nobody the number of headers: 500,000 of them
take two seconds to read, and a server can go on for as long as the timeout lets it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
)
from twisted.web._newclient import HEADER, STATUS

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred
    from twisted.internet.interfaces import IAddress
    from twisted.web._newclient import HTTP11ClientProtocol, Request
    from twisted.web.iweb import IResponse

LARGEST_HEAD = 256 * 1024
"""Bytes; browsers stop at about as much."""


class _BoundedProtocol(_LenientHTTP11ClientProtocol):
    """Drops a connection whose answer is all head."""

    head = 0

    def request(self, request: Request) -> Deferred[IResponse]:
        self.head = 0
        return super().request(request)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        if self._parser is not None and self._parser.state in (STATUS, HEADER):
            self.head += len(data)
            # A chunk may hold the head's end and much of the body; only what stays a head counts.
            if self.transport is not None and self.head - len(data) > LARGEST_HEAD:
                self.transport.abortConnection()
                return
        super().dataReceived(data)  # type: ignore[no-untyped-call]


class _BoundedFactory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> HTTP11ClientProtocol:  # noqa: N802
        return _BoundedProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]


class BoundedHandler(HTTP11DownloadHandler):
    """Scrapy's handler for http and https, with an end to headers."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool._factory = _BoundedFactory
