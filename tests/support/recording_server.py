"""A small server on loopback that records requests; as a proxy, it answers for any host."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ARTICLE = "<html><body>" + "<p>The ferry came back to the old pier, as it was told.</p>" * 5
Reply = tuple[int, Mapping[str, str], str]


@dataclass(slots=True)
class RecordingServer:
    """Where it listens, what it got, and what it replies; other paths get an article."""

    address: str = ""
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)  # target, headers
    replies: dict[str, Reply] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    def headers_of(self, target: str) -> dict[str, str]:
        """The headers of the only request for a path, or through a proxy a URL."""
        (found,) = [headers for path, headers in self.requests if path == target]
        return found

    def targets(self) -> list[str]:
        return [path for path, _ in self.requests]


@contextmanager
def recording_server(host: str = "127.0.0.1") -> Iterator[RecordingServer]:
    """Run a server."""
    record = RecordingServer(replies={"/robots.txt": (404, {}, "")})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            record.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            default: Reply = (200, {"Content-Type": "text/html", "Set-Cookie": "s=2"}, ARTICLE)
            if self.path.endswith("/robots.txt"):
                default = (404, {}, "")
            status, headers, body = record.replies.get(self.path, default)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            data = body.encode()
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer((host, 0), Handler)
    record.address = f"{host}:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
    thread.start()
    try:
        yield record
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
