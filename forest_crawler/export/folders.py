"""Folders that hold files by name: a local directory, or one in an object store.

Parts of archives are written into them. A file is there as a whole or not at all, so that a kill
leaves no half of one. fsspec opens every address with a scheme, as `s3://bucket/articles`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from forest_crawler.errors import InputError, StoreError
from forest_crawler.export.whole_file import replace_file
from forest_crawler.store.file_systems import is_address, named_errors, open_file_system

_LOCAL = ("file://", "local://")


class Folder(Protocol):
    """A folder; names are relative, with `/` between their parts."""

    address: str

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes; `None` if there is no such file."""

    def write(self, name: str, data: bytes) -> None:
        """Write a file as a whole, over the old one if there is one."""

    def names(self, under: str = "") -> list[str]:
        """List the files, of a subfolder or all, sorted."""

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""


def open_folder(address: str) -> Folder:
    """Open a folder by its path or address; it is made when the first file is written.

    Raises `MissingPackageError` if the address needs a package that isn't installed, `InputError`
    if its scheme isn't known or a local path is a file.
    """
    if not address.strip() or "\0" in address:
        raise InputError("isn't the name of a folder", repr(address))
    if is_address(address) and not address.startswith(_LOCAL):
        return ObjectFolder(address)
    path = Path(address.partition("://")[2] if is_address(address) else address)
    if path.exists() and not path.is_dir():
        raise InputError("is a file; name a directory for parts", str(path))
    return LocalFolder(path)


class LocalFolder:
    """A directory of this machine."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.address = str(path)

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes; `None` if there is no such file."""
        try:
            return (self._path / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as err:
            raise StoreError(f"cannot be read: {err.strerror}", self._name(name)) from err

    def write(self, name: str, data: bytes) -> None:
        """Write a file beside the old one, and give it its name."""
        try:
            replace_file(self._path / name, data, durable=True)
        except OSError as err:
            raise StoreError.unwritable(err, self._name(name)) from err

    def names(self, under: str = "") -> list[str]:
        """List the files, of a subfolder or all, sorted."""
        found = (path for path in (self._path / under).rglob("*") if path.is_file())
        return sorted(path.relative_to(self._path).as_posix() for path in found)

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""
        try:
            (self._path / name).unlink(missing_ok=True)
        except OSError as err:
            raise StoreError.unwritable(err, self._name(name)) from err

    def _name(self, name: str) -> str:
        return os.fspath(self._path / name)


class ObjectFolder:
    """A folder of an object store; needs fsspec, and the package for its scheme."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self._files, self._root = open_file_system(self.address)

    def read(self, name: str) -> bytes | None:
        """Return an object's bytes; `None` if there is no such object."""
        with named_errors("read", self._name(name)):
            try:
                return bytes(self._files.cat_file(f"{self._root}/{name}"))
            except FileNotFoundError:
                return None

    def write(self, name: str, data: bytes) -> None:
        """Put an object: stores show it when it is complete, not before."""
        with named_errors("written", self._name(name)):
            self._files.pipe_file(f"{self._root}/{name}", data)

    def names(self, under: str = "") -> list[str]:
        """List the objects, of a subfolder or all, sorted."""
        self._files.invalidate_cache()
        with named_errors("listed", self.address):
            found = self._files.find(f"{self._root}/{under}".rstrip("/"))
        return sorted(str(path).removeprefix(f"{self._root}/") for path in found)

    def remove(self, name: str) -> None:
        """Remove an object, if there is one."""
        with named_errors("removed", self._name(name)):
            try:
                self._files.rm_file(f"{self._root}/{name}")
            except FileNotFoundError:
                return

    def _name(self, name: str) -> str:
        return f"{self.address}/{name}"
