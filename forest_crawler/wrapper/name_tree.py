"""`NameTree`: the pages of a sample merged into one tree, by the names that they share.

Sibling pages repeat their template: the same elements with the same names below one another. In the
merged tree all elements with the same path are one node, so that naming an element and matching a
locator is done once for the sample instead of once per page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

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


class NameTree:
    """Nodes that stand for the elements with the same tags and shared names on their path.

    It knows the locators whose names at least `min_pages` pages share, as `name` returns them.
    """

    def __init__(self, pages: Sequence[PageNames], min_pages: int) -> None:
        merged = _Merged(pages, min_pages)
        order, parents, ends = _depth_first([node.parent for node in merged.nodes])
        nodes = [merged.nodes[number] for number in order]
        position = [0] * len(order)
        for place, number in enumerate(order):
            position[number] = place
        self._own = [node.own for node in nodes]
        tests = [(*node.own, *node.passed) for node in nodes]
        self._elements = NamedElements(parents, ends, [node.tag for node in nodes], tests)
        self._nodes: dict[PageNames, list[int]] = {}
        self._members: dict[PageNames, dict[int, list[int]]] = {}
        for page, found in zip(pages, merged.found, strict=True):
            self._nodes[page] = [position[number] for number in found]
            members = self._members[page] = defaultdict(list)
            for index, node in enumerate(self._nodes[page]):
                members[node].append(index)
        self._named: dict[tuple[int, int], frozenset[Locator]] = {}

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
        return tuple(self._elements.outermost(locator))

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
        self._stable: dict[tuple[str, Sequence[Test]], tuple[Test, ...]] = {}
        self._numbers: dict[_Node, int] = {}
        self.nodes: list[_Node] = []
        self.found = [self._add(page) for page in pages]

    def _add(self, page: PageNames) -> list[int]:
        found: list[int] = []
        numbers, nodes = self._numbers, self.nodes
        rows = zip(page.parents, page.tags, page.tests, strict=True)
        for index, (above, tag, tests) in enumerate(rows):
            own = self._own(tag, tests) if tests else ()
            passed = self._passed(page, index, own) if tag in self._prefixes else ()
            node = _Node(found[above] if above >= 0 else -1, tag, own, passed)
            number = numbers.get(node)
            if number is None:
                number = numbers[node] = len(nodes)
                nodes.append(node)
            found.append(number)
        return found

    def _own(self, tag: str, tests: Sequence[Test]) -> tuple[Test, ...]:
        own = self._stable.get((tag, tests))
        if own is None:
            own = tuple(stable_tests(tag, tests, self._shared, self._min_pages))
            self._stable[tag, tests] = own
        return own

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
    """Order nodes depth first; return that order, and each node's parent and end in it."""
    children: list[list[int]] = [[] for _ in above]
    roots: list[int] = []
    for number, parent in enumerate(above):
        (children[parent] if parent >= 0 else roots).append(number)
    order: list[int] = []
    parents: list[int] = []
    ends: list[int] = []
    for number, place in _walk(roots, children):
        if number < 0:
            ends[place] = len(order)
            continue
        order.append(number)
        parents.append(place)
        ends.append(0)
    return order, parents, ends


def _walk(roots: Sequence[int], children: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Yield each node with its parent's place, and after its descendants -1 with its own place."""
    stack = [(root, -1) for root in reversed(roots)]
    places = 0
    while stack:
        number, place = stack.pop()
        yield number, place
        if number >= 0:
            stack.append((-1, places))
            stack.extend((child, places) for child in reversed(children[number]))
            places += 1
