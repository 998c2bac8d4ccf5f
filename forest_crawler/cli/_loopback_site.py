"""Serve a resource beside a crawl, on a socket that is bound already.

Import this module only once Scrapy has installed its reactor: parts of Twisted install another one.
"""

from __future__ import annotations

import socket
from typing import Any

from twisted.web.resource import Resource
from twisted.web.server import Request, Site


def serve_resource(
    resource: Resource, listening: socket.socket, request: type[Request] = Request
) -> None:
    """Answer requests that come to a socket, in the running reactor."""
    from twisted.internet import reactor

    installed: Any = reactor
    site = Site(resource, requestFactory=request)  # type: ignore[no-untyped-call]
    site.displayTracebacks = False
    installed.adoptStreamPort(listening.fileno(), socket.AF_INET, site)
