"""Where other tools find a date: in the `datetime` of a `time` element, or in its text."""

from __future__ import annotations

from forest_crawler.errors import WrapperError
from forest_crawler.wrapper.locators import read_xpath

ATTRIBUTE = "/@datetime"


def date_paths(expression: str) -> list[str]:
    """Return the paths of a date, the exact one first.

    >>> date_paths("//time[@itemprop='datePublished']")
    ["//time[@itemprop='datePublished']/@datetime", "//time[@itemprop='datePublished']"]
    >>> date_paths("//p[@id='date']")
    ["//p[@id='date']"]
    """
    try:
        locator = read_xpath(expression)
    except WrapperError:  # written by hand
        return [expression]
    is_time = bool(locator) and locator[-1].tag == "time"
    return [expression + ATTRIBUTE, expression] if is_time else [expression]
