"""Run `forest crawl` in a process of its own, as a person would, and read what it leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any

from tests.support.crawl_zygote import the_zygote
from tests.support.waiting import HANG

ROOT = Path(__file__).parents[2]

QUICK = (
    *("--allow-network", "127.0.0.0/8", "--allow-port", "any", "--delay", "0", "--workers", "1"),
    *("-s", "AUTOTHROTTLE_ENABLED=0", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=8"),
)
"""Options for crawls of loopback sites, which need no politeness."""

NO_TIMEOUT = ("-s", "DOWNLOAD_TIMEOUT=3600")
"""Options for crawls of sites that stall: a crawl that waits for them hangs."""


@dataclass(frozen=True, slots=True)
class Crawl:
    """The files of a crawl, and how to run it."""

    directory: Path
    lists: tuple[str, ...]
    options: tuple[str, ...] = QUICK

    @property
    def store(self) -> str:
        return f"sqlite:///{self.directory}/forest.db"

    @property
    def output(self) -> Path:
        return self.directory / "articles.jsonl"

    def command(self, *more: str) -> list[str]:
        return [sys.executable, "-m", "forest_crawler.cli", *self.arguments(*more)]

    def arguments(self, *more: str) -> list[str]:
        files = ("--store", self.store, "-o", str(self.output))
        return ["crawl", *self.lists, *files, *self.options, *more]

    def run(self, *more: str) -> subprocess.CompletedProcess[str]:
        """Crawl to the end, in a fork of a process that has everything loaded."""
        with TemporaryDirectory() as directory:
            stderr, stdout = Path(directory, "stderr"), Path(directory, "stdout")
            argv = self.arguments(*more)
            status = the_zygote().run(argv, stderr, env=os.environ, out=stdout)
            return subprocess.CompletedProcess(argv, status, stdout.read_text(), stderr.read_text())

    def run_alone(
        self, *more: str, env: Mapping[str, str] | None = None, timeout: float = HANG
    ) -> subprocess.CompletedProcess[str]:
        """Crawl to the end, as a person's shell would run it."""
        return subprocess.run(
            self.command(*more),
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def start(
        self, *more: str, set_up: Callable[[], None] | None = None, prelude: str = ""
    ) -> subprocess.Popen[str]:
        """Start a crawl in a process group of its own.

        `set_up` runs in the new process before Python starts; `prelude` is Python code that runs
        before the command.
        """
        command = self.command(*more)
        if prelude:
            command[1:3] = ["-c", f"{prelude}\nfrom forest_crawler.cli import main\nmain()"]
        return subprocess.Popen(
            command,
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=set_up,
        )

    def articles(self) -> list[dict[str, Any]]:
        """Read the archive; every line must be whole."""
        data = self.output.read_bytes() if self.output.exists() else b""
        assert data.endswith(b"\n") or not data, "torn last line"
        return [json.loads(line) for line in data.split(b"\n")[:-1]]


def read_to_end(process: subprocess.Popen[str]) -> str:
    """Wait until a crawl ends by itself; return its stderr."""
    try:
        return process.communicate(timeout=HANG)[1]
    finally:
        process.kill()


def stop(process: subprocess.Popen[str], number: signal.Signals = signal.SIGTERM) -> str:
    """Send a signal to a crawl, and wait until it ends; return its stderr."""
    process.send_signal(number)
    return read_to_end(process)


def read_until(process: subprocess.Popen[str], part: str) -> str:
    """Read a crawl's stderr up to the first line with `part` in it."""
    assert process.stderr is not None
    lines: list[str] = []
    with _killed_when_hung(process):
        for line in process.stderr:
            lines.append(line)
            if part in line:
                return "".join(lines)
    raise AssertionError(f"the crawl ends without {part!r}: {''.join(lines)}")


@contextmanager
def _killed_when_hung(process: subprocess.Popen[str]) -> Iterator[None]:
    timer = Timer(HANG, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def ids(articles: Iterable[Mapping[str, Any]]) -> list[str]:
    return [article["id"] for article in articles]
