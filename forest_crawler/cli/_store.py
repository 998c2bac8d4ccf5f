"""The store as commands open it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from forest_crawler.errors import StoreError
from forest_crawler.store import DEFAULT_STORE_URL, Store, open_store

_F = TypeVar("_F", bound=Callable[..., Any])


def store_option(function: _F) -> _F:
    """The option `--store`."""
    return click.option(
        "--store",
        default=DEFAULT_STORE_URL,
        show_default=True,
        metavar="URL",
        help="The database of a crawl: sqlite:///FILE or postgresql://…",
    )(function)


def open_known_store(url: str) -> Store:
    """Open a store that is there: a wrong name must not make an empty one."""
    path = url.removeprefix("sqlite:///")
    if path != url and not Path(path).is_file():
        raise StoreError("no such store; run `forest crawl` first, or name it by --store", path)
    return open_store(url)
