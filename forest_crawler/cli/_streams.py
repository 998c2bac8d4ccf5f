"""What a command inherits: standard streams that are closed or full, a directory that is gone.

Each is one line and an exit code, and no other file is harmed.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

from forest_crawler.cli._messages import say

EXIT_UNWRITABLE = 4

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


def occupy_closed_streams() -> None:
    """Open the null device in place of closed standard streams.

    Otherwise the next file that is opened, such as the store, gets the number of the stream, and
    what is printed goes into it. Writing to a stdout that was closed fails, as it should.
    """
    for number, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # gets the lowest free number, which is this one
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def escape_unencodable() -> None:
    """Write characters that the encoding of stdout lacks as escapes: pages may have any.

    Python does so on stderr, and click writes UTF-8 if the encoding is ASCII.
    """
    stdout = sys.stdout
    if isinstance(stdout, TextIOWrapper) and stdout.errors == "strict":
        stdout.reconfigure(errors="backslashreplace")


@contextmanager
def named_stdout_errors() -> Iterator[None]:
    """Report a stdout that cannot be written in one line, and exit.

    Errors of files have their name; a pipe whose reader has left is click's, which ends quietly.
    """
    try:
        yield
    except OSError as err:
        if err.errno not in _FULL or err.filename is not None:
            raise
        _drop_stdout()
        say(
            f"standard output cannot be written: {err.strerror}; name a file with -o, or free space"
        )
        sys.exit(EXIT_UNWRITABLE)


@contextmanager
def named_lost_directory() -> Iterator[None]:
    """Report a current directory that was removed in one line, and exit."""
    try:
        yield
    except FileNotFoundError:
        if _has_directory():
            raise
        say("the current directory was removed; change to another one")
        sys.exit(EXIT_UNWRITABLE)


def _has_directory() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _drop_stdout() -> None:
    """Let what is still buffered go nowhere: Python would try to write it once more at the end."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
