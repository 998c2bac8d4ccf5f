"""Open the store that `--store` names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from forest_crawler.store import DEFAULT_STORE_URL, Store, open_store, read_store

_F = TypeVar("_F", bound=Callable[..., Any])


def store_option(function: _F) -> _F:
    """Add the option `--store` to a command."""
    return click.option(
        "--store",
        default=DEFAULT_STORE_URL,
        show_default=True,
        metavar="URL",
        help="The crawl's database: sqlite:///FILE or postgresql://…",
    )(function)


def open_existing_store(url: str, *, writing: bool = False) -> Store:
    """Open an existing store: a misspelled name must not create an empty one.

    Without `writing`, it can be read while a crawl runs.
    """
    reading = read_store(url)
    if not writing:
        return reading
    reading.close()
    return open_store(url)
