"""A page and its site's wrappers → `Extraction`: which nodes are the article, and who says so.

Between induction and whatever is made of an article; every page of a site passes here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from forest_crawler.selection import Selection
from forest_crawler.tree import PageTree
from forest_crawler.wrapper import Wrapper

BY_WRAPPER = "wrapper"
"""The extractor's name where a wrapper matched; elsewhere a page-level method's own."""


@dataclass(frozen=True, slots=True, eq=False)
class Extraction:
    """What was found on a page; an empty selection and no names where nothing was."""

    selection: Selection
    extractor: str | None = None
    wrapper: Wrapper | None = None

    @property
    def xpath(self) -> str | None:
        """The wrapper's expressions as one XPath."""
        return " | ".join(self.wrapper.body) if self.wrapper else None


def extract(tree: PageTree, wrappers: Iterable[Wrapper]) -> Extraction:
    """Apply a site's wrappers in their order; the first that selects anything has found it.

    >>> from forest_crawler.tree import parse_page
    >>> wrapper = Wrapper("harbour.example", "by hand", "portable", ("//div[@id='story']",))
    >>> found = extract(parse_page("<p>Menu<div id=story>Ferry returns</div>"), [wrapper])
    >>> found.selection.text, found.extractor, found.xpath
    ('Ferry returns', 'wrapper', "//div[@id='story']")
    """
    for wrapper in wrappers:
        if selection := wrapper.select(tree):
            return Extraction(selection, BY_WRAPPER, wrapper)
    return Extraction(Selection(tree))
