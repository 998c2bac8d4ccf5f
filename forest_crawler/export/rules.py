"""`SiteRules`: what is exported of a site, and `Export`: what came of it.

Every format is one module with a writer; what a format cannot say goes into `notes`, never away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from forest_crawler.errors import WrapperError
from forest_crawler.wrapper.locators import Locator, read_xpath, write_css
from forest_crawler.wrapper.wrapper import Wrapper


@dataclass(frozen=True, slots=True)
class PageSample:
    """A real page of a site: its address, and a piece of text that its article has."""

    url: str
    contains: str | None = None


@dataclass(frozen=True, slots=True)
class SiteRules:
    """A site's wrappers in their order, its feeds, and pages to try them on."""

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
    """Files by name, or one document named ""; and what could not be said in them."""

    files: dict[str, str]
    notes: tuple[str, ...] = ()


Exporter: TypeAlias = Callable[[Sequence[SiteRules]], Export]


@dataclass(slots=True)
class Notes:
    """Collects what a format cannot say, each once."""

    format: str
    said: dict[str, None] = field(default_factory=dict)

    def add(self, site: str, what: str) -> None:
        """Note something of a site."""
        self.said[f"{site}: {what}"] = None

    def first_wrapper(self, rules: SiteRules) -> Wrapper | None:
        """The wrapper for a format that has room for one; the others are noted."""
        self.skip_dfs(rules)
        if len(rules.portable) > 1:
            left = len(rules.portable) - 1
            what = f"{self.format} has room for one wrapper; {left} for other templates left out"
            self.add(rules.site, what)
        return rules.portable[0] if rules.portable else None

    def skip_dfs(self, rules: SiteRules) -> None:
        """Note the wrappers that only this program can run."""
        if len(rules.portable) < len(rules.wrappers):
            self.add(rules.site, "wrappers in dfs form left out: no other tool can run them")

    def skip_fields(self, rules: SiteRules, wrapper: Wrapper, *names: str) -> None:
        """Note the fields that a wrapper locates and the format has no place for."""
        located = [name for name in names if getattr(wrapper, name)]
        if located:
            self.add(rules.site, f"{self.format} has no place for {', '.join(located)}")

    def need_feeds(self, rules: SiteRules) -> None:
        """Note that a format hangs on feeds, and there are none."""
        if not rules.feeds:
            self.add(
                rules.site, f"{self.format} needs a feed's address, and none is known; left out"
            )


def read_locators(expressions: Sequence[str], site: str) -> list[Locator]:
    """The locators of a wrapper's expressions."""
    try:
        return [read_xpath(expression) for expression in expressions]
    except WrapperError as err:
        raise WrapperError(f"{site}: {err}") from err


def css_list(expressions: Sequence[str], site: str, quote: str = '"') -> str:
    """A wrapper's expressions as one CSS selector."""
    selectors = [write_css(locator) for locator in read_locators(expressions, site)]
    return ", ".join(swap_quotes(it) if quote == "'" else it for it in selectors)


def swap_quotes(css: str) -> str:
    """A selector of ours with single quotes, for places that are in double quotes themselves.

    >>> swap_quotes('div[id="it\\'s"] p')
    "div[id='it\\\\27 s'] p"
    """
    return css.replace("'", "\\27 ").replace('"', "'")
