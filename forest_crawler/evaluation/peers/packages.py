"""Packages that peers come in: loaded when first used, named where they are missing."""

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
"""The extra of ours that installs every peer."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package as it is installed (`distribution`) and as it is imported (`module`)."""

    distribution: str
    module: str

    def load(self) -> ModuleType:
        """The module; `MissingPackageError` where it is not installed."""
        return _load(self)

    def version(self) -> str:
        """The installed version, of a package that can be loaded."""
        self.load()
        try:
            return installed_version(self.distribution)
        except PackageNotFoundError:
            return ""  # a module on the path that was never installed


@contextmanager
def without_warnings() -> Iterator[None]:
    """Keep to itself what a peer warns of, such as a date in a page that it cannot read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@cache
def _load(package: Package) -> ModuleType:
    try:
        module = importlib.import_module(package.module)
    except ImportError as err:
        raise MissingPackageError(package.distribution, package.distribution, extra=EXTRA) from err
    # What a peer thinks of single pages would drown what an evaluation has to say.
    logging.getLogger(package.module.partition(".")[0]).setLevel(logging.CRITICAL)
    return module
