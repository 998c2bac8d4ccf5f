"""`SiteNames`: the kinds and paths of elements, each numbered once for all pages of a site.

A *kind* is a tag with its naming attributes, a *path* the kinds from the root down to an element.
Sibling pages repeat their template: ten pages of 600 elements have some 1,000 paths. So whatever
depends on names alone is derived once per path or kind, and not once per element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TypeAlias, cast

from forest_crawler.page.outline import Outline
from forest_crawler.page.xpath_syntax import is_name
from forest_crawler.wrapper.built_names import stable_prefix
from forest_crawler.wrapper.locators import PREFIX_MARK, Test, class_tokens

CLASS_PREFIX = f"class{PREFIX_MARK}"
"""Name of the test for the start of a class attribute, where a build has made its first token."""

# Attributes whose values belong to the page or to the moment, not to the template.
_PAGE_ATTRIBUTES = frozenset(
    "action alt cite content data datetime dir href lang rel rev src srcset style summary "
    "target title value xml:lang".split()
)
_MAX_VALUE_LENGTH = 60  # longer values are data, not names
_MAX_CACHED_LENGTH = 200  # of an attribute's value: data may have megabytes

_Attribute: TypeAlias = tuple[str, str]
TagTest: TypeAlias = tuple[str, Test | None]
"""A tag, and one of the tests that an element passes; `None` for the tag alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A tag with its naming attributes, and the names that such elements have."""

    tag: str
    tests: tuple[Test, ...]
    names: tuple[int, ...]  # numbers of the tag alone and with each test, if a locator can use them
    class_: str  # the whole attribute


class SiteNames:
    """Numbers the names, kinds and paths of a site's elements; parents come before children."""

    def __init__(self) -> None:
        self.names: list[TagTest] = []
        self.kinds: list[Kind] = []
        self.paths: list[tuple[int, int]] = []  # the parent's path, -1 for none, and the kind
        self._name_numbers: dict[TagTest, int] = {}
        self._kind_numbers: dict[tuple[object, ...], int] = {}
        self._path_numbers: dict[tuple[int, int], int] = {}
        self._is_naming = _IsNaming()
        # The wanted kinds among the first ones so far, by what accepts them.
        self._wanted: dict[Callable[[Kind], bool], tuple[int, set[int]]] = {}

    def number(self, outline: Outline) -> list[int]:
        """Return the path of each element; a hot loop, so it avoids every needless call."""
        found: list[int] = []
        kinds, paths, is_naming = self._kind_numbers, self._path_numbers, self._is_naming
        for element, above in zip(outline.elements, outline.parents, strict=True):
            items = element.items()
            names = (element.tag, *[it for it in items if is_naming[it[0]]])
            kind = kinds.get(names)
            if kind is None:
                kind = self._add_kind(names)
            key = (found[above] if above >= 0 else -1, kind)
            path = paths.get(key)
            if path is None:
                path = paths[key] = len(paths)
                self.paths.append(key)
            found.append(path)
        return found

    def find_kinds(self, is_wanted: Callable[[Kind], bool]) -> set[int]:
        """Return the kinds that a function accepts, once for all pages."""
        seen, found = self._wanted.get(is_wanted, (0, set()))
        found.update(it for it in range(seen, len(self.kinds)) if is_wanted(self.kinds[it]))
        self._wanted[is_wanted] = len(self.kinds), found
        return found

    def find_pages(self, pages: Iterable[Iterable[int]]) -> list[int]:
        """Return the pages that have each name, a bit per page, given the kinds on each page."""
        kind_pages = [0] * len(self.kinds)
        for number, kinds in enumerate(pages):
            for kind in set(kinds):
                kind_pages[kind] |= 1 << number
        found = [0] * len(self.names)
        for known, bits in zip(self.kinds, kind_pages, strict=True):
            if bits:
                for name in known.names:
                    found[name] |= bits
        return found

    def _add_kind(self, names: tuple[object, ...]) -> int:
        number = self._kind_numbers[names] = len(self.kinds)
        tag, attributes = cast(str, names[0]), cast("tuple[_Attribute, ...]", names[1:])
        tests = tuple(chain.from_iterable(map(_attribute_tests, attributes)))
        tag_tests = [(tag, test) for test in (None, *tests)] if is_known_name(tag) else []
        class_ = next((value for name, value in attributes if name == "class"), "")
        self.kinds.append(Kind(tag, tests, tuple(map(self._number_name, tag_tests)), class_))
        return number

    def _number_name(self, name: TagTest) -> int:
        number = self._name_numbers.get(name)
        if number is None:
            number = self._name_numbers[name] = len(self.names)
            self.names.append(name)
        return number


class _IsNaming(dict[object, bool]):
    """Whether an attribute names elements: for untrusted names, so for one site only."""

    def __missing__(self, name: str) -> bool:
        found = self[name] = (
            is_name(name) and name not in _PAGE_ATTRIBUTES and not name.startswith("on")
        )
        return found


# Untrusted, but few: the same tags and attributes recur on every element.
is_known_name = lru_cache(maxsize=1000)(is_name)


def _attribute_tests(attribute: _Attribute) -> tuple[Test, ...]:
    is_short = len(attribute[1]) <= _MAX_CACHED_LENGTH
    return (_recurring_tests if is_short else _find_tests)(attribute)


def _find_tests(attribute: _Attribute) -> tuple[Test, ...]:
    name, value = attribute
    if name == "class":
        return _class_tests(value)
    return (attribute,) if _is_name_value(value) else ()


# The same names recur on a site's pages, with different ones beside them.
_recurring_tests = lru_cache(maxsize=20_000)(_find_tests)


def _class_tests(value: str) -> tuple[Test, ...]:
    tokens = dict.fromkeys(class_tokens(value))
    found = [("class", token) for token in tokens if "\\" not in token]
    prefix = stable_prefix(next(iter(tokens), ""))
    # Not so after a blank.
    if prefix and len(prefix) <= _MAX_VALUE_LENGTH and value.startswith(prefix):
        found.append((CLASS_PREFIX, prefix))
    return tuple(found)


def _is_name_value(value: str) -> bool:
    # Readers of CSS disagree on an escaped backslash (cssselect unescapes twice: `\5c 1` is `1`).
    is_short = 0 < len(value) <= _MAX_VALUE_LENGTH
    return is_short and value == value.strip() and "\\" not in value
