"""`cmd:PROGRAM ARGS…`: any program, HTML on its stdin and text on its stdout, both UTF-8.

The words are split as a shell does, but no shell runs. One run of the program a page.
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
"""Seconds for a page, where the caller sets no tighter limit."""

_LAST_WORDS = 200  # characters of stderr that a message repeats


@dataclass(frozen=True, slots=True)
class Command:
    """A program that extracts."""

    name: str
    words: tuple[str, ...]
    timeout: float = TIMEOUT

    def version(self) -> str:
        """Nothing: no option to ask for it is common to all programs."""
        if shutil.which(self.words[0]) is None:
            raise PeerError(self.name, f"no program {self.words[0]!r} on the path")
        return ""

    def extract_text(self, html: str, url: str | None) -> str:
        """What the program writes; `PeerError` where it ends with another code than 0."""
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
        output, messages = self._answer(process, html.encode("utf-8", "replace"))
        if process.returncode:
            said = messages.decode("utf-8", "replace").strip()[-_LAST_WORDS:]
            raise PeerError(self.name, f"exit code {process.returncode}: {said or 'no message'}")
        return output.decode("utf-8", "replace")

    def _answer(self, process: subprocess.Popen[bytes], page: bytes) -> tuple[bytes, bytes]:
        try:
            return process.communicate(page, timeout=self.timeout)
        except subprocess.TimeoutExpired as err:
            raise PeerTimeoutError(self.name, f"no answer in {self.timeout:g} s") from err
        finally:
            _end_group(process)


def open_command(name: str) -> Command:
    """Make the peer of a name such as `cmd:python -m extractor`."""
    try:
        words = shlex.split(name.removeprefix(PREFIX))
    except ValueError as err:
        raise PeerError(name, f"not a command line: {err}") from err
    if not words:
        raise PeerError(name, f"no program; write {PREFIX}PROGRAM ARGS")
    return Command(name, tuple(words))


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Leave nothing running: what the program started itself holds its pipes open."""
    if process.returncode is not None:
        return
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()


register_prefix(PREFIX, open_command)
