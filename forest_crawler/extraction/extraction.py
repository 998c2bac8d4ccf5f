"""A page and its site's wrappers → `Extraction`: which nodes are the article, and who says so.

Between induction and whatever is made of an article; every page of a site passes here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from forest_crawler.extraction.methods.registry import Extractor, get_extractor
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import PageTree
from forest_crawler.text.terms import tokenize
from forest_crawler.wrapper.wrapper import Wrapper

BY_WRAPPER = "wrapper"
"""The extractor's name where a wrapper fits; elsewhere `page:` and a page-level method's name."""

FALLBACK = "page"
"""The page-level method for pages that no wrapper fits."""

MIN_SHARE = 0.3
"""Of the fewest words that a wrapper selected on a page of its sample: with less it does not fit.

A wrapper that matches next to nothing has met another template, or a redesign. Articles of a site
do differ in length, so the bound is low.
"""

TRUSTED = 0.85
"""Confidence from which a wrapper decides alone: one that fits eight pages or more.

Below it the page's own blocks are heard, too, where `page` is the fallback. A wrapper without any
confidence was not induced by `forest`, and means what it says.
"""


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


def extract(tree: PageTree, wrappers: Iterable[Wrapper], fallback: str | None = None) -> Extraction:
    """Apply a site's wrappers; the page-level method `fallback` helps where none fits, or several.

    Without it, the first wrapper that fits has found the article, or the first that matches at
    all. With `page`, a wrapper that too few pages support is heard together with the page itself.

    >>> from forest_crawler.page.tree import parse_page
    >>> wrapper = Wrapper("harbour.example", "by hand", "portable", ("//div[@id='story']",))
    >>> found = extract(parse_page("<p>Menu<div id=story>Ferry returns</div>"), [wrapper])
    >>> found.selection.text, found.extractor, found.xpath
    ('Ferry returns', 'wrapper', "//div[@id='story']")
    """
    matching = [(wrapper, found) for wrapper in wrappers if (found := wrapper.select(tree))]
    fitting = [pair for pair in matching if _fits(*pair)]
    if fallback is None:
        chosen = next(iter(fitting or matching), None)
        return _by_wrapper(*chosen) if chosen else Extraction(Selection(tree))
    if len(fitting) == 1:
        return _settle(*fitting[0], fallback)
    opinion = _extract_page(tree, fallback)
    if not fitting:
        return Extraction(opinion, f"page:{fallback}") if opinion else Extraction(Selection(tree))
    # Ties go to the wrapper with more support: `max` keeps the first of equals.
    return _settle(*max(fitting, key=lambda pair: _likeness(pair[1], opinion)), fallback)


def _settle(wrapper: Wrapper, selection: Selection, fallback: str) -> Extraction:
    """What the wrapper says, or what it and the page say together."""
    if fallback != FALLBACK or not 0 < wrapper.confidence < TRUSTED:
        return _by_wrapper(wrapper, selection)
    from forest_crawler.extraction.page_veto import (
        veto_blocks,  # the page model, where it is needed
    )

    return _by_wrapper(wrapper, veto_blocks(selection) or selection)


def _by_wrapper(wrapper: Wrapper, selection: Selection) -> Extraction:
    return Extraction(selection, BY_WRAPPER, wrapper)


def _fits(wrapper: Wrapper, selection: Selection) -> bool:
    if wrapper.words == 0:
        return True
    return _has_words(selection, MIN_SHARE * wrapper.words)


def _has_words(selection: Selection, least: float) -> bool:
    """Whether a selection has so many words; reads no more of it than it takes to tell."""
    count = 0
    for line in selection.lines():
        count += len(tokenize(line))
        if count >= least:
            return True
    return count >= least


def _extract_page(tree: PageTree, name: str) -> Selection:
    extractor = get_extractor(name)
    if not isinstance(extractor, Extractor):
        raise TypeError(f"{name!r} needs a feed entry, so it cannot stand in for a wrapper")
    return extractor.extract(tree)


def _likeness(selection: Selection, other: Selection) -> float:
    """How far two selections have the same text: F1 of their sets of words."""
    words, others = set(tokenize(selection.text)), set(tokenize(other.text))
    size = len(words) + len(others)
    return 2 * len(words & others) / size if size else 1.0
