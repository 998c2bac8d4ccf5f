"""`StoreUrl`: the URL of a store, checked: a SQLite file, SQLite in memory, or PostgreSQL."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from forest_crawler.errors import InputError, MissingPackageError

DEFAULT_STORE_URL = "sqlite:///forest.db"
"""The store of a crawl that names none: a file in the working directory."""

BUSY_TIMEOUT = 30.0
"""Seconds to wait for another program's transaction: a backup, or a person with a SQL shell.
The URL overrides it: `sqlite:///FILE?timeout=5`, `postgresql://…?options=-clock_timeout%3D5s`."""

MAX_TIMEOUT = 2**31 / 1000
"""Seconds; SQLite counts milliseconds in 32 bits."""


@dataclass(frozen=True, slots=True)
class StoreUrl:
    """The URL of a store, with the driver that connects to it."""

    url: URL
    timeout: float  # seconds to wait for other programs

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self.url.get_backend_name()

    @property
    def file(self) -> Path | None:
        """The SQLite file as the URL names it; None for other stores."""
        if self.dialect != "sqlite" or self.url.database in (None, "", ":memory:"):
            return None
        return Path(str(self.url.database))

    @property
    def name(self) -> str:
        """The store's name for messages: its file, or its URL without a password."""
        file = self.file
        return str(file.absolute()) if file else self.url.render_as_string(hide_password=True)


def read_store_url(text: str) -> StoreUrl:
    """Read the URL of a store; raises `InputError` if it isn't one."""
    try:
        url = make_url(text)
        backend = url.get_backend_name()
    except (ArgumentError, ValueError) as err:
        raise InputError("isn't the URL of a store; write sqlite:///FILE", text or "''") from err
    if backend == "postgresql" and "+" not in url.drivername:
        url = url.set(drivername="postgresql+psycopg")
        if importlib.util.find_spec("psycopg") is None:
            raise MissingPackageError("a store on PostgreSQL", "psycopg", extra="postgres")
    if backend not in ("sqlite", "postgresql"):
        raise InputError("only sqlite:///FILE and postgresql://… can be stores", text)
    return StoreUrl(url, _read_timeout(url))


def store_file(url: str) -> Path | None:
    """Return the file that a store's URL names; None unless it is a SQLite file.

    >>> str(store_file("sqlite:///forest.db?timeout=5")), store_file("sqlite://")
    ('forest.db', None)
    """
    return read_store_url(url).file


def store_name(url: str) -> str:
    """Return the name of a store for messages: its file, or its URL without a password."""
    return read_store_url(url).name


def _read_timeout(url: URL) -> float:
    text = str(url.query.get("timeout", BUSY_TIMEOUT))
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < MAX_TIMEOUT:
        shown = url.render_as_string(hide_password=True)
        raise InputError(f"timeout must be a number of seconds, not {text!r}", shown)
    return seconds
