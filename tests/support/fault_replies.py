"""HTTP answers as bytes, and the exchange that a fault answers."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request, and the transport for its answer."""

    site: str
    args: dict[str, str]
    headers: dict[str, str]
    hit: int  # number of this request among those for the same URL, from 1
    transport: asyncio.Transport

    def number(self, name: str, default: float) -> float:
        return float(self.args.get(name, default))

    async def write(self, data: bytes) -> None:
        """Write, then wait until the client has read most; it may close the connection."""
        self.transport.write(data)
        await asyncio.sleep(0)
        # Otherwise an endless body would fill this process's memory.
        while self.transport.get_write_buffer_size() > 1 << 20:
            await asyncio.sleep(0.005)


def reply(
    body: bytes,
    *,
    status: str = "200 OK",
    kind: str = "text/html; charset=utf-8",
    headers: dict[str, str] | None = None,
) -> bytes:
    """Return an answer with Content-Length, for a connection that stays open."""
    more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


def reply_json(value: Any) -> bytes:
    return reply(json.dumps(value).encode(), kind="application/json")


def redirect(target: str, status: int = 302) -> bytes:
    return reply(b"", status=f"{status} Moved", headers={"Location": target})
