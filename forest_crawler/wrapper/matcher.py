"""`PathSet`: run several XPaths on a page, portable ones in a walk per tag.

libxml2 walks the whole page for every expression, and testing for a class token is its slowest
part. Here, one walk per tag finds the elements of all first steps with that tag, and every further
step starts from the elements of the step before. The result is the same, in the same order. libxml2
runs expressions that are not portable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from forest_crawler.errors import WrapperError
from forest_crawler.page.xpath import Element, ElementPath
from forest_crawler.wrapper.locators import (
    Locator,
    Step,
    Test,
    loose_match,
    read_xpath,
    tested_attribute,
)

_FirstTests: TypeAlias = list[tuple[str, list[tuple[str, int]]]]
"""The attributes of one tag that first steps test, each with what it has to contain, and the number
of the step."""


class PathSet:
    """Compiled expressions; call it with a page's root to run all of them."""

    __slots__ = ("_first_tests", "_paths", "_steps", "is_portable")

    def __init__(self, paths: Sequence[ElementPath]) -> None:
        locators = [_read_portable(path.expression) for path in paths]
        self.is_portable = None not in locators
        self._steps = tuple(dict.fromkeys(locator[0] for locator in locators if locator))
        self._first_tests = _group_first_tests(self._steps)
        numbers = {step: number for number, step in enumerate(self._steps)}
        self._paths = tuple(
            (path, locator, numbers[locator[0]] if locator else -1)
            for path, locator in zip(paths, locators, strict=True)
        )

    def __call__(self, root: Element) -> list[list[Element]]:
        """Return the elements that each expression selects, in document order."""
        first = self._find_first(root)
        return [
            _follow(first[number], locator) if locator else path(root)
            for path, locator, number in self._paths
        ]

    def _find_first(self, root: Element) -> list[list[Element]]:
        """Find the elements of every first step; most elements it checks do not match.

        No list of them is made: fresh memory for each takes longer than the checks.
        """
        found: list[list[Element]] = [
            [] if step.tests else list(root.iter(step.tag)) for step in self._steps
        ]
        for tag, attributes in self._first_tests.items():
            for element in root.iter(tag):
                for name, wanted in attributes:
                    if (value := element.get(name)) is not None:
                        for part, number in wanted:
                            if part in value:
                                found[number].append(element)
        return [
            [element for element in elements if _passes(element, step.tests)]
            for elements, step in zip(found, self._steps, strict=True)
        ]


def merge_in_order(root: Element, found: Iterable[Iterable[Element]]) -> list[Element]:
    """Merge what portable expressions select: in document order, each element once."""
    wanted = {element for elements in found for element in elements}
    merged: list[Element] = []
    for element in root.iter(*{str(element.tag) for element in wanted}):
        if element in wanted:
            merged.append(element)
            if len(merged) == len(wanted):
                break
    return merged


def _group_first_tests(steps: Iterable[Step]) -> dict[str, _FirstTests]:
    """Group the first tests of steps by tag, then by attribute: any that passes contains a text."""
    grouped: dict[str, dict[str, list[tuple[str, int]]]] = {}
    for number, step in enumerate(steps):
        for name, part in step.tests[:1]:
            of_tag = grouped.setdefault(step.tag, {})
            of_tag.setdefault(tested_attribute(name), []).append((part, number))
    return {tag: list(names.items()) for tag, names in grouped.items()}


def _read_portable(expression: str) -> Locator | None:
    try:
        return read_xpath(expression)
    except WrapperError:
        return None


def _follow(found: list[Element], locator: Locator) -> list[Element]:
    """Take the steps after the first; linear in the page, at worst times depth."""
    for above, step in pairwise(locator):
        if not found:
            break
        outer = _outermost(found, above.tag)
        if step.axis == "//":
            below = [e for context in outer for e in context.iterdescendants(step.tag)]
        elif len(outer) == len(found):
            below = [e for context in outer for e in context.iterchildren(step.tag)]
        else:  # children of nested elements do not come in the order of their parents
            parents = set(found)
            inside = (e for context in outer for e in context.iterdescendants(step.tag))
            below = [e for e in inside if e.getparent() in parents]
        found = [e for e in below if _passes(e, step.tests)] if step.tests else below
    return found


def _outermost(elements: list[Element], tag: str) -> list[Element]:
    """Drop elements inside another one; all have one tag and are in document order."""
    if len(elements) == 1:
        return elements
    is_among = set(elements).__contains__
    return [e for e in elements if not any(map(is_among, e.iterancestors(tag)))]


def _passes(element: Element, tests: tuple[Test, ...]) -> bool:
    for name, wanted in tests:
        value = element.get(tested_attribute(name))
        if value is None:
            return False
        matches = loose_match(name)
        if value != wanted and not (matches and matches(value, wanted)):
            return False
    return True
