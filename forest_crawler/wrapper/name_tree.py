"""`NameTree`: the pages of a sample merged into one tree, by the names that they share.

Sibling pages repeat their template: the same elements with the same names below one another. In the
merged tree all elements with the same path are one node, so that naming an element and matching a
locator is done once for the sample instead of once per page.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forest_crawler.wrapper.element_names import (
    MAX_ANCESTORS,
    PageNames,
    combine_names,
    rank_tests,
)
from forest_crawler.wrapper.locators import Locator, Test
from forest_crawler.wrapper.node_sets import Bits, NodeSets
from forest_crawler.wrapper.site_names import CLASS_PREFIX, Kind, SiteNames


class _Node(NamedTuple):
    """What the elements of a node have in common."""

    parent: int
    tag: str
    own: tuple[Test, ...]  # names that may be used for them, the most reliable ones first
    passed: tuple[Test, ...]  # prefixes of other elements' built names that theirs start with


class NameTree:
    """Nodes that stand for the elements with the same tags and shared names on their path.

    It knows the locators whose names at least `min_pages` pages share, as `name` returns them.
    """

    def __init__(self, pages: Sequence[PageNames], min_pages: int) -> None:
        site = pages[0].site if pages else SiteNames()
        same = [page.on_site(site) for page in pages]
        merged = _Merged(site, same, min_pages)
        found_nodes = merged.nodes
        position, parents, ends = _depth_first([node.parent for node in found_nodes])
        nodes = found_nodes.copy()
        for place, it in zip(position, found_nodes, strict=True):
            nodes[place] = it
        self._own = [node.own for node in nodes]
        tests = [(*node.own, *node.passed) if node.passed else node.own for node in nodes]
        self._sets = NodeSets(parents, ends, [node.tag for node in nodes], tests)
        of_path = [position[number] if number >= 0 else -1 for number in merged.of_path]
        rows = [np.array(page.paths, dtype=np.int64) for page in same]
        self._nodes = np.array(of_path, dtype=np.int64)[np.concatenate(rows)]
        firsts = accumulate(map(len, rows), initial=0)
        self._first = dict(zip(pages, firsts, strict=False))
        # The elements of all pages by node: those of node n are members[bounds[n]:bounds[n + 1]].
        self._members = np.argsort(self._nodes, kind="stable")
        self._bounds = [0, *np.cumsum(np.bincount(self._nodes, minlength=len(nodes))).tolist()]
        self._named: dict[tuple[int, int], frozenset[Locator]] = {}

    @property
    def size(self) -> int:
        """The number of elements on all pages, which are numbered in a row."""
        return len(self._nodes)

    def first_element(self, page: PageNames) -> int:
        """Return the number of a page's first element."""
        return self._first[page]

    def node(self, page: PageNames, index: int) -> int:
        """Return the node of an element."""
        return int(self._nodes[self._first[page] + index])

    def nodes(self, page: PageNames, indices: Sequence[int]) -> set[int]:
        """Return the nodes of some elements."""
        first = self._first[page]
        return set(self._nodes[[first + index for index in indices]].tolist())

    def name(self, node: int, max_ancestors: int = MAX_ANCESTORS) -> frozenset[Locator]:
        """Return the locators worth trying for the elements of a node; see `name_element`."""
        named = self._named.get((node, max_ancestors))
        if named is None:
            found = combine_names(self._sets, node, self._own.__getitem__, max_ancestors)
            named = self._named[node, max_ancestors] = frozenset(found)
        return named

    def select(self, locator: Locator) -> Bits:
        """Return the nodes that a locator selects, as a set of bits."""
        return self._sets.select(locator)

    def keep_outermost(self, bits: Bits) -> tuple[int, ...]:
        """Return the nodes of a set that aren't below another one, in document order."""
        return self._sets.keep_outermost(bits)

    def matched(self, locator: Locator) -> list[int]:
        """Return the nodes that a locator selects, in document order."""
        return self._sets.nodes(self.select(locator))

    def outermost(self, locator: Locator) -> tuple[int, ...]:
        """Return the nodes that a locator selects, without those inside another one."""
        return self.keep_outermost(self.select(locator))

    def members(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        """Return the elements of some nodes on all pages, in document order page by page."""
        bounds = self._bounds
        parts = [self._members[bounds[node] : bounds[node + 1]] for node in nodes]
        if len(parts) == 1:
            return parts[0]
        return np.sort(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)

    def count(self, nodes: Sequence[int]) -> list[tuple[int, int]]:
        """Count the elements of some nodes on each page, and return the first one's index."""
        found, firsts = self.members(nodes), list(self._first.values())
        bounds = np.searchsorted(found, [*firsts, self.size]).tolist()
        return [
            (end - start, int(found[start]) - first if end > start else -1)
            for first, (start, end) in zip(firsts, pairwise(bounds), strict=True)
        ]

    def elements(self, page: PageNames, nodes: Sequence[int]) -> list[int]:
        """Return a page's elements of some nodes, in document order."""
        first, found = self._first[page], self.members(nodes)
        start, end = np.searchsorted(found, (first, first + len(page.paths)))
        own: list[int] = (found[start:end] - first).tolist()
        return own


class _Merged:
    """The nodes of the paths that pages have, in the order in which they were found.

    Derived path by path: elements have few distinct ones, and siblings mostly the same.
    """

    def __init__(self, site: SiteNames, pages: Sequence[PageNames], min_pages: int) -> None:
        self._site = site
        bits = site.find_pages(page.kinds for page in pages)
        self._is_shared = [it.bit_count() >= min_pages for it in bits]
        self._prefixes = self._find_prefixes()
        self._kinds: dict[tuple[str, tuple[int, ...], tuple[Test, ...]], int] = {}
        self._numbers: dict[tuple[int, int], int] = {}
        self.of_path = self._number_paths(set().union(*(page.paths for page in pages)))

    @property
    def nodes(self) -> list[_Node]:
        """The nodes, each with its parent and names."""
        names = self._site.names
        kinds = []
        for tag, own, passed in self._kinds:
            tests = rank_tests([test for it in own if (test := names[it][1]) is not None])
            kinds.append((tag, tuple(tests), tuple(it for it in passed if it not in tests)))
        return [_Node(parent, *kinds[kind]) for parent, kind in self._numbers]

    def _number_paths(self, wanted: set[int]) -> list[int]:
        """Return the node of each wanted path, -1 for others."""
        found: list[int] = []
        kinds: dict[int, int] = {}
        numbers = self._numbers
        for path, (above, number) in enumerate(self._site.paths):
            if path not in wanted:
                found.append(-1)
                continue
            kind = kinds.get(number)
            if kind is None:
                kind = kinds[number] = self._number_kind(self._site.kinds[number])
            key = (found[above] if above >= 0 else -1, kind)
            found.append(numbers.setdefault(key, len(numbers)))
        return found

    def _number_kind(self, kind: Kind) -> int:
        is_shared = self._is_shared
        own = tuple(sorted([name for name in kind.names[1:] if is_shared[name]]))
        known = self._prefixes.get(kind.tag)
        passed = tuple(known.starts_of(kind.class_)) if known else ()
        return self._kinds.setdefault((kind.tag, own, passed), len(self._kinds))

    def _find_prefixes(self) -> dict[str, _Prefixes]:
        """Return the starts of built names that may be tested, by tag."""
        found: dict[str, set[Test]] = defaultdict(set)
        for (tag, test), is_shared in zip(self._site.names, self._is_shared, strict=True):
            if is_shared and test is not None and test[0] == CLASS_PREFIX:
                found[tag].add(test)
        return {tag: _Prefixes(tests) for tag, tests in found.items()}


class _Prefixes:
    """Tests for the starts of class attributes.

    A start is looked up by each length that one has: a page may have thousands of starts, but no
    more lengths than a name has characters.
    """

    def __init__(self, tests: set[Test]) -> None:
        self._tests = {test[1]: test for test in tests}
        self._lengths = sorted({len(start) for start in self._tests})

    def starts_of(self, value: str) -> Iterator[Test]:
        """Yield the tests that an attribute's value passes, the shortest start first."""
        for length in self._lengths[: bisect_right(self._lengths, len(value))]:
            if test := self._tests.get(value[:length]):
                yield test


def _depth_first(above: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """Place nodes depth first, given each one's parent, which comes before it.

    Return each node's place, and for each place the parent's and the first after the descendants.
    """
    sizes = [1] * len(above)
    for number in range(len(above) - 1, -1, -1):
        if above[number] >= 0:
            sizes[above[number]] += sizes[number]
    places, parents, ends = [0] * len(above), [-1] * len(above), [0] * len(above)
    free = [0] * (len(above) + 1)  # where each node's next child is placed; the last is of roots
    for number, (parent, size) in enumerate(zip(above, sizes, strict=True)):
        place = places[number] = free[parent]
        free[parent] += size
        free[number] = place + 1
        parents[place] = places[parent] if parent >= 0 else -1
        ends[place] = place + size
    return places, parents, ends
