"""`NameTree`: the pages of a sample merged into one tree, by the names that they share.

Sibling pages repeat their template: the same elements with the same names below one another. In the
merged tree all elements with the same path are one node, so that naming an element and matching a
locator is done once for the sample instead of once per page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from forest_crawler.wrapper.element_names import (
    CLASS_PREFIX,
    MAX_ANCESTORS,
    NamedElements,
    PageNames,
    combine_names,
    shared_tests,
    stable_tests,
)
from forest_crawler.wrapper.locators import Locator, Test


class _Node(NamedTuple):
    """What the elements of a node have in common."""

    parent: int
    tag: str
    own: tuple[Test, ...]  # names that may be used for them, the most reliable ones first
    passed: tuple[Test, ...]  # prefixes of other elements' built names that theirs start with


_Kind: TypeAlias = tuple[str, tuple[Test, ...], tuple[Test, ...]]
"""A node's tag, own and passed names."""


class NameTree:
    """Nodes that stand for the elements with the same tags and shared names on their path.

    It knows the locators whose names at least `min_pages` pages share, as `name` returns them.
    """

    def __init__(self, pages: Sequence[PageNames], min_pages: int) -> None:
        merged = _Merged(pages, min_pages)
        found_nodes = merged.nodes
        position, parents, ends = _depth_first([node.parent for node in found_nodes])
        nodes = found_nodes.copy()
        for place, it in zip(position, found_nodes, strict=True):
            nodes[place] = it
        self._own = [node.own for node in nodes]
        tests = [(*node.own, *node.passed) if node.passed else node.own for node in nodes]
        self._elements = NamedElements(parents, ends, [node.tag for node in nodes], tests)
        self._nodes: dict[PageNames, list[int]] = {}
        self._members: dict[PageNames, dict[int, list[int]]] = {}
        for page, found in zip(pages, merged.found, strict=True):
            self._nodes[page] = [position[number] for number in found]
            members = self._members[page] = defaultdict(list)
            for index, node in enumerate(self._nodes[page]):
                members[node].append(index)
        self._named: dict[tuple[int, int], frozenset[Locator]] = {}
        self._outermost: dict[Locator, tuple[int, ...]] = {}

    def node(self, page: PageNames, index: int) -> int:
        """Return the node of an element."""
        return self._nodes[page][index]

    def name(self, node: int, max_ancestors: int = MAX_ANCESTORS) -> frozenset[Locator]:
        """Return the locators worth trying for the elements of a node; see `name_element`."""
        named = self._named.get((node, max_ancestors))
        if named is None:
            found = combine_names(self._elements, node, self._own.__getitem__, max_ancestors)
            named = self._named[node, max_ancestors] = frozenset(found)
        return named

    def outermost(self, locator: Locator) -> tuple[int, ...]:
        """Return the nodes that a locator selects, without those inside another one."""
        found = self._outermost.get(locator)
        if found is None:
            found = self._outermost[locator] = tuple(self._elements.outermost(locator))
        return found

    def elements(self, page: PageNames, nodes: Sequence[int]) -> list[int]:
        """Return a page's elements of some nodes, in document order."""
        members = self._members[page]
        found = [index for node in nodes if node in members for index in members[node]]
        if len(nodes) > 1:
            found.sort()
        return found


class _Merged:
    """The nodes in the order in which they were found, and those of each page's elements."""

    def __init__(self, pages: Sequence[PageNames], min_pages: int) -> None:
        self._shared = shared_tests(pages)
        self._min_pages = min_pages
        self._prefixes = _prefixes(self._shared, min_pages)
        # Elements with the same names mostly share the object, and its hash takes long; so kinds
        # of elements are looked up by identity, and compared by their numbers.
        self._kinds: dict[tuple[str, int], int] = {}
        self._kind_numbers: dict[_Kind, int] = {}
        self._numbers: dict[tuple[int, int], int] = {}
        self.found = [self._add(page) for page in pages]

    def _add(self, page: PageNames) -> list[int]:
        found: list[int] = []
        numbers, kinds = self._numbers, self._kinds
        rows = zip(page.parents, page.tags, page.tests, strict=True)
        for index, (above, tag, tests) in enumerate(rows):
            kind = kinds.get((tag, id(tests)))
            if kind is None:
                kind = self._number_kind(page, index)
                if tag not in self._prefixes:  # else elements with the same tests may differ
                    kinds[tag, id(tests)] = kind
            key = (found[above] if above >= 0 else -1, kind)
            number = numbers.get(key)
            if number is None:
                number = numbers[key] = len(numbers)
            found.append(number)
        return found

    @property
    def nodes(self) -> list[_Node]:
        kinds = list(self._kind_numbers)
        return [_Node(parent, *kinds[kind]) for parent, kind in self._numbers]

    def _number_kind(self, page: PageNames, index: int) -> int:
        tag = page.tags[index]
        own = tuple(stable_tests(tag, page.tests[index], self._shared, self._min_pages))
        passed = self._passed(page, index, own) if tag in self._prefixes else ()
        return self._kind_numbers.setdefault((tag, own, passed), len(self._kind_numbers))

    def _passed(self, page: PageNames, index: int, own: tuple[Test, ...]) -> tuple[Test, ...]:
        value = page.outline.elements[index].get("class") or ""
        tests = self._prefixes[page.tags[index]]
        return tuple(it for it in tests if value.startswith(it[1]) and it not in own)


def _prefixes(
    shared: Mapping[tuple[str, Test | None], int], min_pages: int
) -> dict[str, list[Test]]:
    """Return the starts of built names that may be tested, by tag."""
    found: dict[str, list[Test]] = defaultdict(list)
    for (tag, test), number in shared.items():
        if test is not None and test[0] == CLASS_PREFIX and number >= min_pages:
            found[tag].append(test)
    return dict(found)


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
