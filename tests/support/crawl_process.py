"""Run `forest crawl` in a process of its own, as a person would, and read what it left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.crawl_zygote import the_zygote

ROOT = Path(__file__).parents[2]

PATIENCE = 60.0
"""Seconds until a crawl must say something, and must end then."""

QUICK = (
    *("--allow-network", "127.0.0.0/8", "--allow-port", "any", "--delay", "0", "--workers", "1"),
    *("-s", "AUTOTHROTTLE_ENABLED=0", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=8"),
)
"""Options for crawls of loopback sites, which need no politeness."""


@dataclass(frozen=True, slots=True)
class Crawl:
    """Where a crawl's files are, and how to run it."""

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
        files = ("--store", self.store, "-o", str(self.output))
        return [
            sys.executable,
            "-m",
            "forest_crawler.cli",
            "crawl",
            *self.lists,
            *files,
            *self.options,
            *more,
        ]

    def run(self, *more: str) -> subprocess.CompletedProcess[str]:
        """Crawl to the end, in a fork of a process that has everything loaded."""
        with TemporaryDirectory() as directory:
            said, shown = Path(directory, "stderr"), Path(directory, "stdout")
            argv = self.command(*more)
            status = the_zygote().run(argv[3:], said, env=os.environ, out=shown)
            return subprocess.CompletedProcess(argv, status, shown.read_text(), said.read_text())

    def run_alone(
        self, *more: str, env: Mapping[str, str] | None = None, timeout: float = 180
    ) -> subprocess.CompletedProcess[str]:
        """Crawl to the end, as a person's shell would have it."""
        return subprocess.run(
            self.command(*more),
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def start(self, *more: str, set_up: Callable[[], None] | None = None) -> subprocess.Popen[str]:
        """Begin a crawl, in a group of processes of its own; `set_up` runs in it before all."""
        return subprocess.Popen(
            self.command(*more),
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=set_up,
        )

    def articles(self) -> list[dict[str, Any]]:
        """The archive's lines; every one of them must be whole."""
        data = self.output.read_bytes() if self.output.exists() else b""
        assert data.endswith(b"\n") or not data, "torn last line"
        return [json.loads(line) for line in data.split(b"\n")[:-1]]


def end_of(process: subprocess.Popen[str], patience: float = PATIENCE) -> tuple[str, float]:
    """What a crawl says, and the seconds from its first line to its end; it ends, or is killed."""
    assert process.stderr is not None
    try:
        ready, _, _ = select([process.stderr], [], [], patience)
        assert ready, f"the crawl has said nothing and not ended for {patience:g} s"
        said = process.stderr.readline()
        began = time.monotonic()
        said += process.communicate(timeout=patience)[1]
    finally:
        process.kill()
    return said, time.monotonic() - began


def stop(process: subprocess.Popen[str], patience: float = 90) -> tuple[str, float]:
    """What a crawl says that is told to stop, and the seconds that it takes to."""
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=patience)
    return said, time.monotonic() - began


def ids(articles: Iterable[Mapping[str, Any]]) -> list[str]:
    return [article["id"] for article in articles]
