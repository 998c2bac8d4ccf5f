"""Find all locators that can name an element, and rate how reliable each is.

A name is a tag, an id, a class token, the stable start of a built class, or another attribute that
the sample's pages share. Induction tries the locators of `name_element` and, of those that select
the same elements, keeps the one with the least `locator_cost`: stability (an id without digits)
counts for more than brevity.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations, takewhile

from forest_crawler.page.outline import Outline
from forest_crawler.wrapper.built_names import is_built
from forest_crawler.wrapper.locators import PREFIX_MARK, Locator, Step, Test, tested_attribute
from forest_crawler.wrapper.site_names import (
    CLASS_PREFIX,
    Kind,
    SiteNames,
    TagTest,
    is_known_name,
)

MAX_ANCESTORS = 6
"""Levels above an element whose names it may use."""

_MAX_TESTS = 5  # names of one element that are tried, the most stable ones
_MAX_CHAIN = 3  # child steps below a named ancestor: longer chains break at the first change

# Tags without a meaning of their own: `//article` is a useful locator, `//div` isn't.
_MEANINGLESS = frozenset(
    "a b br center div em font i li p small span strong table tbody td th tr u ul".split()
)

# Tags that hold anything: below some element, `//div` is any of dozens.
_GENERIC = frozenset("center div form section span table tbody td th tr".split())

# What authors write by hand to say what an element *is* costs least; digits (counters, dates) cost
# more. Names with a build's hash (`css-1a2b3c`, `Item_2HXS3`) change with the next build, so they
# are the last resort; what is before the hash is nearly as good as a name by hand.
_NAME_COSTS = {
    "itemprop": 0.3,
    "role": 0.3,
    "property": 0.3,
    "id": 0.6,
    "class": 0.8,
    CLASS_PREFIX: 0.9,
}
_OTHER_NAME_COST = 2.0
_DIGIT_COST = 2.0
_HASH_COST = 30.0
_STEP_COST = 0.5
_BARE_STEP_COST = 1.0
_LOOSE_STEP_COST = 3.0  # of `//div` below another step: any name of the element is better
_DIGIT = re.compile(r"[0-9]")


class _NameIndex:
    """The elements with each tag and test, in document order.

    Elements are sorted by all their names at once; the lists of a test are merged on first use,
    which for most tests never comes.
    """

    def __init__(self, tags: Sequence[str], tests: Sequence[Sequence[Test]]) -> None:
        self._lists: dict[TagTest, list[list[int]]] = {}
        # By identity: elements with the same names mostly share the object, whose hash takes long.
        alike: dict[tuple[str, int], list[int]] = {}
        for i, (tag, names) in enumerate(zip(tags, tests, strict=True)):
            found = alike.get((tag, id(names)))
            if found is None:
                found = alike[tag, id(names)] = []
                self._add(tag, names, found)
            found.append(i)

    def _add(self, tag: str, names: Sequence[Test], indices: list[int]) -> None:
        if is_known_name(tag):
            for test in (None, *names):
                self._lists.setdefault((tag, test), []).append(indices)

    def get(self, tag: str, test: Test | None) -> Sequence[int]:
        """Return the elements with a tag that pass a test, in document order."""
        lists = self._lists.get((tag, test))
        if lists is None:
            return ()
        if len(lists) > 1:
            merged = sorted(index for indices in lists for index in indices)
            self._lists[tag, test] = [merged]
            return merged
        return lists[0]


class NamedElements:
    """Elements in document order with their names, and the locators that select them."""

    def __init__(
        self,
        parents: Sequence[int],
        ends: Sequence[int],
        tags: Sequence[str],
        tests: Sequence[Sequence[Test]],
    ) -> None:
        self.parents = parents
        self.ends = ends  # an element's descendants are those up to here
        self.tags = tags
        self.tests = tests
        self._matches: dict[Locator, Sequence[int]] = {}

    @cached_property
    def indices(self) -> _NameIndex:
        """The elements with each name, sorted on first use."""
        return _NameIndex(self.tags, self.tests)

    def match(self, locator: Locator) -> Sequence[int]:
        """Return the indices of the elements that a locator selects, in document order.

        Selects what its XPath selects, but locators with a common start share the work.
        """
        found = self._matches.get(locator)
        if found is None:
            found = self._matches[locator] = self._match_last(locator)
        return found

    def outermost(self, locator: Locator) -> list[int]:
        """Return the elements that a locator selects, without those inside another one."""
        matched = self.match(locator)
        if len(matched) < 2:
            return list(matched)
        found: list[int] = []
        end = -1
        for index in matched:
            if index >= end:
                found.append(index)
                end = self.ends[index]
        return found

    def _match_last(self, locator: Locator) -> Sequence[int]:
        step = locator[-1]
        found = self._with_test(step.tag, step.tests[0] if step.tests else None)
        for test in step.tests[1:]:
            others = set(self._with_test(step.tag, test))
            found = [index for index in found if index in others]
        if len(locator) == 1 or not found:
            return found
        above = self.match(locator[:-1])
        below = self._descendants(found, above)
        if step.axis == "//":
            return below
        parents, wanted = self.parents, set(above)
        return [index for index in below if parents[index] in wanted]

    def _with_test(self, tag: str, test: Test | None) -> Sequence[int]:
        """Return the elements with a tag that pass a test, in document order."""
        return self.indices.get(tag, test)

    def _descendants(self, found: Sequence[int], above: Sequence[int]) -> list[int]:
        """Keep what is inside an element of `above`; a subtree is an index range."""
        ends, end = self.ends, -1
        kept: list[int] = []
        for index in above:
            if index >= end:
                end = ends[index]
                first = bisect_right(found, index)
                kept += found[first : bisect_left(found, end, first)]
        return kept


class PageNames(NamedElements):
    """The names on a page, and the elements that have them.

    Pages of one site share a `SiteNames`, so that their kinds and paths have the same numbers.
    """

    def __init__(self, outline: Outline, site: SiteNames | None = None) -> None:
        self.outline = outline
        self.site = site or SiteNames()
        self.paths = self.site.number(outline)
        kinds = self.site.kinds
        self.kinds = [self.site.paths[path][1] for path in self.paths]
        tags, tests = [kinds[it].tag for it in self.kinds], [kinds[it].tests for it in self.kinds]
        super().__init__(outline.parents, outline.ends, tags, tests)
        self._values: dict[tuple[str, str], list[tuple[str, int]]] = {}

    def on_site(self, site: SiteNames) -> PageNames:
        """Return the names as numbered for a site."""
        return self if self.site is site else PageNames(self.outline, site)

    def of_kind(self, is_wanted: Callable[[Kind], bool]) -> list[int]:
        """Return the elements of the wanted kinds, in document order."""
        wanted = self.site.find_kinds(is_wanted)
        return [i for i, kind in enumerate(self.kinds) if kind in wanted] if wanted else []

    def _with_test(self, tag: str, test: Test | None) -> Sequence[int]:
        if test is None or not test[0].endswith(PREFIX_MARK):
            return self.indices.get(tag, test)
        # Hand-made names may start like built ones, so `indices` doesn't have all of them.
        name, prefix = tested_attribute(test[0]), test[1]
        values = self._sorted_values(tag, name)
        first = bisect_left(values, (prefix,))
        found = takewhile(lambda row: row[0].startswith(prefix), values[first:])
        return sorted(index for _, index in found)

    def _sorted_values(self, tag: str, name: str) -> list[tuple[str, int]]:
        """Return an attribute's values on the elements with a tag, sorted, with the elements."""
        values = self._values.get((tag, name))
        if values is None:
            elements = self.outline.elements
            of_tag = ((elements[i].get(name), i) for i in self.indices.get(tag, None))
            values = sorted((str(value), i) for value, i in of_tag if value is not None)
            self._values[tag, name] = values
        return values


