"""Answer the hubs that report news of feeds (WebSub), while a crawl runs.

It listens on loopback: a reverse proxy of the user's passes on what comes to the public URL. Import
this module only once Scrapy has installed its reactor.
"""

from __future__ import annotations

import socket
from typing import Any

from twisted.web.http import HTTPChannel
from twisted.web.resource import Resource
from twisted.web.server import Request

from forest_crawler.cli._loopback_site import serve_resource
from forest_crawler.crawl.hub_subscriptions import HubSubscriptions

MAX_REPORT = 10 * 1024 * 1024
"""Bytes of a report, which has the feed or a part of it."""


class _BoundedRequest(Request):
    """Ends the connection of a report that is too large."""

    received = 0

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802  as Twisted has it
        self.received += len(data)
        if self.received > MAX_REPORT and isinstance(self.channel, HTTPChannel):
            self.channel.forceAbortClient()  # type: ignore[no-untyped-call]
            return
        super().handleContentChunk(data)  # type: ignore[no-untyped-call]


class _Callbacks(Resource):
    """`/TOKEN` below any path: the last segment says which feed it is."""

    isLeaf = True  # noqa: N815  as Twisted has it

    def __init__(self, hubs: HubSubscriptions) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._hubs = hubs

    def render_GET(self, request: Any) -> bytes:  # noqa: N802  as Twisted has it
        mode, topic = (_argument(request, name) for name in (b"hub.mode", b"hub.topic"))
        lease = _argument(request, b"hub.lease_seconds")
        seconds = float(lease) if lease.isdecimal() and len(lease) < 12 else 0.0
        if mode == "denied":
            return b""
        if not self._hubs.confirm(_token(request), mode, topic, seconds):
            request.setResponseCode(404)
            return b"no such subscription\n"
        request.setHeader(b"Content-Type", b"text/plain; charset=utf-8")
        return _argument(request, b"hub.challenge").encode()

    def render_POST(self, request: Any) -> bytes:  # noqa: N802  as Twisted has it
        signature = (request.getHeader(b"X-Hub-Signature") or b"").decode("latin-1")
        if not self._hubs.receive(_token(request), request.content.read(), signature):
            request.setResponseCode(410)  # the hub drops the subscription
            return b"no such subscription\n"
        request.setResponseCode(202)
        return b""


def serve_callbacks(hubs: HubSubscriptions, listening: socket.socket) -> None:
    """Answer hubs that send requests to a socket."""
    serve_resource(_Callbacks(hubs), listening, _BoundedRequest)


def _token(request: Any) -> str:
    return str(request.path.decode("latin-1").rpartition("/")[2])


def _argument(request: Any, name: bytes) -> str:
    return str(request.args.get(name, [b""])[0].decode("utf-8", "replace"))
