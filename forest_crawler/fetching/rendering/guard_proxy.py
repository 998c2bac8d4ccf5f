"""`GuardProxy`: the browser's only way to the network, with the guards of every other fetch.

A browser resolves names and follows redirects itself, and a page's scripts may request anything. So
it gets a proxy on loopback and nothing else. The proxy judges each URL by the crawl's policy,
resolves the host, and connects to the very address that it has checked: as `PublicResolver` does,
so a name whose next answer differs (rebinding) gets nowhere.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
from base64 import b64encode
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from forest_crawler.urls.networks import is_public_address
from forest_crawler.urls.policy import DEFAULT_PORTS, UrlPolicy, refuse_url

MAX_HEAD = 64 * 1024
MAX_TRANSFER = 20 * 1024 * 1024
"""Bytes that one connection may bring; a script or an answer in JSON has less."""
CONNECT_SECONDS = 10.0
_CHUNK = 64 * 1024
_HOP_HEADERS = (b"connection:", b"proxy-connection:", b"proxy-authorization:", b"keep-alive:")


@dataclass(frozen=True, slots=True)
class _Target:
    """What a client wants: a tunnel, or one request that is passed on."""

    url: str
    host: str
    port: int
    is_tunnel: bool


class GuardProxy:
    """An HTTP proxy on loopback that connects to what a `UrlPolicy` allows, and to no more."""

    def __init__(self, policy: UrlPolicy) -> None:
        self._policy = policy
        self._server: asyncio.Server | None = None
        # Without it, other users of this machine could fetch from the networks that are allowed.
        self.user, self.password = "forest", secrets.token_urlsafe(16)
        self.refused = 0

    async def start(self) -> str:
        """Listen, and return the proxy's URL."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=MAX_HEAD)
        host, port = self._server.sockets[0].getsockname()
        return f"http://{host}:{port}"

    async def close(self) -> None:
        """Stop listening; open connections end with the browser."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = await reader.readuntil(b"\r\n\r\n")
            status = await self._answer(head, reader, writer)
            if status is not None:
                challenge = "Proxy-Authenticate: Basic\r\n" if status.startswith("407") else ""
                writer.write(f"HTTP/1.1 {status}\r\n{challenge}{_CLOSING}".encode())
                await writer.drain()
        writer.close()

    async def _answer(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> str | None:
        """Pass a request on; or return the status that refuses it."""
        if not self._is_authorised(head):
            return "407 Proxy Authentication Required"
        target = _read_target(head)
        if target is None:
            return "400 Bad Request"
        if refuse_url(target.url, self._policy):
            self.refused += 1
            return "403 Forbidden"
        address = await self._find_address(target)
        if address is None:
            self.refused += 1
            return "403 Forbidden"
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                far_reader, far_writer = await asyncio.open_connection(address, target.port)
        except (OSError, TimeoutError):
            return "502 Bad Gateway"
        try:
            if target.is_tunnel:
                writer.write(b"HTTP/1.1 200 Connection Established\r\n\r\n")
                await _first(_copy(reader, far_writer), _copy(far_reader, writer))
            else:
                far_writer.write(_origin_form(head, target))
                await _copy(reader, far_writer, _body_length(head))
                # A client that speaks again means another request, perhaps to another host.
                await _first(_copy(far_reader, writer), reader.read(1))
        finally:
            far_writer.close()
        return None

    def _is_authorised(self, head: bytes) -> bool:
        token = b64encode(f"{self.user}:{self.password}".encode())
        given = _header(head, b"proxy-authorization:").removeprefix(b"Basic ").strip()
        return secrets.compare_digest(given, token)

    async def _find_address(self, target: _Target) -> str | None:
        """Resolve a host to an address that may be connected to."""
        host = "127.0.0.1" if target.host.endswith(".localhost") else target.host
        loop = asyncio.get_running_loop()
        try:
            rows = await loop.getaddrinfo(host, target.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return None
        found = (str(row[4][0]) for row in rows)
        return next((it for it in found if is_public_address(it, self._policy.networks)), None)


_CLOSING = "Content-Length: 0\r\nConnection: close\r\n\r\n"


def _read_target(head: bytes) -> _Target | None:
    try:
        method, url, _ = head.split(b"\r\n", 1)[0].decode("ascii").split(" ")
        is_tunnel = method == "CONNECT"
        url = f"https://{url}/" if is_tunnel else url
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    if not parts.hostname or not port or (not is_tunnel and parts.scheme != "http"):
        return None
    return _Target(url, parts.hostname, port, is_tunnel)


def _origin_form(head: bytes, target: _Target) -> bytes:
    """Write a request as its server expects it, for one answer on this connection."""
    first, *lines = head.rstrip(b"\r\n").split(b"\r\n")
    method, _, version = first.split(b" ")
    path = target.url.split("/", 3)[3] if target.url.count("/") > 2 else ""
    kept = [line for line in lines if not line.lower().startswith(_HOP_HEADERS)]
    request = b"%b /%b %b" % (method, path.encode(), version)
    return b"\r\n".join([request, *kept, b"Connection: close", b"", b""])


def _header(head: bytes, name: bytes) -> bytes:
    lines = (line for line in head.split(b"\r\n")[1:] if line.lower().startswith(name))
    return next((line[len(name) :].strip() for line in lines), b"")


def _body_length(head: bytes) -> int:
    text = _header(head, b"content-length:")
    return min(int(text), MAX_TRANSFER) if text.isdigit() else 0


async def _first(*works: Coroutine[Any, Any, object]) -> None:
    """Wait for the first of several to end, and end the others."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _copy(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limit: int = MAX_TRANSFER
) -> None:
    left = limit
    while left > 0 and (data := await reader.read(min(left, _CHUNK))):
        left -= len(data)
        writer.write(data)
        await writer.drain()