def shared_tests(pages: Iterable[PageNames]) -> Counter[TagTest]:
    """Count on how many pages each tag and name occurs."""
    counts: Counter[TagTest] = Counter()
    for page in pages:
        names, kinds = page.site.names, page.site.kinds
        counts.update(
            map(names.__getitem__, {it for i in set(page.kinds) for it in kinds[i].names})
        )
    return counts


def name_element(
    page: PageNames,
    index: int,
    shared: Mapping[TagTest, int],
    min_pages: int,
    max_ancestors: int = MAX_ANCESTORS,
) -> set[Locator]:
    """Return the locators worth trying for an element.

    They use its own names and its ancestors', but only those that at least `min_pages` pages share:
    names of a single page (`post-4711`) are useless.
    """
    return combine_names(
        page,
        index,
        lambda i: stable_tests(page.tags[i], page.tests[i], shared, min_pages),
        max_ancestors,
    )


def combine_names(
    elements: NamedElements,
    index: int,
    tests_of: Callable[[int], Sequence[Test]],
    max_ancestors: int = MAX_ANCESTORS,
) -> set[Locator]:
    """Return the locators of an element from the names that it and its ancestors may use."""
    tag = elements.tags[index]
    if not is_known_name(tag):
        return set()
    own = tests_of(index)[:_MAX_TESTS]
    found: set[Locator] = {(Step("//", tag, (test,)),) for test in own}
    found |= {(Step("//", tag, tuple(sorted(pair))),) for pair in combinations(own[:3], 2)}
    if tag not in _MEANINGLESS:
        found.add((Step("//", tag),))
    below = [Step("//", tag), *(Step("//", tag, (test,)) for test in own[:2])]
    for ancestor, chain in _chains(elements, index, max_ancestors):
        ancestor_tag, is_short = elements.tags[ancestor], len(chain) <= _MAX_CHAIN
        for test in tests_of(ancestor)[:3]:
            start = Step("//", ancestor_tag, (test,))
            found.update([(start, step) for step in below])
            if is_short:
                found.add((start, *chain))
        if ancestor_tag == "body" and is_short:
            found.add((Step("//", "body"), *chain))
    return found


