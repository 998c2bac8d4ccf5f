"""Which page-level methods there are, by name.

An extractor registers itself when its module is imported, and every module of this package is
imported on the first look-up: a new method is a new file, nothing else changes.
"""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

from forest_crawler.feed.feeds import FeedEntry
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import PageTree
from forest_crawler.registry import Registry


@runtime_checkable
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

_registered: Registry[AnyExtractor] = Registry("method", "forest_crawler.extraction.methods")


def register(name: str, extractor: _T) -> _T:
    """Make an extractor known under a name, as `--method` takes it."""
    _registered.add(name, extractor)
    return extractor


def get_extractor(name: str) -> AnyExtractor:
    """The extractor of that name.

    >>> get_extractor("no-such-method")
    Traceback (most recent call last):
    ...
    forest_crawler.errors.UnknownNameError: unknown method 'no-such-method'; known: ...
    """
    return _registered.find(name)


def extractor_names() -> list[str]:
    """The names of all extractors, sorted."""
    return _registered.names()
