"""Clicks on elements → the rules of a wrapper, by the locators that induction uses.

A person points at elements of held pages; here each becomes part of the body, is stripped, or shows
a field. The rules are locators that all held pages of the site share: of those that select what was
pointed at, the one that selects least besides, occurs on most pages and has the most stable names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from forest_crawler.errors import WrapperError
from forest_crawler.induction.strip_rules import PRESENTATION, SELF_NAMED
from forest_crawler.page.tree import INLINE_TAGS, PageTree
from forest_crawler.wrapper.element_names import (
    PageNames,
    locator_cost,
    name_element,
    shared_tests,
)
from forest_crawler.wrapper.locators import Locator, Step, Test, read_xpath, write_xpath
from forest_crawler.wrapper.wrapper import Wrapper

Action = Literal["body", "strip", "title", "author", "date"]
ACTIONS: tuple[Action, ...] = get_args(Action)
FIELD_ACTIONS = ("title", "author", "date")

MAX_CLICKS = 500

_MISSING_COST = 3.0  # of a locator that no other page has; the share of pages counts
_EXTRA_COST = 1.0  # per element that a locator selects besides what was pointed at


@dataclass(frozen=True, slots=True)
class Click:
    """An element that was pointed at: its page, its dfs number, and what for."""

    page: int
    dfs: int
    action: Action


@dataclass(slots=True)
class Rules:
    """The locators of a wrapper in the making, and what clicks could not do."""

    body: list[Locator] = field(default_factory=list)
    strip: list[Locator] = field(default_factory=list)
    fields: dict[str, Locator | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_rules(wrapper: Wrapper | None) -> Rules:
    """Return a wrapper's rules; none for one in dfs form, whose positions nobody can edit."""
    if wrapper is None:
        return Rules()
    if wrapper.form != "portable":
        return Rules(notes=["this wrapper has dfs positions; point at the body to make a new one"])
    fields = {name: _read(getattr(wrapper, name)) for name in FIELD_ACTIONS}
    return Rules([*map(read_xpath, wrapper.body)], [*map(read_xpath, wrapper.strip)], fields)


def apply_clicks(trees: Sequence[PageTree], rules: Rules, clicks: Iterable[Click]) -> Rules:
    """Change rules by clicks, one after the other."""
    sample = _Sample(trees)
    draft = _Draft(sample, rules)
    for number, click in enumerate(clicks):
        if number >= MAX_CLICKS:
            raise WrapperError(f"more than {MAX_CLICKS} clicks; pin this draft, and go on after")
        draft.apply(click)
    return draft.finish()


def read_click(row: Any, pages: Mapping[str, int]) -> Click:
    """Read a click as a page's script sends it; `pages` are the numbers of pages by their key.

    Raises `WrapperError` for anything else.
    """
    if not isinstance(row, dict) or type(row.get("dfs")) is not int:
        raise WrapperError("a click has a 'page', the number 'dfs' and an 'action'")
    if row.get("action") not in ACTIONS:
        raise WrapperError(f"the action of a click is one of {', '.join(ACTIONS)}")
    page = pages.get(str(row.get("page")))
    if page is None:
        raise WrapperError("a page that you pointed at is no longer held; reload the editor")
    return Click(page, row["dfs"], row["action"])


@dataclass(frozen=True, slots=True)
class _Sample:
    """The held pages, with the names on them."""

    trees: Sequence[PageTree]
    pages: list[PageNames] = field(init=False)
    shared: Counter[tuple[str, Test | None]] = field(init=False)

    def __post_init__(self) -> None:
        pages = [PageNames(tree.outline) for tree in self.trees]
        object.__setattr__(self, "pages", pages)
        object.__setattr__(self, "shared", shared_tests(pages))

    def candidates(self, page: int, index: int, *, is_strip: bool) -> set[Locator]:
        """Return locators of an element; names of its page alone only if there is no other.

        What is stripped is often on one held page only, such as an advertisement; its own name is
        better than a position that other pages share.
        """
        names = self.pages[page]
        found: set[Locator] = set()
        for min_pages in (min(2, len(self.pages)), 1):
            if is_strip or not found:
                found |= name_element(names, index, self.shared, min_pages)
        if found:
            return found
        return {(Step("//", "body"),)} if names.tags[index] == "body" else set()

    def spread(self, locator: Locator) -> float:
        """Return the share of pages on which a locator selects something."""
        return sum(bool(page.match(locator)) for page in self.pages) / len(self.pages)


