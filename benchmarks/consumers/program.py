"""`Program`: another program that is run here, and how its local copy is found."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from urllib.error import URLError
from urllib.request import urlopen

from benchmarks.consumers.sites import Site
from forest_crawler.export.choice import Target
from forest_crawler.export.publishing.published import PublishedFeed

START_TIMEOUT = 60.0
"""Seconds for a server to answer on a busy machine."""

Shown: TypeAlias = dict[str, str]
"""The URL of a served page → the HTML that the program shows of it."""


class NotHereError(Exception):
    """The program, or something that it needs, isn't installed; says which."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program, the variable with its path, and how it is run on served sites."""

    name: str
    variable: str
    run: Callable[[Path, Sequence[Site], Path], tuple[str, Shown]]  # → version, what it shows
    target: Callable[[Site], Target[Any]] | None = None  # by which it is simulated

    def find(self) -> Path:
        """Return the path of the local copy; raises `NotHereError`."""
        return find_copy(self.variable, self.name)


def find_copy(variable: str, command: str) -> Path:
    """Return the path in a variable, or else that of a command; raises `NotHereError`."""
    value = os.environ.get(variable) or shutil.which(command)
    if not value:
        raise NotHereError(f"set {variable} to its path")
    path = Path(value).resolve()
    if not path.exists():
        raise NotHereError(f"{variable}={value}: no such file")
    return path


def need(name: str) -> str:
    """Return the path of a command; raises `NotHereError`."""
    found = shutil.which(name)
    if found is None:
        raise NotHereError(f"{name} isn't installed")
    return found


def run(command: Sequence[str | Path], **options: Any) -> str:
    """Run a command to its end and return what it prints; its errors are raised with its words."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # noqa: S603
    if done.returncode:
        said = (done.stdout + done.stderr)[-2000:]
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}: {said}")
    return str(done.stdout)


@contextmanager
def running(command: Sequence[str | Path], port: int, log: Path, **options: Any) -> Iterator[None]:
    """Run a server during the block, once it answers on its port."""
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out, **options)  # noqa: S603
    try:
        _wait(server, port, log)
        yield
    finally:
        server.terminate()
        server.wait(timeout=30)


def check_outcomes(feeds: Sequence[PublishedFeed]) -> None:
    """Raise an error unless `publish` left imported feeds as they were, and added the others."""
    expected = ["added" if i % 2 else "unchanged" for i in range(len(feeds))]
    if [feed.outcome for feed in feeds] != expected:
        raise RuntimeError(f"published otherwise than imported: {feeds}")


def free_port() -> int:
    """Return a port of loopback that nothing listens on."""
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return int(it.getsockname()[1])


def only_loopback(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment without proxies: every address of these runs is on loopback."""
    kept = {name: it for name, it in os.environ.items() if not name.lower().endswith("_proxy")}
    return kept | dict(extra or {})


def _wait(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + START_TIMEOUT
    while time.monotonic() < until and server.poll() is None:
        try:
            with urlopen(f"http://127.0.0.1:{port}/", timeout=5):
                return
        except URLError as err:
            if not isinstance(err.reason, OSError):
                return  # it answers, if only with an error
            time.sleep(0.2)
    raise RuntimeError(f"the server didn't start: {log.read_text(errors='replace')[-2000:]}")
