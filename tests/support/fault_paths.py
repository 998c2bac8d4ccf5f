"""Faults by name: the answers to `/fault/<name>`. A new fault is a new function here."""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct
import zlib
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, formatdate
from functools import cache
from importlib import import_module
from time import time
from typing import Any
from urllib.parse import quote

from tests.support.fault_replies import Exchange, redirect, reply
from tests.support.fault_sites import SitePlan, serve_page

PAGE = b"<html><head><title>Page</title></head><body><p>A page that is whole.</p></body></html>"
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
_MEGABYTE = b"x" * (1 << 20)

Fault = Callable[[Exchange], bytes | Coroutine[Any, Any, None]]
FAULTS: dict[str, Fault] = {}


def serve_fault(name: str, exchange: Exchange) -> bytes | Coroutine[Any, Any, None]:
    """Answer with the fault of that name; an unknown name is a 404."""
    fault = FAULTS.get(name)
    return fault(exchange) if fault else reply(b"no such fault", status="404 Not Found")


def _fault(function: Fault) -> Fault:
    FAULTS[function.__name__.strip("_").replace("_", "-")] = function
    return function


@_fault
def page(exchange: Exchange) -> bytes:
    return reply(PAGE)


@_fault
def echo(exchange: Exchange) -> bytes:
    """Send the request's headers back, to check what must not be in them."""
    lines = [f"{name}: {value}" for name, value in exchange.headers.items()]
    return reply("\n".join(lines).encode(), kind="text/plain")


@_fault
def text(exchange: Exchange) -> bytes:
    """Send `body` as `type`: a robots.txt, a feed, anything."""
    return reply(
        exchange.args.get("body", "").encode(), kind=exchange.args.get("type", "text/plain")
    )


@_fault
def huge_feed(exchange: Exchange) -> bytes:
    """Send a feed of the articles 1 to `n`, a minute apart, the oldest first."""
    return reply(_long_feed(int(exchange.number("n", 100_000))), kind="application/rss+xml")


@cache
def _long_feed(number: int) -> bytes:
    first = datetime(2020, 1, 1, tzinfo=UTC)
    items = "".join(
        f"<item><link>/article/{n}</link>"
        f"<pubDate>{format_datetime(first + timedelta(minutes=n))}</pubDate></item>"
        for n in range(1, number + 1)
    )
    return f"<rss><channel><title>Huge</title>{items}</channel></rss>".encode()


@_fault
def many_elements(exchange: Exchange) -> bytes:
    """Send a page of `bytes`, mostly tags: its tree takes a hundred times as many bytes."""
    return reply(PAGE + b"<p>x</p>" * int(exchange.number("bytes", 4.5e6) / len(b"<p>x</p>")))


@_fault
def status(exchange: Exchange) -> bytes:
    """Send `code`, with `retry-after` (`date+30`: a date in 30 s); a page after `times` hits."""
    if exchange.hit > exchange.number("times", 1e9):
        return reply(PAGE)
    headers = {}
    if after := exchange.args.get("retry-after"):
        ahead = after.partition("date+")[2]
        headers["Retry-After"] = formatdate(time() + float(ahead), usegmt=True) if ahead else after
    return reply(b"not now", status=f"{exchange.args['code']} Fault", headers=headers)


@_fault
def redirect_to(exchange: Exchange) -> bytes:
    return redirect(exchange.args["to"], int(exchange.number("status", 302)))


@_fault
def set_cookie(exchange: Exchange) -> bytes:
    """Set a cookie and redirect to `to`, which may be another host."""
    headers = {"Location": exchange.args["to"], "Set-Cookie": "session=secret; Path=/"}
    return reply(b"", status="302 Moved", headers=headers)


@_fault
def meta_refresh(exchange: Exchange) -> bytes:
    target = exchange.args["to"]
    return reply(f'<html><meta http-equiv=refresh content="0;url={target}"><p>x'.encode())


@_fault
def chain(exchange: Exchange) -> bytes:
    """Redirect `n` times, then to `then` (default: a page); without end for a negative `n`."""
    left = int(exchange.number("n", -1))
    if left == 0:
        return redirect(exchange.args["then"]) if "then" in exchange.args else reply(PAGE)
    then = f"&then={quote(exchange.args['then'])}" if "then" in exchange.args else ""
    return redirect(f"/fault/chain?n={left - 1}{then}")


@_fault
def ping_pong(exchange: Exchange) -> bytes:
    """Redirect to the same path of the site `to`, and back, for ever."""
    port = exchange.headers["host"].partition(":")[2]
    target = f"http://{exchange.args['to']}:{port}/fault/ping-pong?to={exchange.site}"
    return redirect(target)


@_fault
def bomb(exchange: Exchange) -> bytes:
    """Send `megabytes` of one letter, packed by `kind`: gzip, gzip2 (twice), deflate, br, zstd."""
    status = f"{exchange.args.get('status', '200')} Bomb"
    kind = exchange.args.get("kind", "gzip")
    encoding = "gzip, gzip" if kind == "gzip2" else kind
    body = _packed(kind, int(exchange.number("megabytes", 300)))
    return reply(body, status=status, headers={"Content-Encoding": encoding})


