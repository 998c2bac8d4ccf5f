"""Read JSON objects and their fields; every error names the file, or the line in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from forest_crawler.errors import InputError

Json = Mapping[str, object]


MAX_FILE_SIZE = 2**26
"""Bytes of a page, its gold or its description."""


def read_object(path: Path) -> Json:
    """Read a file that has one JSON object."""
    return parse_object(read_bytes(path), str(path))


def parse_object(data: bytes, location: str, hint: str = "") -> Json:
    """Parse a JSON object; `hint` is what to do if the data looks like a page."""
    try:
        found = json.loads(decode(data, location))
    except json.JSONDecodeError as err:
        advice = hint if data.lstrip()[:1] == b"<" else ""
        raise InputError(f"not JSON: {err}{advice}", location) from err
    except RecursionError as err:
        raise InputError("JSON nested too deeply to be read", location) from err
    if not isinstance(found, dict):
        raise InputError(f"a JSON object is required, not {type(found).__name__}", location)
    return found


def get_string(row: Json, field: str, location: str) -> str | None:
    """Return a text field; `None` if it is absent or null."""
    value = row.get(field)
    if value is None or isinstance(value, str):
        return value
    raise InputError(f"field {field!r} isn't text but {type(value).__name__}", location)


def get_flag(row: Json, field: str, location: str) -> bool | None:
    """Return a field that is true or false; `None` if it is absent or null."""
    value = row.get(field)
    if value is None or isinstance(value, bool):
        return value
    raise InputError(
        f"field {field!r} is neither true nor false but {type(value).__name__}", location
    )


def read_bytes(path: Path) -> bytes:
    """Read a file."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_SIZE + 1)
    except OSError as err:
        raise InputError(f"cannot be read: {err.strerror}", str(path)) from err
    if len(data) > MAX_FILE_SIZE:
        raise InputError(f"longer than {MAX_FILE_SIZE:,} bytes; give a smaller file", str(path))
    return data


def decode(data: bytes, location: str) -> str:
    """Decode UTF-8, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise InputError(f"not UTF-8 ({err.reason} at byte {err.start})", location) from err
