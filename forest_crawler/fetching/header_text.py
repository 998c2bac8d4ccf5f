"""Checks for what a user's file puts into requests: it must not end a header early.

Messages name the place in the file, never the value: it may be a password.
"""

from __future__ import annotations

import re
from pathlib import Path

from forest_crawler.errors import InputError

MAX_FILE = 1 << 20
"""Bytes of a file of headers or cookies; a browser's cookies take some hundred thousand."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_OURS = frozenset(
    "host connection content-length transfer-encoding upgrade te trailer accept-encoding "
    "proxy-authorization proxy-connection".split()
)
"""Headers that the connection itself sets."""


def read_secrets(path: Path) -> str:
    """Read a file of headers or cookies."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except (OSError, ValueError) as err:  # ValueError: a NUL in the name
        reason = getattr(err, "strerror", None) or err
        raise InputError(f"cannot be read: {reason}", str(path)) from err
    if len(data) > MAX_FILE:
        raise InputError(
            f"longer than {MAX_FILE:,} bytes; keep only the sites of the crawl", str(path)
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise InputError("isn't a text file in UTF-8", str(path)) from err


def check_header_name(name: str, location: str) -> None:
    """Raise `InputError` for a name that isn't one, or that isn't the user's to set."""
    if not _TOKEN.fullmatch(name):
        raise InputError(f"{name!r} isn't the name of a header", location)
    if name.lower() in _OURS:
        raise InputError(f"{name} is set by the connection; remove it", location)


def check_header_text(value: str, location: str) -> None:
    """Raise `InputError` for a value that isn't one line of Latin-1."""
    if not _VALUE.fullmatch(value):
        raise InputError("the value has a control character or one beyond Latin-1", location)
