"""Portable locators: paths that any tool can run, and all the ways to name an element with one.

A locator says nothing that CSS could not say too: tag, id, class token, attribute, child and
descendant. It names what a site's pages share, so it never mentions dfs numbers or positions, and
it prefers what is stable (an id without digits) over what is short.
"""

from __future__ import annotations

import re
import reprlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

from forest_crawler.errors import WrapperError
from forest_crawler.page.outline import Outline
from forest_crawler.page.xpath import Element
from forest_crawler.page.xpath_syntax import is_name, literal

Axis = Literal["/", "//"]
Test: TypeAlias = tuple[str, str]
"""An attribute and its value; of `class`, one token of the value."""


class Step(NamedTuple):
    """One step of a locator: an axis, a tag, and what its attributes must be."""

    axis: Axis
    tag: str
    tests: tuple[Test, ...] = ()


Locator: TypeAlias = tuple[Step, ...]

# Attributes whose values belong to the page or to the moment, not to the template.
_PERSONAL = frozenset(
    "action alt cite content data datetime dir href lang rel rev src srcset style summary "
    "target title value xml:lang".split()
)
_MAX_VALUE = 60  # longer values are data, not names
_MAX_TESTS = 5  # names of one element that are tried; the most stable ones
_MAX_ANCESTORS = 6  # levels above an element that may lend it their names
_MAX_CHAIN = 3  # child steps below a named ancestor: longer chains break at the first change

# Tags that say nothing by themselves: `//div` is no locator, `//article` is one.
_MEANINGLESS = frozenset(
    "a b br center div em font i li p small span strong table tbody td th tr u ul".split()
)

# How much less a name is worth than none at all: the least costly of two locators that select the
# same nodes on the sample is kept. What authors write by hand to say what a thing *is* costs
# least; digits (counters, dates) and mixed runs of letters and digits (build hashes) cost most.
_NAME_COSTS = {"itemprop": 0.3, "role": 0.3, "property": 0.3, "id": 0.6, "class": 0.8}
_OTHER_NAME_COST = 2.0
_DIGIT_COST = 2.0
_HASH_COST = 30.0
_STEP_COST = 0.5
_BARE_STEP_COST = 1.0
_DIGIT = re.compile(r"[0-9]")
# What build tools call classes (`css-1a2b3c`, `Item_2HXS3`) changes with the next build, so it
# is a last resort: a run of letters and digits that changes from one to the other twice, or one of
# hexadecimal digits with both.
_HASH = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?=[A-Za-z0-9]{5})[A-Za-z0-9]{0,60}?(?:[A-Za-z][0-9]+[A-Za-z]|[0-9][A-Za-z]+[0-9])"
    r"|(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{6,}(?![A-Za-z0-9]))"
)
_BLANKS = re.compile(r"[ \t\r\n]+")  # what XPath and CSS take for blanks in a class attribute
_CSS_IDENTIFIER = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]*")


