"""Serve the bundled sites on loopback, for `forest demo`.

Each site is a name below `localhost`, which RFC 6761 reserves for this machine. Pages and feeds
contain the URL of their site; the server replaces it by the URL at which it serves the site.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from forest_crawler.datasets.labelled_pages import DESCRIPTION_FILE

_XML = "application/xml"
_HTML = "text/html"  # without a charset: pages declare their own


@dataclass(frozen=True, slots=True)
class ServedSite:
    """A bundled site, and where its pages are served."""

    name: str
    home: str  # the URL of its home page, where a crawl starts
    pages: Mapping[str, str]  # path → id of the page
    files: Mapping[str, Path]  # path → file
    original_url: bytes  # of its home page, as the site's files have it


@contextmanager
def serve_sites(directories: Sequence[Path]) -> Iterator[list[ServedSite]]:
    """Serve sites until the `with` block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    sites = [_site(path, server.server_port) for path in directories]
    server.sites = {urlsplit(site.home).netloc: site for site in sites}  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield sites
    finally:
        server.shutdown()
        server.server_close()


def _site(directory: Path, port: int) -> ServedSite:
    description = json.loads((directory / DESCRIPTION_FILE).read_bytes())
    files = {"/": directory / description["home"]}
    files[f"/{description['feed']}"] = directory / description["feed"]
    pages: dict[str, str] = {}
    for path in sorted(directory.glob("*.html")):
        metadata = path.with_suffix(".json")
        if metadata.exists():
            parts = urlsplit(json.loads(metadata.read_bytes())["url"])
            target = f"{parts.path}?{parts.query}" if parts.query else parts.path
            files[target], pages[target] = path, path.stem
    return ServedSite(
        name=directory.name,
        home=f"http://{directory.name}.localhost:{port}/",
        pages=pages,
        files=files,
        original_url=description["url"].rstrip("/").encode(),
    )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        host = self.headers.get("Host", "")
        site: ServedSite | None = self.server.sites.get(host)  # type: ignore[attr-defined]
        path = site.files.get(self.path) if site else None
        if site is None or path is None:
            self._answer(404, _HTML, b"<p>No such page")
            return
        body = path.read_bytes().replace(site.original_url, site.home.rstrip("/").encode())
        self._answer(200, _XML if path.suffix == ".xml" else _HTML, body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
