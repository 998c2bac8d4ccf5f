"""Apply a site's wrappers to a page: `Extraction` has the article's nodes.

Every page of a site passes here, between induction and `article`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from forest_crawler.errors import InputError
from forest_crawler.extraction.methods.registry import Extractor, get_extractor
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import PageTree
from forest_crawler.text.terms import tokenize
from forest_crawler.wrapper.wrapper import Wrapper

BY_WRAPPER = "wrapper"
"""The extractor's name if a wrapper fits; otherwise it is `page:` and the fallback's name."""

FALLBACK = "page"
"""The default page-level method for pages that no wrapper fits."""

MIN_SHARE = 0.3
"""A wrapper fits if it selects this share of the words that it selects on its shortest sample page.

A wrapper that selects next to nothing has met another template, or a redesign. The articles of a
site differ in length, so the bound is low.
"""

TRUSTED_CONFIDENCE = 0.85
"""Confidence from which a wrapper decides alone: that of one that fits eight pages or more.

Below it, if `page` is the fallback, the page model may veto blocks. A wrapper with confidence 0 was
not induced by `forest`, and decides alone too.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Extraction:
    """The article's nodes and what selected them; all empty if there is no article."""

    selection: Selection
    extractor: str | None = None
    wrapper: Wrapper | None = None

    @property
    def xpath(self) -> str | None:
        """The wrapper's body expressions as one XPath."""
        return " | ".join(self.wrapper.body) if self.wrapper else None


def extract(tree: PageTree, wrappers: Iterable[Wrapper], fallback: str | None = None) -> Extraction:
    """Apply a site's wrappers; `fallback` is used if none fits, or to break ties.

    Without a fallback, the first wrapper that fits is used, or else the first that matches at all.
    With the fallback `page`, the page model may veto blocks that a wrapper of few pages selects.

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
        return _check_by_page(*fitting[0], fallback)
    by_page = _extract_page(tree, fallback)
    if not fitting:
        return Extraction(by_page, f"page:{fallback}") if by_page else Extraction(Selection(tree))
    # Ties go to the wrapper with more support: `max` keeps the first of equals.
    best = max(fitting, key=lambda pair: _similarity(pair[1], by_page))
    return _check_by_page(*best, fallback)


def _check_by_page(wrapper: Wrapper, selection: Selection, fallback: str) -> Extraction:
    """Let the page model veto blocks, unless the wrapper is trusted."""
    if fallback != FALLBACK or not 0 < wrapper.confidence < TRUSTED_CONFIDENCE:
        return _by_wrapper(wrapper, selection)
    from forest_crawler.extraction.page_veto import veto_blocks  # deferred: loads the page model

    return _by_wrapper(wrapper, veto_blocks(selection) or selection)


def _by_wrapper(wrapper: Wrapper, selection: Selection) -> Extraction:
    return Extraction(selection, BY_WRAPPER, wrapper)


def _fits(wrapper: Wrapper, selection: Selection) -> bool:
    if wrapper.words == 0:
        return True
    return _has_words(selection, MIN_SHARE * wrapper.words)


def _has_words(selection: Selection, min_words: float) -> bool:
    """Return whether a selection has that many words; stop reading once it has."""
    count = 0
    for line in selection.lines():
        count += len(tokenize(line))
        if count >= min_words:
            return True
    return count >= min_words


def get_fallback(name: str) -> Extractor:
    """Return the page-level method of that name.

    Raises `UnknownNameError` for an unknown one, `InputError` for one that needs a feed entry.
    """
    extractor = get_extractor(name)
    if not isinstance(extractor, Extractor):
        raise InputError("needs a feed entry, so it cannot be a fallback", name)
    return extractor


def _extract_page(tree: PageTree, name: str) -> Selection:
    return get_fallback(name).extract(tree)


def _similarity(selection: Selection, other: Selection) -> float:
    """Return the F1 of two selections' sets of words."""
    words, others = set(tokenize(selection.text)), set(tokenize(other.text))
    size = len(words) + len(others)
    return 2 * len(words & others) / size if size else 1.0
