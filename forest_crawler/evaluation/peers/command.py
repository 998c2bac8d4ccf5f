"""`cmd:PROGRAM ARGS…`: any program that reads HTML and writes text, both in UTF-8.

It reads stdin and writes stdout, and is run once per page. The words are split as by a shell, but
no shell runs.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass
from typing import Final

from forest_crawler.evaluation.peers.errors import PeerError, PeerTimeoutError
from forest_crawler.evaluation.peers.registry import register_prefix

PREFIX: Final = "cmd:"
TIMEOUT: Final = 120.0
"""Seconds per page, unless the caller sets a lower limit."""

_MAX_STDERR = 200  # characters of stderr that a message repeats


@dataclass(frozen=True, slots=True)
class Command:
    """A program that extracts."""

    name: str
    words: tuple[str, ...]
    timeout: float = TIMEOUT

    def version(self) -> str:
        """Return an empty string: programs have no common option to print it."""
        if shutil.which(self.words[0]) is None:
            raise PeerError(self.name, f"there is no program {self.words[0]!r} on the path")
        return ""

    def extract_text(self, html: str, url: str | None) -> str:
        """Return what the program writes; raise `PeerError` unless its exit code is 0."""
        try:
            process = subprocess.Popen(  # noqa: S603  the user's own command
                self.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as err:
            raise PeerError(self.name, f"cannot be started: {err.strerror}") from err
        output, messages = self._communicate(process, html.encode("utf-8", "replace"))
        if process.returncode:
            last = messages.decode("utf-8", "replace").strip()[-_MAX_STDERR:]
            raise PeerError(self.name, f"exit code {process.returncode}: {last or 'no message'}")
        return output.decode("utf-8", "replace")

    def _communicate(self, process: subprocess.Popen[bytes], page: bytes) -> tuple[bytes, bytes]:
        try:
            return process.communicate(page, timeout=self.timeout)
        except subprocess.TimeoutExpired as err:
            raise PeerTimeoutError(self.name, f"no output in {self.timeout:g} s") from err
        finally:
            _kill_group(process)


def open_command(name: str) -> Command:
    """Make the peer of a name such as `cmd:python -m extractor`."""
    try:
        words = shlex.split(name.removeprefix(PREFIX))
    except ValueError as err:
        raise PeerError(name, f"isn't a command line: {err}") from err
    if not words:
        raise PeerError(name, f"names no program; write {PREFIX}PROGRAM ARGS")
    return Command(name, tuple(words))


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the program and its children, which would keep its pipes open."""
    if process.returncode is not None:
        return
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()


register_prefix(PREFIX, open_command)
