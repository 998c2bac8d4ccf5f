"""`SiteRules`: what is exported for a site, and `Export`: the result.

Every format is one module with a writer; what a format cannot express is reported in `notes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from forest_crawler.errors import WrapperError
from forest_crawler.wrapper.locators import PREFIX_MARK, Locator, read_xpath, write_css
from forest_crawler.wrapper.wrapper import Wrapper


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

    @property
    def portable(self) -> tuple[Wrapper, ...]:
        """The wrappers that other tools can run."""
        return tuple(wrapper for wrapper in self.wrappers if wrapper.form == "portable")


@dataclass(frozen=True, slots=True)
class Export:
    """Files by name, or one document named ""; and notes on what they cannot express."""

    files: dict[str, str]
    notes: tuple[str, ...] = ()


Exporter: TypeAlias = Callable[[Sequence[SiteRules]], Export]


@dataclass(slots=True)
class Notes:
    """Collects messages about what a format cannot express, each once."""

    format: str
    messages: dict[str, None] = field(default_factory=dict)

    def add(self, site: str, what: str) -> None:
        """Add a message about a site."""
        self.messages[f"{site}: {what}"] = None

    def first_wrapper(self, rules: SiteRules) -> Wrapper | None:
        """Return the wrapper for a format that takes one per site; note the others."""
        self.skip_dfs(rules)
        if len(rules.portable) > 1:
            left = len(rules.portable) - 1
            what = f"{self.format} takes one wrapper per site; {left} for other templates left out"
            self.add(rules.site, what)
        return rules.portable[0] if rules.portable else None

    def skip_dfs(self, rules: SiteRules) -> None:
        """Note wrappers in dfs form, which only this program can run."""
        if len(rules.portable) < len(rules.wrappers):
            self.add(rules.site, "wrappers in dfs form left out: no other tool can run them")

    def skip_fields(self, rules: SiteRules, wrapper: Wrapper, *names: str) -> None:
        """Note the fields that a wrapper locates but the format doesn't support."""
        located = [name for name in names if getattr(wrapper, name)]
        if located:
            self.add(rules.site, f"{self.format} has no rule for {', '.join(located)}")

    def need_feeds(self, rules: SiteRules) -> None:
        """Note that a format needs a feed if none is known."""
        if not rules.feeds:
            self.add(rules.site, f"{self.format} needs a feed's URL, but none is known; left out")


def read_locators(expressions: Sequence[str], site: str) -> list[Locator]:
    """Read a wrapper's expressions; raises `WrapperError` with the site."""
    try:
        return [read_xpath(expression) for expression in expressions]
    except WrapperError as err:
        raise WrapperError(f"{site}: {err}") from err


def tests_starts(expressions: Sequence[str], site: str) -> bool:
    """Whether an expression tests how an attribute starts, which not every tool can."""
    return any(
        name.endswith(PREFIX_MARK)
        for locator in read_locators(expressions, site)
        for step in locator
        for name, _ in step.tests
    )


def css_list(expressions: Sequence[str], site: str, quote: str = '"') -> str:
    """Write a wrapper's expressions as one CSS selector."""
    selectors = [write_css(locator) for locator in read_locators(expressions, site)]
    return ", ".join(swap_quotes(it) if quote == "'" else it for it in selectors)


def swap_quotes(css: str) -> str:
    """Rewrite a selector of ours with single quotes, for use inside double quotes.

    >>> swap_quotes('div[id="it\\'s"] p')
    "div[id='it\\\\27 s'] p"
    """
    return css.replace("'", "\\27 ").replace('"', "'")
