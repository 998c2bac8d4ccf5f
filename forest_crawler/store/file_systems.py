"""File systems by address: object stores (`s3://…`) and whatever else fsspec opens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from forest_crawler.errors import InputError, MissingPackageError, StoreError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_address(path: str) -> bool:
    """Report whether a path begins with a scheme, as that of an object store.

    >>> is_address("s3://news/articles"), is_address("C:/articles"), is_address("out/")
    (True, False, False)
    """
    return _SCHEME.match(path) is not None


def open_file_system(address: str, needed_by: str | None = None) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it.

    Raises `MissingPackageError`, which names what needs fsspec, and `InputError`.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError as err:
        raise MissingPackageError(needed_by or address, "fsspec", extra="s3") from err
    try:
        files, root = url_to_fs(address)
    except ImportError as err:  # fsspec knows the scheme, its package isn't installed
        raise InputError(f"needs a package that isn't installed: {err}", address) from err
    except ValueError as err:
        raise InputError(f"cannot be opened: {err}", address) from err
    return files, str(root).rstrip("/")


@contextmanager
def named_errors(done: str, name: str) -> Iterator[None]:
    """Name the object in errors, of whichever class: each store's package has its own."""
    try:
        yield
    except Exception as err:
        reason = f"{type(err).__name__}: {err}"
        raise StoreError(
            f"cannot be {done} ({reason}); check the address, the credentials and the network, and "
            "run again: nothing is lost",
            name,
        ) from err
