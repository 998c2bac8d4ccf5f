"""Split a site's pages by protocol: those to learn from, and those to extract.

- `page`: each page alone.
- `in-sample`: wrappers are induced from all of the site's pages and applied to them, as in the
  Forest paper.
- `unseen`: three folds; wrappers are induced from two thirds of the pages and applied to the rest.

A study of the sample's size also gives `sample_size`. In-sample, the site is split into groups of
that many pages, each of which is its own sample; unseen, the sample is cut to that size. Either way
every page is scored once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from forest_crawler.evaluation.results import Protocol

FOLDS = 3


@dataclass(frozen=True, slots=True)
class Split:
    """The positions of a site's pages: those to learn from, and those to extract."""

    sample: tuple[int, ...]
    targets: tuple[int, ...]


def split_site(pages: int, protocol: Protocol, sample_size: int | None = None) -> list[Split]:
    """Split a site of that many pages; each page is a target of exactly one split.

    >>> split_site(4, "in-sample")
    [Split(sample=(0, 1, 2, 3), targets=(0, 1, 2, 3))]
    >>> [split.sample for split in split_site(4, "unseen")]
    [(1, 2), (0, 2, 3), (0, 1, 3)]
    """
    size = pages if sample_size is None else min(sample_size, pages)
    if protocol == "page":
        return list(_groups(pages, 1))
    if protocol == "in-sample":
        return list(_groups(pages, size))
    return list(_folds(pages, size))


def _groups(pages: int, size: int) -> Iterator[Split]:
    for start in range(0, pages, size):
        targets = tuple(range(start, min(start + size, pages)))
        # The last group may be too small: it then also learns from the site's first pages.
        yield Split(targets + tuple(range(size - len(targets))), targets)


def _folds(pages: int, size: int) -> Iterator[Split]:
    for fold in range(min(FOLDS, pages)):
        targets = tuple(range(fold, pages, FOLDS))
        others = tuple(i for i in range(pages) if i % FOLDS != fold)
        yield Split(others[:size], targets)
