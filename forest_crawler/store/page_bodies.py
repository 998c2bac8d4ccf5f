"""Bodies of pages outside of the database: files in a directory or an object store.

Pages are most of a store's bytes, and live for minutes. A file is written before the transaction
that holds its page begins, and removed after the page is gone; `forest store vacuum` removes what a
kill leaves between the two. Its name has the digest of its content, which is checked when it is
read, and a random part: no two pages share a file, so whoever writes one may remove it.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import secrets
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from forest_crawler.errors import StoreError
from forest_crawler.store.file_systems import is_address, named_errors, open_file_system

IN_DATABASE = "db"
"""The value of `--store-bodies` that keeps bodies in the database."""

_NAME = re.compile(r"(?:\d+-)?([0-9a-f]{32})(?:-[0-9a-f]{16})?\.z")  # once: the page's number first
_LEVEL = 1  # the fastest compression: pages shrink to a fifth, and are held for minutes only

_log = logging.getLogger(__name__)


class BodyFolder:
    """A store's own folder of bodies: a subfolder of a path or an address (`s3://…`).

    It has the store's id as its name, so several stores can keep their bodies in one place, and
    none removes those of another.
    """

    def __init__(self, place: str, store_id: str) -> None:
        place = place.rstrip("/") if is_address(place) else str(Path(place).absolute())
        self.address = f"{place}/{store_id}"

    def write(self, body: bytes) -> str:
        """Write the body of a page; return the address of the file."""
        data = pack_body(body)
        digest = _digest(data)
        # 256 subfolders, so that none has too many files.
        address = f"{self.address}/{digest[:2]}/{digest}-{secrets.token_hex(8)}.z"
        if is_address(address):
            files, path = _open_remote(address)
            with named_errors("written", address):
                files.pipe_file(path, data)
        else:
            _write_file(Path(address), data)
        return address

    def addresses(self) -> Iterator[str]:
        """Yield the addresses of all bodies in the folder."""
        if is_address(self.address):
            files, root = _open_remote(self.address)
            with named_errors("listed", self.address):
                names = [str(path).removeprefix(f"{root}/") for path in files.find(root)]
            found = (f"{self.address}/{name}" for name in names)
        else:
            found = (str(path) for path in Path(self.address).glob("??/*.z"))
        yield from (address for address in found if _NAME.fullmatch(name_of(address)))


def name_of(address: str) -> str:
    """Return the name of a body, the same whichever link or mount leads to its folder.

    >>> name_of("/data/bodies/1f/0c/0c2a-9b.z")
    '0c2a-9b.z'
    """
    return address.rpartition("/")[2]


def open_bodies(place: str | None, store_id: str) -> BodyFolder | None:
    """Open a store's folder in the place that an option names; `None` for the database."""
    return None if place in (None, "", IN_DATABASE) else BodyFolder(str(place), store_id)


def pack_body(body: bytes) -> bytes:
    """Compress a body."""
    return zlib.compress(body, _LEVEL)


def unpack_body(packed: bytes, name: str) -> bytes:
    """Decompress a body; raises `StoreError` if it is damaged."""
    try:
        return zlib.decompress(packed)
    except zlib.error as err:
        raise StoreError(f"is damaged ({err}); restore a copy", name) from err


def read_body(address: str, store: str) -> bytes:
    """Read the body of a page; raises `StoreError` if it is missing or damaged."""
    return zlib.decompress(read_packed(address, store))


def read_packed(address: str, store: str) -> bytes:
    """Read the body of a page, and leave it compressed; raises `StoreError` like `read_body`."""
    try:
        data = _read_remote(address) if is_address(address) else Path(address).read_bytes()
    except OSError as err:
        trouble = f"a page's body is missing ({address}: {err.strerror or err})"
        raise StoreError(
            f"{trouble}; restore it, or mount what --store-bodies names", store
        ) from err
    name = _NAME.fullmatch(name_of(address))
    if name is None or name[1] != _digest(data):
        raise StoreError(f"a page's body is damaged ({address}); restore a copy of it", store)
    return data


def _read_remote(address: str) -> bytes:
    files, path = _open_remote(address)
    try:
        return bytes(files.cat_file(path))
    except OSError:
        raise
    except Exception as err:  # each object store's package has its own classes
        raise OSError(f"{type(err).__name__}: {err}") from err


def remove_body(address: str) -> None:
    """Remove a body whose page is gone; one that stays is only of no use.

    So no error leaves: the page's transaction is committed, and must not count as failed.
    """
    try:
        if is_address(address):
            files, path = _open_remote(address)
            files.rm_file(path)
        else:
            Path(address).unlink(missing_ok=True)
    except FileNotFoundError:
        pass
    except Exception as err:  # each object store's package has its own classes
        _log.warning("%s: cannot be removed: %s", address, err)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _write_file(path: Path, data: bytes) -> None:
    """Write a file, on disk when this returns; it has its name once it is whole."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with new.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        _sync_directory(path.parent)
    except OSError as err:
        new.unlink(missing_ok=True)
        raise StoreError.unwritable(err, str(path)) from err


def _sync_directory(path: Path) -> None:
    """Write the names of a directory to the disk."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _open_remote(address: str) -> tuple[Any, str]:
    return open_file_system(address, "--store-bodies")
