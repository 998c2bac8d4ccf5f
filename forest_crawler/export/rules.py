"""`SiteRules`: what is exported for a site, and `Export`: the result.

Every format is one module with a writer; what a format cannot express is reported in `notes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from forest_crawler.errors import WrapperError
from forest_crawler.export.checked_page import CheckedPage
from forest_crawler.export.choice import Choice, Target, choose_form, judge_share
from forest_crawler.export.css_rules import swap_quotes
from forest_crawler.wrapper.locators import Locator, read_xpath, write_css
from forest_crawler.wrapper.wrapper import Wrapper

MAX_TEST_LENGTH = 80
"""Characters of the text that a rule must find on a test page."""


@dataclass(frozen=True, slots=True)
class PageSample:
    """A real page of a site: its URL, and a piece of its article's text."""

    url: str
    contains: str | None = None


@dataclass(frozen=True, slots=True)
class SiteRules:
    """A site's wrappers in order, its feeds, and pages to try the wrappers on."""

    site: str
    wrappers: tuple[Wrapper, ...]
    feeds: tuple[str, ...] = ()
    samples: tuple[PageSample, ...] = ()
    title: str | None = None
    pages: tuple[CheckedPage, ...] = ()  # by which the form of the rules is chosen and checked
    home: str | None = None  # the site's home page

    @property
    def portable(self) -> tuple[Wrapper, ...]:
        """The wrappers that other tools can run."""
        return tuple(wrapper for wrapper in self.wrappers if wrapper.form == "portable")


@dataclass(frozen=True, slots=True)
class SiteCheck:
    """How much of a site's articles the program will show by the exported rules."""

    site: str
    share: float | None  # F1 of the words, the mean over the pages; `None` without pages
    pages: int
    verdict: str  # whole, partly, not, or unchecked


@dataclass(frozen=True, slots=True)
class Export:
    """Files by name, or one document named ""; and notes on what they cannot express."""

    files: dict[str, str]
    notes: tuple[str, ...] = ()
    checks: tuple[SiteCheck, ...] = ()


Written = TypeVar("Written")
Exporter: TypeAlias = Callable[[Sequence[SiteRules]], Export]


@dataclass(slots=True)
class Notes:
    """Collects messages about what a format cannot express, each once."""

    format: str
    messages: dict[str, None] = field(default_factory=dict)
    checks: list[SiteCheck] = field(default_factory=list)

    def add(self, site: str, what: str) -> None:
        """Add a message about a site."""
        self.messages[f"{site}: {what}"] = None

    def choose(self, target: Target[Written], rules: SiteRules) -> Choice[Written] | None:
        """Choose a site's rules for a program, and record the check; `None` if there are none."""
        self.skip_dfs(rules)
        if any(it.rewrite for it in rules.portable):
            self.add(rules.site, "changes of the page's source left out: they are done here only")
        choice = choose_form(target, rules.portable, rules.pages) if rules.portable else None
        if choice is None:
            if rules.portable:
                self.add(rules.site, f"{self.format} cannot express its attribute values; left out")
            self.checks.append(SiteCheck(rules.site, 0.0, len(rules.pages), judge_share(0.0)))
            return None
        self.checks.append(SiteCheck(rules.site, choice.share, choice.pages, choice.verdict))
        if choice.share is None and len(rules.portable) > 1:
            left = len(rules.portable) - 1
            what = f"{self.format} takes one wrapper per site; {left} for other templates left out"
            self.add(rules.site, what)
        return choice

    def skip_dfs(self, rules: SiteRules) -> None:
        """Note wrappers in forms that are only for this program."""
        for form in dict.fromkeys(it.form for it in rules.wrappers if it not in rules.portable):
            self.add(
                rules.site, f"wrappers in {form} form left out: they run in forest-crawler only"
            )

    def skip_fields(self, rules: SiteRules, wrapper: Wrapper, *names: str) -> None:
        """Note the fields that a wrapper locates but the format doesn't support."""
        located = [name for name in names if getattr(wrapper, name)]
        if located:
            self.add(rules.site, f"{self.format} has no rule for {', '.join(located)}")

    def need_feeds(self, rules: SiteRules) -> None:
        """Note that a format needs a feed if none is known."""
        if not rules.feeds:
            self.add(rules.site, f"{self.format} needs a feed's URL, but none is known; left out")


def piece_of(text: str) -> str | None:
    """Return a piece of an article's longest line, which hardly occurs on other pages.

    >>> piece_of("Rain\\n- It rained all day.")
    'It rained all day.'
    """
    longest = max(text.split("\n"), key=len, default="").removeprefix("- ").strip()
    if len(longest) > MAX_TEST_LENGTH:
        longest = longest[:MAX_TEST_LENGTH].rpartition(" ")[0]
    return longest or None


def read_locators(expressions: Sequence[str], site: str) -> list[Locator]:
    """Read a wrapper's expressions; raises `WrapperError` with the site."""
    try:
        return [read_xpath(expression) for expression in expressions]
    except WrapperError as err:
        raise WrapperError(f"{site}: {err}") from err


def css_list(expressions: Sequence[str], site: str, quote: str = '"') -> str:
    """Write a wrapper's expressions as one CSS selector."""
    selectors = [write_css(locator) for locator in read_locators(expressions, site)]
    return ", ".join(swap_quotes(it) if quote == "'" else it for it in selectors)