_Pointed = tuple[int, int]  # page, index of the element


class _Draft:
    def __init__(self, sample: _Sample, rules: Rules) -> None:
        self._sample = sample
        self._rules = Rules([*rules.body], [*rules.strip], {**rules.fields}, [*rules.notes])
        self._added: list[_Pointed] = []
        self._stripped: list[_Pointed] = []

    def apply(self, click: Click) -> None:
        """Take one click into account."""
        pointed = (click.page, click.dfs - 1)
        if not 0 <= pointed[1] < len(self._sample.pages[click.page].tags):
            raise WrapperError(f"the page has no element {click.dfs}; reload the editor")
        if click.action == "body":
            self._add(pointed)
        elif click.action == "strip":
            self._remove(pointed)
        else:
            self._rules.fields[click.action] = self._locate(pointed, click.action)

    def finish(self) -> Rules:
        """Find rules for all that was pointed at."""
        rules = self._rules
        added = self._cover(self._added, self._body_extras)
        rules.body = [it for it in rules.body if not self._is_within(it, added)] + [
            it for it in added if it not in rules.body
        ]
        strip = self._cover(self._stripped, self._strip_extras, is_strip=True)
        rules.strip += [it for it in strip if it not in rules.strip]
        if self._is_unnamed(self._added, added) or self._is_unnamed(self._stripped, strip):
            rules.notes.append("an element has no name that a rule could use; try one around it")
        return rules

    def _add(self, pointed: _Pointed) -> None:
        self._stripped = [it for it in self._stripped if not self._is_above(it, pointed)]
        self._rules.strip = [it for it in self._rules.strip if not self._holds(it, pointed)]
        is_selected = any(self._holds(it, pointed) for it in self._rules.body)
        is_inside = any(self._is_above(it, pointed) for it in self._added)
        if not is_selected and not is_inside:
            outside = [it for it in self._added if not self._is_above(pointed, it)]
            self._added = [*outside, pointed]

    def _remove(self, pointed: _Pointed) -> None:
        before = len(self._added)
        self._added = [it for it in self._added if not self._is_above(pointed, it)]
        self._stripped = [it for it in self._stripped if not self._is_above(pointed, it)]
        kept = [it for it in self._rules.body if not self._is_all_inside(it, pointed)]
        is_changed = len(self._added) < before or len(kept) < len(self._rules.body)
        self._rules.body = kept
        body = [*kept, *self._cover(self._added, self._body_extras)]
        if body and any(self._holds(it, pointed) for it in self._rules.strip):
            self._rules.notes.append("that element is stripped already")
        elif any(self._holds(it, pointed) for it in body):
            self._stripped.append(pointed)
        elif not is_changed:
            self._rules.notes.append("that element isn't in the body, so there is nothing to strip")

    def _locate(self, pointed: _Pointed, name: str) -> Locator | None:
        found = self._cover([pointed], self._all_extras)
        return found[0] if found else self._rules.fields.get(name)

    def _cover(
        self,
        pointed: Sequence[_Pointed],
        extras: Callable[[Locator, set[_Pointed]], int],
        *,
        is_strip: bool = False,
    ) -> list[Locator]:
        """Choose locators until all elements are selected; each covers as many as it can.

        A strip rule, however, says what it strips if it can, and strips nothing besides if it can:
        three names are better than one position, or than a name that content has as well.
        """
        left, wanted = set(pointed), set(pointed)
        candidates = {
            it for at in pointed for it in self._sample.candidates(*at, is_strip=is_strip)
        }
        chosen: list[Locator] = []
        while left:
            ranked = [
                self._rank(it, len(covered), extras(it, wanted), is_strip=is_strip)
                for it in candidates
                if (covered := self._covered(it, left))
            ]
            if not ranked:
                return chosen
            best = min(ranked)[-1]
            chosen.append(best)
            left -= self._covered(best, left)
        return chosen

    def _rank(
        self, locator: Locator, covered: int, extras: int, *, is_strip: bool
    ) -> tuple[bool, bool, int, float, Locator]:
        """Return by what a locator is compared with others; the lowest is the best."""
        is_nameless = is_strip and not says_what_it_strips(locator)
        return is_nameless, is_strip and extras > 0, -covered, self._cost(locator, extras), locator

    def _is_unnamed(self, pointed: Sequence[_Pointed], chosen: Sequence[Locator]) -> bool:
        """Whether no locator was found for an element."""
        return any(not any(self._holds(it, at) for it in chosen) for at in pointed)

    def _cost(self, locator: Locator, extras: int) -> float:
        missing = _MISSING_COST * (1 - self._sample.spread(locator))
        return locator_cost(locator) + missing + _EXTRA_COST * extras

    def _covered(self, locator: Locator, wanted: set[_Pointed]) -> set[_Pointed]:
        pages = {page for page, _ in wanted}
        found = {(page, it) for page in pages for it in self._sample.pages[page].match(locator)}
        return found & wanted

    def _body_extras(self, locator: Locator, wanted: set[_Pointed]) -> int:
        """Count what a locator selects besides, on pages with clicks and outside the body."""
        return sum(
            not any(self._is_above(it, at) for it in wanted)
            for at in self._matches(locator, wanted)
        )

    def _strip_extras(self, locator: Locator, wanted: set[_Pointed]) -> int:
        """Count what a locator strips besides; content that was added makes it unusable."""
        eaten = sum(self._holds(locator, it) for it in self._added)
        return 100 * eaten + sum(at not in wanted for at in self._matches(locator, wanted))

    def _all_extras(self, locator: Locator, wanted: set[_Pointed]) -> int:
        return sum(at not in wanted for at in self._matches(locator, wanted))

    def _matches(self, locator: Locator, wanted: set[_Pointed]) -> Iterable[_Pointed]:
        """Yield what a locator selects on the pages where it was pointed at.

        On the others it selects what the same name has there, which is the purpose of a rule.
        """
        for page in {page for page, _ in self._covered(locator, wanted)}:
            for index in self._sample.pages[page].outermost(locator):
                yield page, index

    def _holds(self, locator: Locator, pointed: _Pointed) -> bool:
        """Whether a locator selects an element or one around it."""
        page, _ = pointed
        matched = self._sample.pages[page].outermost(locator)
        return any(self._is_above((page, it), pointed) for it in matched)

    def _is_all_inside(self, locator: Locator, pointed: _Pointed) -> bool:
        """Whether everything that a locator selects on the page is in an element."""
        page, _ = pointed
        matched = self._sample.pages[page].outermost(locator)
        return bool(matched) and all(self._is_above(pointed, (page, it)) for it in matched)

    def _is_within(self, locator: Locator, others: Sequence[Locator]) -> bool:
        """Whether other locators select all that a locator selects, on all pages."""
        if not others:
            return False
        return all(
            any(self._holds(other, (number, it)) for other in others)
            for number, page in enumerate(self._sample.pages)
            for it in page.outermost(locator)
        )

    def _is_above(self, outer: _Pointed, inner: _Pointed) -> bool:
        """Whether an element is another one, or contains it."""
        if outer[0] != inner[0]:
            return False
        ends = self._sample.pages[outer[0]].outline.ends
        return outer[1] <= inner[1] < ends[outer[1]]


def says_what_it_strips(locator: Locator) -> bool:
    """Report whether a strip rule has a name, or a tag that is one (`strip_rules`)."""
    last = locator[-1]
    is_named = any(name not in PRESENTATION for name, _ in last.tests)
    return is_named or (last.tag in SELF_NAMED and last.tag not in INLINE_TAGS)


def write_rules(locators: Iterable[Locator]) -> tuple[str, ...]:
    """Write locators as XPaths."""
    return tuple(map(write_xpath, locators))


def _read(expression: str | None) -> Locator | None:
    return read_xpath(expression) if expression else None
