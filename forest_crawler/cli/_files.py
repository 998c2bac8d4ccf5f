"""Read and write the files of commands other than pages; `-` is stdin or stdout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, Any

import click

from forest_crawler.cli._messages import say
from forest_crawler.cli._terminal import echo_data
from forest_crawler.cli.main import EXIT_STORE
from forest_crawler.errors import InputError, WrapperError
from forest_crawler.export.whole_file import find_target, replace_file
from forest_crawler.wrapper.wrapper import Wrapper, load_wrappers


class DiskError(click.ClickException):
    """A file that cannot be written."""

    exit_code = EXIT_STORE

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the message as every other one."""
        say(self.message)


MAX_FILE_SIZE = 2**26
"""Bytes of a page or of rules; nobody waits for the end of /dev/zero."""


def read_bytes(path: str) -> bytes:
    """Read a file, or stdin."""
    data = _read_start(path)
    if len(data) > MAX_FILE_SIZE:
        raise InputError(f"longer than {MAX_FILE_SIZE:,} bytes; give a smaller file", path)
    return data


def _read_start(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read(MAX_FILE_SIZE + 1)
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_FILE_SIZE + 1)
    except FileNotFoundError as err:
        raise InputError("no such file; check the spelling", path) from err
    except IsADirectoryError as err:
        raise InputError("is a directory; give a file", path) from err
    except OSError as err:
        raise InputError(f"cannot be read: {err.strerror}", path) from err


def read_wrappers(path: str) -> dict[str, list[Wrapper]]:
    """Read a wrappers file; return each site's wrappers, in order."""
    try:
        wrappers = load_wrappers(read_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError as err:
        raise InputError("isn't UTF-8, so `forest induce` didn't write it", path) from err
    except WrapperError as err:
        raise InputError(str(err), path) from err
    if not wrappers:
        raise InputError("has no wrappers; write it again with `forest induce`", path)
    sites: dict[str, list[Wrapper]] = {}
    for wrapper in wrappers:
        sites.setdefault(wrapper.site, []).append(wrapper)
    return sites


def write_text(path: str, text: str) -> None:
    """Write a text file and create its directories, or write to stdout."""
    if path == "-":
        echo_data(text)
        return
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")
    except OSError as err:
        raise DiskError(f"{path}: cannot be written: {err.strerror}; choose another -o") from err


def write_bytes(path: str, data: bytes) -> None:
    """Replace a file in one step, so that nobody reads half of it; or write to stdout."""
    if path == "-":
        echo_data(data)
        return
    try:
        replace_file(find_target(path), data)
    except OSError as err:
        raise DiskError(f"{path}: cannot be written: {err.strerror}; choose another -o") from err
