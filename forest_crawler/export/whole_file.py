"""Replace a file as a whole, so that nobody ever reads half of one."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from glob import escape
from pathlib import Path


def replace_file(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file beside the old one and give it its name; create its directories.

    The name of the new file has our process id: another process may write the same file now.
    `durable`: a power cut does not leave the new name without its content.
    """
    refuse_special(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with new.open("wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise


def find_target(path: str | Path) -> Path:
    """Return the file to replace for a name that a user gives: a link stays a link.

    Raises `OSError` for a device or a pipe.
    """
    refuse_special(Path(path))
    return Path(os.path.realpath(path))


def refuse_special(path: Path) -> None:
    """Raise for a device or a pipe, such as /dev/null: it would become a file."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it isn't a regular file", str(path))


def remove_leftovers(path: Path) -> None:
    """Remove the unfinished new files of a file that processes left which no longer run."""
    for found in path.parent.glob(f"{escape(path.name)}.*.new"):
        number = found.name.removeprefix(f"{path.name}.").removesuffix(".new")
        if number.isascii() and number.isdigit() and not _is_running(int(number)):
            with suppress(OSError):  # somebody else's file; it does no harm
                found.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
