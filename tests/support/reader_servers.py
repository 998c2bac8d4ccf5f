"""Stand-ins for the APIs of Miniflux and FreshRSS, as their sources answer.

`benchmarks.consumers` runs the programs themselves.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

TOKEN = "secret-token"  # noqa: S105
PASSWORD = "secret-password"  # noqa: S105


class _Handler(BaseHTTPRequestHandler):
    server: ReaderServer

    def do_GET(self) -> None:
        self._handle()

    do_POST = do_PUT = do_GET  # noqa: N815

    def _handle(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        self.server.requests.append(f"{self.command} {self.path}")
        status, body = self.server.reply(self, self.rfile.read(size))
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", body.decode())
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""


class ReaderServer(ThreadingHTTPServer):
    """A feed reader on loopback, with the requests that it got."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def reply(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        """Answer a request."""
        raise NotImplementedError


class MinifluxServer(ReaderServer):
    """Feeds by number, as Miniflux keeps them; `refused` are URLs that it cannot fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.feeds: list[dict[str, Any]] = []
        self.refused: set[str] = set()

    def reply(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        """Answer as Miniflux does."""
        if request.headers.get("X-Auth-Token") != TOKEN:
            return 401, b'{"error_message":"Access Unauthorized"}'
        if request.command == "GET" and request.path == "/v1/feeds":
            return 200, json.dumps(self.feeds).encode()
        wanted = json.loads(body)
        if request.command == "POST":
            if wanted["feed_url"] in self.refused:
                return 500, b'{"error_message":"unable to fetch"}'
            self.feeds.append({"id": len(self.feeds) + 1} | wanted)
            return 201, b'{"feed_id":1}'
        number = int(request.path.rpartition("/")[2])
        self.feeds[number - 1] |= wanted
        return 201, json.dumps(self.feeds[number - 1]).encode()


class FreshRssServer(ReaderServer):
    """A list of subscriptions, and the list that was imported last."""

    def __init__(self) -> None:
        super().__init__()
        self.opml = b'<opml version="2.0"><head/><body/></opml>'
        self.imported: bytes | None = None

    def reply(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        """Answer as FreshRSS's Google Reader API does."""
        path = request.path.removeprefix("/api/greader.php")
        if path == "/accounts/ClientLogin":
            given = parse_qs(body.decode())
            known = given == {"Email": ["admin"], "Passwd": [PASSWORD]}
            return (200, b"SID=admin/x\nLSID=null\nAuth=admin/x\n") if known else (401, b"No")
        if request.headers.get("Authorization") != "GoogleLogin auth=admin/x":
            return 401, b"Unauthorized"
        if path == "/reader/api/0/subscription/export":
            return 200, self.opml
        self.imported = body
        return 200, b"OK"


@contextmanager
def served(server: ReaderServer) -> Iterator[ReaderServer]:
    """Serve during the block."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
