"""`PathSet`: several XPaths run on a page at once; those in portable form in one walk over it.

Between a wrapper and the page's tree. libxml2 walks the whole page for every expression, and is
slowest at the test for a class token. Here the elements that any first step may mean are looked at
once, and every further step starts from what the one before it has found. What is selected is the
same, in the same order; an expression in any other form is run by libxml2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from forest_crawler.errors import WrapperError
from forest_crawler.page.xpath import Element, ElementPath
from forest_crawler.wrapper.locators import Locator, Step, Test, has_token, read_xpath

_Look: TypeAlias = tuple[str, bool, tuple[Test, ...], int]
"""The first test of a step: a value, and whether a token is enough; its other tests; its number."""


class PathSet:
    """Compiled expressions; called with a page's root, it gives what each of them selects."""

    __slots__ = ("_looks", "_paths", "_steps", "is_portable")

    def __init__(self, paths: Sequence[ElementPath]) -> None:
        locators = [_read(path.expression) for path in paths]
        self.is_portable = None not in locators
        first = {locator[0]: None for locator in locators if locator}
        self._steps = len(first)
        self._looks = _group_looks(first)
        numbers = {step: number for number, step in enumerate(first)}
        self._paths = tuple(
            (path, locator, numbers[locator[0]] if locator else -1)
            for path, locator in zip(paths, locators, strict=True)
        )

    def __call__(self, root: Element) -> list[list[Element]]:
        """The elements that each expression selects, in document order."""
        first = self._find_first(root)
        return [
            _follow(first[number], locator) if locator else path(root)
            for path, locator, number in self._paths
        ]

    def _find_first(self, root: Element) -> list[list[Element]]:
        """The elements of every first step. The loop looks at much of the page, mostly in vain."""
        found: list[list[Element]] = [[] for _ in range(self._steps)]
        looks = self._looks
        for element in root.iter(*looks) if looks else ():
            for name, wanted in looks[element.tag]:
                value = element.get(name) if name else ""
                if value is not None:
                    for part, is_token, tests, number in wanted:
                        is_met = value == part or (is_token and has_token(value, part))
                        if is_met and _passes(element, tests):
                            found[number].append(element)
        return found


def merge_in_order(root: Element, found: Iterable[Iterable[Element]]) -> list[Element]:
    """Elements that portable expressions select, together in document order, each once."""
    wanted = {element for elements in found for element in elements}
    merged: list[Element] = []
    for element in root.iter(*{str(element.tag) for element in wanted}):
        if element in wanted:
            merged.append(element)
            if len(merged) == len(wanted):
                break
    return merged


def _group_looks(steps: Iterable[Step]) -> dict[str, list[tuple[str, list[_Look]]]]:
    """Steps by what an element must have to be one: the tag, then the first attribute, if any."""
    grouped: dict[str, dict[str, list[_Look]]] = {}
    for number, step in enumerate(steps):
        name, part = step.tests[0] if step.tests else ("", "")
        looks = grouped.setdefault(step.tag, {}).setdefault(name, [])
        looks.append((part, name == "class", step.tests[1:], number))
    return {tag: list(names.items()) for tag, names in grouped.items()}


def _read(expression: str) -> Locator | None:
    try:
        return read_xpath(expression)
    except WrapperError:
        return None


def _follow(found: list[Element], locator: Locator) -> list[Element]:
    """Take the steps behind the first one; linear in the page, and in its depth at most."""
    for above, step in pairwise(locator):
        if not found:
            break
        outer = _outermost(found, above.tag)
        if step.axis == "//":
            below = [e for context in outer for e in context.iterdescendants(step.tag)]
        elif len(outer) == len(found):
            below = [e for context in outer for e in context.iterchildren(step.tag)]
        else:  # children of nested elements follow each other in no order of their parents
            parents = set(found)
            inside = (e for context in outer for e in context.iterdescendants(step.tag))
            below = [e for e in inside if e.getparent() in parents]
        found = [e for e in below if _passes(e, step.tests)] if step.tests else below
    return found


def _outermost(elements: list[Element], tag: str) -> list[Element]:
    """Elements of one tag, in document order, without those inside another one."""
    if len(elements) == 1:
        return elements
    is_among = set(elements).__contains__
    return [e for e in elements if not any(map(is_among, e.iterancestors(tag)))]


def _passes(element: Element, tests: tuple[Test, ...]) -> bool:
    for name, wanted in tests:
        value = element.get(name)
        if value is None or not (has_token(value, wanted) if name == "class" else value == wanted):
            return False
    return True
