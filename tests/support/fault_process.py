"""Start the fault server in a process of its own, and control it from tests and benchmarks.

with running_server() as server:
    server.plan({"127.1.0.1": {"pages": 50, "flip_at": 30}})
    ... crawl server.url("127.1.0.1", "/feed.xml") ...
    assert server.paths("127.1.0.1") == [...]
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.support.waiting import HANG, wait_until

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Hit:
    """A request that reached the server; `time` is the machine's monotonic clock."""

    time: float
    site: str
    method: str
    path: str
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class FaultServer:
    """A running server: its URLs, its log, and how its sites behave."""

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
        """Return the paths that were requested, in order."""
        return [hit.path for hit in self.log(site)]

    def wait_for(self, site: str, part: str) -> None:
        """Wait until a path that contains `part` is requested from a site."""
        self.wait_for_requests(1, part, site)

    def wait_for_requests(self, number: int, part: str, site: str | None = None) -> None:
        """Wait until `number` requests have been made for paths that contain `part`."""
        wait_until(
            lambda: sum(part in path for path in self.paths(site)) >= number,
            f"{number} requests to {site or 'all sites'} for {part}",
        )

    def connections(self) -> dict[str, int]:
        """Count the connections to each `address:port`, whether a request followed or not."""
        opened: dict[str, int] = self._control("connections")
        return opened

    def plan(self, changes: dict[str, dict[str, Any]]) -> None:
        """Change how sites behave (`fault_sites.SitePlan`); `*` means all others."""
        self._control("plan", changes)

    def clear(self) -> None:
        self._control("clear")

    def _control(self, command: str, value: object = None) -> Any:
        # An address that no site has: control must not count as a connection of a site.
        connection = HTTPConnection("127.255.255.254", self.port, timeout=HANG)
        try:
            body = None if value is None else json.dumps(value)
            connection.request("POST" if body else "GET", f"/control/{command}", body)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()


@contextmanager
def running_server(*more_ports: int) -> Iterator[FaultServer]:
    """Run a server on a free port, and on the given ones, until the block ends."""
    ports = [f"--port={port}" for port in (0, *more_ports)]
    command = [sys.executable, "-m", "tests.support.fault_server", *ports]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            yield FaultServer(tuple(int(port) for port in line.split()))
        finally:
            process.kill()
