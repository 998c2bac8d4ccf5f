"""Write locators as CSS for programs that read only a part of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from forest_crawler.wrapper.locators import Locator, Step, write_css

# Characters that end a value for readers without escapes, or that they trim.
_UNREADABLE = re.compile(r"[\"'\\\]\[,\x00-\x1f\x7f]|^\s|\s$")
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)


def write_list(locators: Sequence[Locator]) -> str:
    """Write locators as one selector."""
    return ", ".join(map(write_css, locators))


def write_outermost(locators: Sequence[Locator]) -> str:
    """Write locators as one selector that leaves out elements inside other matches.

    >>> from forest_crawler.wrapper.locators import read_xpath
    >>> write_outermost([read_xpath("//main"), read_xpath("//p[@id='a']")])
    'main:not(main *, p[id="a"] *), p[id="a"]:not(main *, p[id="a"] *)'
    """
    inside = ", ".join(f"{write_css(it)} *" for it in locators)
    return ", ".join(f"{write_css(it)}:not({inside})" for it in locators)


def write_simple_list(locators: Sequence[Locator]) -> str | None:
    """Write locators for readers without escapes; `None` if a value needs one.

    A step's classes come before its other tests, the order that such readers expect.
    """
    if any(not _is_readable(step) for locator in locators for step in locator):
        return None
    return write_list([tuple(map(_classes_first, locator)) for locator in locators])


def swap_quotes(css: str) -> str:
    """Rewrite a selector of ours with single quotes, for use inside double quotes.

    >>> swap_quotes('div[id="it\\'s"] p')
    "div[id='it\\\\27 s'] p"
    """
    return css.replace("'", "\\27 ").replace('"', "'")


def _is_readable(step: Step) -> bool:
    return all(value and not _UNREADABLE.search(value) for _, value in step.tests)


def _classes_first(step: Step) -> Step:
    def is_class(test: tuple[str, str]) -> bool:
        return test[0] == "class" and bool(_PLAIN_NAME.fullmatch(test[1]))

    ordered = sorted(step.tests, key=lambda test: not is_class(test))
    return Step(step.axis, step.tag, tuple(ordered))
