"""Serve every 127.x.y.z as a site of its own, with faults by path.

`python -m tests.support.fault_server --port 0` prints the port it listens on. It writes raw bytes
to asyncio's transports, so that it can break HTTP in every way a real server does, and answers
several thousand requests per second on one core.

`/fault/<name>?args` is answered by `tests.support.fault_paths`, `/control/…` controls the server,
and everything else is a generated site (`tests.support.fault_sites`): `/feed.xml`, `/article/7`, ….
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Coroutine
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.support import fault_paths, fault_sites
from tests.support.fault_replies import Exchange, reply, reply_json

MAX_LOGGED = 1_000_000
"""Max requests in the log; a soak run clears it now and then."""


@dataclass(slots=True)
class ServerState:
    """What all connections share: how each site behaves, and the log of requests."""

    sites: dict[str, fault_sites.SitePlan] = field(default_factory=dict)
    default: fault_sites.SitePlan = field(default_factory=fault_sites.SitePlan)
    log: list[tuple[float, str, str, str, dict[str, str]]] = field(default_factory=list)
    hits: Counter[str] = field(default_factory=Counter)
    connections: Counter[str] = field(default_factory=Counter)

    def plan(self, site: str) -> fault_sites.SitePlan:
        return self.sites.get(site, self.default)

    def control(self, command: str, args: dict[str, str], body: bytes) -> bytes:
        """Answer `/control/<command>`: log, connections, clear, plan."""
        if command == "log":
            rows = self.log if "site" not in args else [r for r in self.log if r[1] == args["site"]]
            return reply_json(rows)
        if command == "connections":
            return reply_json(self.connections)
        if command == "clear":
            self.log.clear()
            self.hits.clear()
            self.connections.clear()
            return reply_json({})
        if command == "plan":
            return reply_json(self._change_plans(json.loads(body)))
        return reply(b"no such command", status="404 Not Found")

    def _change_plans(self, changes: dict[str, dict[str, Any]]) -> dict[str, Any]:
        """Change the given fields of each site's plan; `*` means all other sites."""
        for site, fields in changes.items():
            plan = fault_sites.SitePlan(**(asdict(self.plan(site)) | fields))
            if site == "*":
                self.default = plan
            else:
                self.sites[site] = plan
        return {site: asdict(self.plan(site)) for site in changes}


class Connection(asyncio.Protocol):
    """One keep-alive connection."""

    def __init__(self, state: ServerState) -> None:
        self.state = state
        self.buffer = b""
        self.busy = False
        self.task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        host, port = transport.get_extra_info("sockname")[:2]
        self.site = host
        self.state.connections[f"{host}:{port}"] += 1

    def connection_lost(self, exc: Exception | None) -> None:
        if self.task:
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.busy:
            self._next_request()

    def _next_request(self) -> None:
        head, blank, rest = self.buffer.partition(b"\r\n\r\n")
        if not blank:
            return
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (li.partition(": ") for li in lines)}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        self.buffer = rest[length:]
        self.busy = True
        method, target = lines[0].split(" ")[:2]
        self._answer(method, target, headers, rest[:length])

    def _answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> None:
        if target.startswith("/control/"):
            parts = urlsplit(target)
            command = parts.path.removeprefix("/control/")
            self._send(self.state.control(command, dict(parse_qsl(parts.query)), body))
            return
        if len(self.state.log) < MAX_LOGGED:
            self.state.log.append((time.monotonic(), self.site, method, target, headers))
        plan = self.state.plan(self.site)
        answer = self._serve(plan.routes.get(target, target), headers, plan)
        waits = target.startswith("/article/") and (plan.delay > 0 or plan.holds_articles)
        if isinstance(answer, bytes) and not waits:
            self._send(answer)
        else:
            self.task = asyncio.get_running_loop().create_task(self._run(answer, waits))

    def _serve(
        self, target: str, headers: dict[str, str], plan: fault_sites.SitePlan
    ) -> bytes | Coroutine[Any, Any, None]:
        target = fault_sites.fault_of(self.site, target, plan) or target
        if not target.startswith("/fault/"):
            return fault_sites.serve_page(self.site, target, headers, plan)
        parts = urlsplit(target)
        key = f"{self.site}{target}"
        self.state.hits[key] += 1
        args = dict(parse_qsl(parts.query, keep_blank_values=True))
        exchange = Exchange(self.site, args, headers, self.state.hits[key], self.transport)
        return fault_paths.serve_fault(unquote(parts.path.removeprefix("/fault/")), exchange)

    def _send(self, answer: bytes) -> None:
        self.transport.write(answer)
        self.busy = False
        if self.buffer:
            self._next_request()

    async def _run(self, answer: bytes | Coroutine[Any, Any, None], waits: bool) -> None:
        if waits:
            await asyncio.sleep(self.state.plan(self.site).delay)
        while waits and self.state.plan(self.site).holds_articles:
            await asyncio.sleep(0.02)
        if isinstance(answer, bytes):
            self._send(answer)
        else:
            await answer
            self.transport.close()


async def serve(ports: list[int], owner: int) -> None:
    """Listen on every loopback address until the process `owner` ends."""
    state = ServerState()
    loop = asyncio.get_running_loop()
    # The wildcard covers 127.0.0.0/8; one listener per address would be 2^24 of them.
    sockets = [socket.create_server(("0.0.0.0", port), backlog=4096) for port in ports]  # noqa: S104
    for listener in sockets:
        await loop.create_server(lambda: Connection(state), sock=listener, backlog=4096)
    sys.stdout.write(" ".join(str(s.getsockname()[1]) for s in sockets) + "\n")
    sys.stdout.flush()
    while os.getppid() == owner:
        await asyncio.sleep(0.5)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, action="append", help="0: any free port; repeatable")
    asyncio.run(serve(parser.parse_args().port or [0], os.getppid()))
