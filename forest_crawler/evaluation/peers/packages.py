"""Load the packages of peers when first used, and report missing ones."""

from __future__ import annotations

import importlib
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from types import ModuleType
from typing import Final

from forest_crawler.errors import MissingPackageError

EXTRA: Final = "bench"
"""Our extra that installs every peer."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package: the name to install (`distribution`) and to import (`module`)."""

    distribution: str
    module: str

    def load(self) -> ModuleType:
        """Import the module; raise `MissingPackageError` if it isn't installed."""
        return _load(self)

    def version(self) -> str:
        """Return the installed version; raises an error if it cannot be loaded."""
        self.load()
        try:
            return installed_version(self.distribution)
        except PackageNotFoundError:
            return ""  # a module on the path that isn't installed


@contextmanager
def without_warnings() -> Iterator[None]:
    """Suppress a peer's warnings, such as of a date in a page that it cannot read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@cache
def _load(package: Package) -> ModuleType:
    try:
        module = importlib.import_module(package.module)
    except ImportError as err:
        raise MissingPackageError(package.distribution, package.distribution, extra=EXTRA) from err
    # A peer's log lines on single pages would hide the messages of the evaluation.
    logging.getLogger(package.module.partition(".")[0]).setLevel(logging.CRITICAL)
    return module
