"""Start the fault server in a process of its own, and talk to it: what tests and benches import.

with running_server() as server:
    server.plan({"127.1.0.1": {"pages": 50, "flip_at": 30}})
    ... crawl server.url("127.1.0.1", "/feed.xml") ...
    assert server.paths("127.1.0.1") == [...]
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A request that the server saw; `time` is the machine's monotonic clock."""

    time: float
    site: str
    method: str
    path: str
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class FaultServer:
    """A running server: its addresses, its log, and how its sites behave."""

    ports: tuple[int, ...]

    @property
    def port(self) -> int:
        return self.ports[0]

    def url(self, site: str = "127.0.0.1", path: str = "/") -> str:
        return f"http://{site}:{self.port}{path}"

    def log(self, site: str | None = None) -> list[Hit]:
        rows = self._control("log" if site is None else f"log?site={site}")
        return [Hit(*row) for row in rows]

    def paths(self, site: str | None = None) -> list[str]:
        """What was asked for, in order."""
        return [hit.path for hit in self.log(site)]

    def wait_for(self, site: str, part: str) -> None:
        """Until a site is asked for a path with this in it."""
        end = time.monotonic() + PATIENCE
        while not any(part in path for path in self.paths(site)):
            assert time.monotonic() < end, f"nobody asks {site} for {part}"
            time.sleep(0.02)

    def connections(self) -> dict[str, int]:
        """How often each `address:port` was connected to, whatever was said then."""
        opened: dict[str, int] = self._control("connections")["opened"]
        return opened

    def most_at_once(self) -> int:
        """The most connections that were open at a time, this one included."""
        return int(self._control("connections")["most_at_once"])

    def plan(self, changes: dict[str, dict[str, Any]]) -> None:
        """Change how sites behave (`fault_sites.SitePlan`); `*` stands for all others."""
        self._control("plan", changes)

    def clear(self) -> None:
        self._control("clear")

    def _control(self, command: str, value: object = None) -> Any:
        # An address of its own, so that control does not count as a site's connection.
        connection = HTTPConnection("127.255.255.254", self.port, timeout=10)
        try:
            body = None if value is None else json.dumps(value)
            connection.request("POST" if body else "GET", f"/control/{command}", body)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()


@contextmanager
def running_server(*more_ports: int) -> Iterator[FaultServer]:
    """A server on a free port (and on the ports named), gone at the end."""
    ports = [f"--port={port}" for port in (0, *more_ports)]
    command = [sys.executable, "-m", "tests.support.fault_server", *ports]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            yield FaultServer(tuple(int(port) for port in line.split()))
        finally:
            process.kill()
