"""Build WARC files byte by byte, valid or broken on purpose."""

from __future__ import annotations

import gzip
from collections.abc import Callable

PACKINGS: dict[str, Callable[..., bytes]] = {
    "plain": lambda *records: b"".join(records),
    "gzip": lambda *records: b"".join(gzip.compress(record) for record in records),
}
"""How a file stores its records: plain, or each as a gzip member."""


def http_response(body: bytes, kind: str = "text/html", *headers: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", f"Content-Type: {kind}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def warc_record(
    url: str | None,
    block: bytes,
    *,
    kind: str = "response",
    length: object = None,
) -> bytes:
    """Build a record; `length` replaces the true Content-Length."""
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        "WARC-Record-ID: <urn:uuid:5dbb1c9c-6b1c-4a24-9a2f-0d3a3f9a0c11>",
        "WARC-Date: 2024-01-02T03:04:05Z",
        *([f"WARC-Target-URI: {url}"] if url else []),
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(block) if length is None else length}",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"
