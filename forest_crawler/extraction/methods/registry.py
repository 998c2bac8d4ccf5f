"""Look up page-level methods by name, ours and those of installed packages.

An extractor registers itself when its module is imported, and every module of this package is
imported on the first look-up: a new method is a new file, nothing else changes. Other packages
name theirs as entry points of the group `forest_crawler.extractors`; each is imported when it is
used, so that a broken one does not affect the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, TypeVar, runtime_checkable

from forest_crawler.errors import PluginError, UnknownNameError
from forest_crawler.extraction.methods.explanation import Explanation
from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import PageTree
from forest_crawler.registry import Registry


@runtime_checkable
class Extractor(Protocol):
    """A method that finds the article of one page, from the page alone."""

    def extract(self, tree: PageTree) -> Selection:
        """Select the article's nodes; empty if there is none."""
        ...


@runtime_checkable
class EntryExtractor(Protocol):
    """A method that needs the page's feed entry too."""

    def extract_with(self, tree: PageTree, entry: FeedEntry) -> Selection:
        """Select the article's nodes; empty if there is none."""
        ...


@runtime_checkable
class Explainable(Protocol):
    """A method that shows the figures by which it chooses."""

    def explain(self, tree: PageTree) -> Explanation:
        """List the page's nodes with their figures, the best first."""
        ...


@runtime_checkable
class BlockDetector(Protocol):
    """A method that finds further blocks after the best one."""

    def detect_blocks(self, tree: PageTree) -> Iterator[Selection]:
        """Yield blocks in order of relevance, each from what the ones before it left."""
        ...


AnyExtractor = Extractor | EntryExtractor
_T = TypeVar("_T", bound=AnyExtractor)

ENTRY_POINTS = "forest_crawler.extractors"
"""The group of entry points by which other packages add methods."""

_registered: Registry[AnyExtractor] = Registry("method", "forest_crawler.extraction.methods")


def register(name: str, extractor: _T) -> _T:
    """Make an extractor known under a name, as `--method` takes it."""
    _registered.add(name, extractor)
    return extractor


def get_extractor(name: str) -> AnyExtractor:
    """Return the extractor of that name; ours go before those of installed packages.

    Raises `UnknownNameError`, or `PluginError` if an installed package's method is broken.

    >>> get_extractor("no-such-method")
    Traceback (most recent call last):
    ...
    forest_crawler.errors.UnknownNameError: unknown method 'no-such-method'; known: ...
    """
    try:
        return _registered.find(name)
    except UnknownNameError as err:
        points = _installed()
        if name not in points:
            raise UnknownNameError(err.kind, name, [*err.known, *points]) from None
        return register(name, _load(points[name]))


def extractor_names() -> list[str]:
    """Return the names of all extractors, sorted; imports no installed package."""
    return sorted({*_registered.names(), *_installed()})


def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def _load(point: EntryPoint) -> AnyExtractor:
    """Import an entry point: an extractor, or its class."""
    package = point.dist.name if point.dist else point.value
    try:
        found = point.load()
        extractor = found() if isinstance(found, type) else found
    except Exception as err:  # whatever a foreign module raises
        message = f"cannot be loaded: {type(err).__name__}: {err}"
        raise PluginError(" ".join(message.split()), point.name, package) from err
    if not isinstance(extractor, AnyExtractor):
        message = f"{point.value} has neither extract(tree) nor extract_with(tree, entry)"
        raise PluginError(message, point.name, package)
    return extractor