@cache
def _packed(kind: str, megabytes: int) -> bytes:
    if kind == "br":
        packer = import_module("brotli").Compressor(quality=1)
        return bytes(
            b"".join(packer.process(_MEGABYTE) for _ in range(megabytes)) + packer.finish()
        )
    if kind == "zstd":
        from backports import zstd

        return zstd.compress(_MEGABYTE) * megabytes
    # A full flush makes a block independent of those before it: one is packed, and repeated.
    packer = zlib.compressobj(level=9, wbits=15 if kind == "deflate" else 31)
    head = packer.compress(_MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(_MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    body = head + block * (megabytes - 1)
    return gzip.compress(body) if kind == "gzip2" else body


@_fault
def gzip_plain(exchange: Exchange) -> bytes:
    """Announce gzip, and send plain text."""
    return reply(PAGE, headers={"Content-Encoding": "gzip"})


@_fault
def typed(exchange: Exchange) -> bytes:
    """Send the body `of` (html, pdf, png, empty), labelled as `type`."""
    body = {"html": PAGE, "pdf": PDF, "png": PNG, "empty": b""}[exchange.args["of"]]
    return reply(body, kind=exchange.args["type"])


@_fault
def short_length(exchange: Exchange) -> Coroutine[Any, Any, None]:
    """Send more than Content-Length says."""
    return exchange.write(_HEAD + b"Content-Length: 40\r\n\r\n" + PAGE)


@_fault
def long_length(exchange: Exchange) -> Coroutine[Any, Any, None]:
    """Send less than Content-Length says."""
    return exchange.write(_HEAD + b"Content-Length: 9000\r\n\r\n" + PAGE)


@_fault
def no_length(exchange: Exchange) -> bytes | Coroutine[Any, Any, None]:
    """End the body with the connection, so that a client cannot know whether it is whole.

    The first `down` hits get a 503; those up to `times` get a `share` of the page `of`, later
    ones all of it.
    """
    if exchange.hit <= exchange.number("down", 0):
        return reply(b"not now", status="503 Fault")
    of = exchange.args.get("of")
    body = serve_page(exchange.site, of, {}, SitePlan()).partition(b"\r\n\r\n")[2] if of else PAGE
    is_cut = exchange.hit <= exchange.number("times", 1e9)
    share = exchange.number("share", 1) if is_cut else 1
    return exchange.write(_HEAD + b"Connection: close\r\n\r\n" + body[: int(share * len(body))])


@_fault
def cut_chunk(exchange: Exchange) -> Coroutine[Any, Any, None]:
    return exchange.write(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n400\r\n" + PAGE)


@_fault
async def endless(exchange: Exchange) -> None:
    await exchange.write(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    while not exchange.transport.is_closing():
        await exchange.write(b"100000\r\n" + _MEGABYTE + b"\r\n")


@_fault
async def rst(exchange: Exchange) -> None:
    """Reset instead of an answer; with `after`, behind that many bytes of one."""
    if exchange.args.get("after"):
        await exchange.write(
            (_HEAD + b"Content-Length: 9000\r\n\r\n" + PAGE)[: int(exchange.args["after"])]
        )
    linger = struct.pack("ii", 1, 0)  # closing with nothing to linger for sends RST
    sock: socket.socket = exchange.transport.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    exchange.transport.abort()


@_fault
async def drop(exchange: Exchange) -> None:
    """Close the connection without an answer."""


@_fault
def junk(exchange: Exchange) -> Coroutine[Any, Any, None]:
    return exchange.write(b"\x00\x01GARBAGE not http at all\r\n\r\n<p>junk</p>")


@_fault
async def huge_header(exchange: Exchange) -> None:
    """Send one header of `megabytes`."""
    await exchange.write(_HEAD + b"X-Long: ")
    for _ in range(int(exchange.number("megabytes", 20))):
        await exchange.write(_MEGABYTE)
    await exchange.write(b"\r\nContent-Length: 2\r\n\r\nok")


@_fault
async def many_headers(exchange: Exchange) -> None:
    """Send `n` headers."""
    lines = (f"X-{i}: {i}\r\n" for i in range(int(exchange.number("n", 500_000))))
    await exchange.write(_HEAD + "".join(lines).encode() + b"Content-Length: 2\r\n\r\nok")
    await asyncio.sleep(60)


@_fault
async def stall(exchange: Exchange) -> None:
    """Send nothing for `seconds`."""
    await asyncio.sleep(exchange.number("seconds", 3600))


@_fault
async def drip(exchange: Exchange) -> None:
    """Send a byte every `gap` seconds until the client closes the connection."""
    await exchange.write(_HEAD + b"Content-Length: 100000\r\n\r\n")
    while not exchange.transport.is_closing():
        await exchange.write(b"x")
        await asyncio.sleep(exchange.number("gap", 0.5))


@_fault
async def slow(exchange: Exchange) -> None:
    """Send a text after `seconds`: a slow robots.txt."""
    await asyncio.sleep(exchange.number("seconds", 0.3))
    await exchange.write(reply(exchange.args.get("body", "").encode(), kind="text/plain"))


@_fault
def many_rules(exchange: Exchange) -> bytes:
    """Send a robots.txt of `n` rules; the first forbids /early, the last /late."""
    rules = "".join(f"Disallow: /rule/{i}/x\n" for i in range(int(exchange.number("n", 300_000))))
    body = f"User-agent: *\nDisallow: /early\n{rules}Disallow: /late\n"
    return reply(body.encode(), kind="text/plain")
