"""`Registry`: things of one kind by name, found in the modules of one package.

Each module of the package adds its own things when it is imported, and all of them are imported on
the first look-up: a new thing is a new file, nothing else changes.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TypeVar

from forest_crawler.errors import UnknownNameError

_T = TypeVar("_T")


class Registry(dict[str, _T]):
    """What has been added so far, by name; `find` and `names` look into the whole package."""

    def __init__(self, kind: str, package: str) -> None:
        super().__init__()
        self._kind = kind
        self._package = package
        self._loaded = False

    def add(self, name: str, thing: _T) -> None:
        """Make a thing known; a name is given once."""
        if name in self:
            raise ValueError(f"two {self._kind}s are called {name!r}")
        self[name] = thing

    def find(self, name: str) -> _T:
        """The thing of that name; `UnknownNameError` lists the names there are."""
        self._load()
        if name not in self:
            raise UnknownNameError(self._kind, name, list(self))
        return self[name]

    def names(self) -> list[str]:
        """All names, sorted."""
        self._load()
        return sorted(self)

    def _load(self) -> None:
        if self._loaded:
            return
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self._package}.{module.name}")
        self._loaded = True