def is_steady(test: Test) -> bool:
    """Whether a name has no digits and no hash, unlike those of counters and build tools.

    >>> is_steady(("class", "story")), is_steady(("class", "css-1a2b3c")), is_steady(("id", "p7"))
    (True, False, False)
    >>> is_steady(("class", "Body_root__QoKeJ")), is_steady(("class^", "Body_root__"))
    (False, True)
    """
    return _DIGIT.search(test[1]) is None and not is_built(test[1])


@lru_cache(maxsize=20_000)
def locator_cost(locator: Locator) -> float:
    """Rate how unreliable a locator is, by its names and its number of steps."""
    bare = sum(not step.tests for step in locator) * _BARE_STEP_COST
    named = sum(_test_cost(test) for step in locator for test in step.tests)
    loose = (_LOOSE_STEP_COST - _BARE_STEP_COST) * is_loose(locator)
    return _STEP_COST * len(locator) + bare + named + loose


def is_loose(locator: Locator) -> bool:
    """Whether a locator takes the page, or all elements of a generic tag below another one.

    >>> main, body = Step("//", "main"), Step("//", "body", (("class", "story"),))
    >>> is_loose((main, Step("//", "div"))), is_loose((main, Step("/", "div"))), is_loose((body,))
    (True, False, True)
    """
    last = locator[-1]
    if last.tag == "body":
        return True
    return len(locator) > 1 and last.axis == "//" and not last.tests and last.tag in _GENERIC


def _chains(
    elements: NamedElements, index: int, max_ancestors: int
) -> Iterator[tuple[int, Locator]]:
    """Yield an element's ancestors, nearest first, and the child steps to it."""
    chain: Locator = (Step("/", elements.tags[index]),)
    ancestor = elements.parents[index]
    for _ in range(max_ancestors):
        tag = elements.tags[ancestor] if ancestor >= 0 else ""
        if not is_known_name(tag):
            return
        yield ancestor, chain
        chain = (Step("/", tag), *chain)
        ancestor = elements.parents[ancestor]


def stable_tests(
    tag: str, tests: Sequence[Test], shared: Mapping[TagTest, int], min_pages: int
) -> Sequence[Test]:
    """Return the names that enough pages share, the most reliable ones first."""
    return rank_tests([test for test in tests if shared[tag, test] >= min_pages])


def rank_tests(tests: Sequence[Test]) -> Sequence[Test]:
    """Sort tests by how reliable they are."""
    return sorted(tests, key=lambda test: (_test_cost(test), test)) if len(tests) > 1 else tests


# Bounded, because a long crawl keeps meeting new names. The size suffices for some dozen samples.
@lru_cache(maxsize=20_000)
def _test_cost(test: Test) -> float:
    name, value = test
    cost = _NAME_COSTS.get(name, _OTHER_NAME_COST)
    if is_built(value):
        return cost + _HASH_COST
    return cost + (_DIGIT_COST if _DIGIT.search(value) else 0)
