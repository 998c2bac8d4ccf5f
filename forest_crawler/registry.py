"""`Registry`: objects of one kind by name, found in the modules of one package.

Each module of the package registers its objects when it is imported, and the first look-up imports
all modules: to add an object, add a file.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TypeVar

from forest_crawler.errors import UnknownNameError

_T = TypeVar("_T")


class Registry(dict[str, _T]):
    """The objects registered so far, by name; `find` and `names` load the package."""

    def __init__(self, kind: str, package: str) -> None:
        super().__init__()
        self._kind = kind
        self._package = package
        self._loaded = False

    def add(self, name: str, entry: _T) -> None:
        """Register an object; raise `ValueError` if its name is taken."""
        if name in self:
            raise ValueError(f"two {self._kind}s are named {name!r}")
        self[name] = entry

    def find(self, name: str) -> _T:
        """Return the object with a name; `UnknownNameError` lists the known names."""
        self._load()
        if name not in self:
            raise UnknownNameError(self._kind, name, list(self))
        return self[name]

    def names(self) -> list[str]:
        """Return all names, sorted."""
        self._load()
        return sorted(self)

    def _load(self) -> None:
        if self._loaded:
            return
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self._package}.{module.name}")
        self._loaded = True
