"""Which page-level methods there are, by name.

An extractor registers itself when its module is imported, and every module of this package is
imported on the first look-up: a new method is a new file, nothing else changes.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Protocol, TypeVar

from forest_crawler.errors import UnknownNameError
from forest_crawler.feeds import FeedEntry
from forest_crawler.selection import Selection
from forest_crawler.tree import PageTree


class Extractor(Protocol):
    """A method that finds the article of one page, from the page alone."""

    def extract(self, tree: PageTree) -> Selection:
        """Select the article's nodes; an empty selection where there is none."""
        ...


class EntryExtractor(Protocol):
    """A method that needs the page's feed entry too."""

    def extract_with(self, tree: PageTree, entry: FeedEntry) -> Selection:
        """Select the article's nodes; an empty selection where there is none."""
        ...


AnyExtractor = Extractor | EntryExtractor
_T = TypeVar("_T", bound=AnyExtractor)

_registered: dict[str, AnyExtractor] = {}


def register(name: str, extractor: _T) -> _T:
    """Make an extractor known under a name, as `--method` takes it."""
    if name in _registered:
        raise ValueError(f"two extractors are called {name!r}")
    _registered[name] = extractor
    return extractor


def get_extractor(name: str) -> AnyExtractor:
    """The extractor of that name.

    >>> get_extractor("no-such-method")
    Traceback (most recent call last):
    ...
    forest_crawler.errors.UnknownNameError: unknown method 'no-such-method'; known: ...
    """
    _load_all()
    if name not in _registered:
        raise UnknownNameError("method", name, list(_registered))
    return _registered[name]


def extractor_names() -> list[str]:
    """The names of all extractors, sorted."""
    _load_all()
    return sorted(_registered)


@cache
def _load_all() -> None:
    package = importlib.import_module("forest_crawler.extractors")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
