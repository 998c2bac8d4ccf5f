"""Wrappers that people write, from any XPath that a locator can express."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forest_crawler.export.portable_xpath import to_portable
from forest_crawler.wrapper.wrapper import Wrapper

BY_HAND = "by hand"
"""The method's name in wrappers that a person wrote."""


def wrapper_by_hand(
    site: str,
    body: Sequence[str],
    strip: Sequence[str] = (),
    fields: Mapping[str, str | None] | None = None,
) -> Wrapper:
    """Make a wrapper of XPaths; raises `WrapperError` for what no locator can express.

    >>> wrapper_by_hand("harbour.example", ["//div[@class='story']"]).body
    ("//div[contains(concat(' ',normalize-space(@class),' '),' story ')]",)
    """

    def portable(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(path for text in texts for path in to_portable(text))

    given = fields or {}
    located = {name: None if it is None else to_portable(it)[0] for name, it in given.items()}
    return Wrapper(
        site=site,
        method=BY_HAND,
        form="portable",
        body=portable(body),
        strip=portable(strip),
        title=located.get("title"),
        author=located.get("author"),
        date=located.get("date"),
    )