class PageNames:
    """The names on a page, and which elements bear them."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.tags: list[str] = [str(element.tag) for element in outline.elements]
        self.tests: list[list[Test]] = [_tests(element) for element in outline.elements]
        self.bearers: dict[tuple[str, Test | None], list[int]] = {}
        for i, (tag, tests) in enumerate(zip(self.tags, self.tests, strict=True)):
            if not _is_known_name(tag):
                continue
            for test in (None, *tests):
                self.bearers.setdefault((tag, test), []).append(i)
        self._matches: dict[Locator, Sequence[int]] = {}

    def match(self, locator: Locator) -> Sequence[int]:
        """The elements that a locator selects, by index, in document order.

        The same as running its XPath, but shared between all locators with a common beginning.
        """
        found = self._matches.get(locator)
        if found is None:
            found = self._matches[locator] = self._match_last(locator)
        return found

    def outermost(self, locator: Locator) -> list[int]:
        """The elements that a locator selects, without those inside another one."""
        found: list[int] = []
        end = -1
        for index in self.match(locator):
            if index >= end:
                found.append(index)
                end = self.outline.ends[index]
        return found

    def _match_last(self, locator: Locator) -> Sequence[int]:
        step = locator[-1]
        found: Sequence[int] = self.bearers.get(
            (step.tag, step.tests[0] if step.tests else None), []
        )
        for test in step.tests[1:]:
            others = set(self.bearers.get((step.tag, test), ()))
            found = [index for index in found if index in others]
        if len(locator) == 1 or not found:
            return found
        above = self.match(locator[:-1])
        below = self._descendants(found, above)
        if step.axis == "//":
            return below
        parents, wanted = self.outline.parents, set(above)
        return [index for index in below if parents[index] in wanted]

    def _descendants(self, found: Sequence[int], above: Sequence[int]) -> list[int]:
        """Both are ascending, and subtrees are intervals: what lies in one is a slice."""
        ends, end = self.outline.ends, -1
        kept: list[int] = []
        for index in above:
            if index >= end:
                end = ends[index]
                first = bisect_right(found, index)
                kept += found[first : bisect_left(found, end, first)]
        return kept


def shared_tests(pages: Iterable[PageNames]) -> Counter[tuple[str, Test | None]]:
    """On how many pages each tag and name occurs."""
    counts: Counter[tuple[str, Test | None]] = Counter()
    for page in pages:
        counts.update(page.bearers.keys())
    return counts


def name_element(
    page: PageNames,
    index: int,
    shared: Mapping[tuple[str, Test | None], int],
    least: int,
    ancestors: int = _MAX_ANCESTORS,
) -> set[Locator]:
    """All the locators worth trying for an element: by its own names, and by its ancestors'.

    Only names that `least` pages share are used, so those of a single page (`post-4711`) are not.
    """
    tag = page.tags[index]
    if not _is_known_name(tag):
        return set()
    own = _stable_tests(page, index, shared, least)[:_MAX_TESTS]
    found: set[Locator] = {(Step("//", tag, (test,)),) for test in own}
    found |= {(Step("//", tag, tuple(sorted(pair))),) for pair in combinations(own[:3], 2)}
    if tag not in _MEANINGLESS:
        found.add((Step("//", tag),))
    below = [Step("//", tag), *(Step("//", tag, (test,)) for test in own[:2])]
    chain: Locator = (Step("/", tag),)
    above = page.outline.parents[index]
    for distance in range(ancestors):
        above_tag = page.tags[above] if above >= 0 else ""
        if not _is_known_name(above_tag):
            break
        for test in _stable_tests(page, above, shared, least)[:3]:
            start = Step("//", above_tag, (test,))
            found.update([(start, step) for step in below])
            if distance < _MAX_CHAIN:
                found.add((start, *chain))
        if above_tag == "body" and distance < _MAX_CHAIN:
            found.add((Step("//", "body"), *chain))
        chain = (Step("/", above_tag), *chain)
        above = page.outline.parents[above]
    return found


def is_steady(test: Test) -> bool:
    """Whether a name has no number in it, as those have that counters and most build tools make.

    >>> is_steady(("class", "story")), is_steady(("class", "css-1a2b3c")), is_steady(("id", "p7"))
    (True, False, False)
    """
    return _DIGIT.search(test[1]) is None


@lru_cache(maxsize=20_000)
def locator_cost(locator: Locator) -> float:
    """How little a locator is to be relied on; see the costs above."""
    return sum(
        _STEP_COST + (sum(map(_test_cost, step.tests)) if step.tests else _BARE_STEP_COST)
        for step in locator
    )


def write_xpath(locator: Locator) -> str:
    """The locator as XPath 1.0.

    >>> write_xpath((Step("//", "div", (("class", "story"),)), Step("/", "p")))
    "//div[contains(concat(' ',normalize-space(@class),' '),' story ')]/p"
    """
    return "".join(step.axis + step.tag + "".join(map(_test_xpath, step.tests)) for step in locator)


def write_css(locator: Locator) -> str:
    """The locator as a CSS selector.

    >>> write_css((Step("//", "div", (("id", "main"),)), Step("//", "p", (("class", "lead"),))))
    'div[id="main"] p.lead'
    """
    parts = []
    for step in locator:
        tests = "".join(map(_test_css, step.tests))
        parts.append(("> " if step.axis == "/" else "") + step.tag + tests)
    return " ".join(parts)


def read_xpath(text: str) -> Locator:
    """The locator that an XPath states, as `write_xpath` writes them.

    Raises `WrapperError` for any other XPath: what is stored is not trusted, and positions, other
    axes and functions, and unions are no part of a portable form.

    >>> read_xpath("//div[@id='main']/p")
    (Step(axis='//', tag='div', tests=(('id', 'main'),)), Step(axis='/', tag='p', tests=()))
    """
    steps: list[Step] = []
    place = 0
    while match := _STEP.match(text, place):
        tests: list[Test] = []
        place = match.end()
        while test := _TEST.match(text, place):
            tests.append(_read_test(test["name"], test["value"], text))
            place = test.end()
        axis: Axis = "//" if match["axis"] == "//" else "/"
        steps.append(Step(axis, match["tag"], tuple(tests)))
    if place < len(text) or not steps or steps[0].axis != "//":
        raise _no_locator(text)
    return tuple(steps)


_NAME_FORM = r"[A-Za-z_][A-Za-z0-9_.-]*"  # what `is_name` takes for one
_QUOTED = r"(?:'[^']*'|\"[^\"]*\")"
_STEP = re.compile(rf"(?P<axis>//?)(?P<tag>{_NAME_FORM})")
_TEST = re.compile(
    rf"\[(?:@(?P<name>{_NAME_FORM})=|contains\(concat\(' ',normalize-space\(@class\),' '\),)"
    rf"(?P<value>{_QUOTED}|concat\({_QUOTED}(?:, {_QUOTED})+\))(?(name)|\))\]"
)
_RUN = re.compile(_QUOTED)


def has_token(value: str, token: str) -> bool:
    """Whether a class attribute has a class, by what XPath and CSS take for blanks.

    >>> has_token("story lead", "lead"), has_token("storylead", "lead")
    (True, False)
    """
    return value == token or (token in value and token in _BLANKS.split(value))


def _read_test(name: str | None, written: str, text: str) -> Test:
    value = "".join(run[1:-1] for run in _RUN.findall(written))
    if name is None:
        token = value[1:-1]
        if value != f" {token} " or not token or _BLANKS.search(token):
            raise _no_locator(text)
        return "class", token
    if name == "class":  # the whole attribute: one more class of the site's, and nothing matches
        raise _no_locator(text)
    return name, value


def _no_locator(text: str) -> WrapperError:
    shown = reprlib.repr(text)
    return WrapperError(
        f"not a portable locator: {shown}; only tags, ids, class tokens and "
        "attributes, joined by / and //, are"
    )


def _tests(element: Element) -> list[Test]:
    found: list[Test] = []
    for name, value in element.items():
        name, value = str(name), str(value)
        if name == "class":
            tokens = dict.fromkeys(_BLANKS.split(value))
            found += [("class", token) for token in tokens if token and "\\" not in token]
        elif _is_naming(name) and _is_name_value(value):
            found.append((name, value))
    return found


def _is_name_value(value: str) -> bool:
    # Readers of CSS disagree on an escaped backslash (cssselect unescapes twice: `\5c 1` is `1`).
    is_short = 0 < len(value) <= _MAX_VALUE
    return is_short and value == value.strip() and "\\" not in value


# Tags and attributes are few, however untrusted: the same ones come back on every element.
_is_known_name = lru_cache(maxsize=1000)(is_name)


@lru_cache(maxsize=1000)
def _is_naming(name: str) -> bool:
    return is_name(name) and name not in _PERSONAL and not name.startswith("on")


def _stable_tests(
    page: PageNames, index: int, shared: Mapping[tuple[str, Test | None], int], least: int
) -> list[Test]:
    tests = page.tests[index]
    if not tests:
        return tests
    tag = page.tags[index]
    stable = [test for test in tests if shared[tag, test] >= least]
    if len(stable) > 1:
        stable.sort(key=lambda test: (_test_cost(test), test))
    return stable


# Bounded: a long crawl meets ever new names. The size holds some dozen samples.
@lru_cache(maxsize=20_000)
def _test_cost(test: Test) -> float:
    name, value = test
    cost = _NAME_COSTS.get(name, _OTHER_NAME_COST)
    if _DIGIT.search(value) is None:
        return cost
    return cost + (_HASH_COST if _HASH.search(value) else _DIGIT_COST)


def _test_xpath(test: Test) -> str:
    name, value = test
    if name == "class":
        return f"[contains(concat(' ',normalize-space(@class),' '),{literal(f' {value} ')})]"
    return f"[@{name}={literal(value)}]"


def _test_css(test: Test) -> str:
    name, value = test
    if name == "class" and _CSS_IDENTIFIER.fullmatch(value):
        return f".{value}"
    quoted = re.sub(r'["\\\n\r\f]', lambda match: f"\\{ord(match.group()):x} ", value)
    operator = "~=" if name == "class" else "="
    return f'[{name}{operator}"{quoted}"]'
