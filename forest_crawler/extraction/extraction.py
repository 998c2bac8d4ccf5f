"""Apply a site's wrappers to a page: `Extraction` has the article's nodes.

Every page of a site passes here, between induction and `article`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias
from zlib import crc32

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

TRUSTED = 0.85
"""Trust from which a wrapper decides alone: nine pages at a confidence of 0.95.

Below it, if `page` is the fallback, the page model checks every page and may veto blocks. A wrapper
with confidence 0 was not induced by `forest`, and decides alone too.
"""

CHECKED_SHARE = 8
"""One in so many pages of a trusted wrapper is checked, chosen by its URL: about as much time goes
into that as into reading the pages a tenth slower."""

_Pair: TypeAlias = tuple[Wrapper, Selection]


@dataclass(frozen=True, slots=True, eq=False)
class Extraction:
    """The article's nodes and what selected them; all empty if there is no article."""

    selection: Selection
    extractor: str | None = None
    wrapper: Wrapper | None = None  # the one that was applied, even if the page model was better
    agreement: float | None = None  # F1 of the words that wrapper and page model select, if checked
    quality: float | None = None  # the F1 to expect, 0 to 1; `None` if unknown
    eaten_by: tuple[str, ...] = ()  # strip rules that were not applied: they would take content

    @property
    def is_misfit(self) -> bool:
        """Whether a wrapper matched, but the page model's choice is better."""
        return self.wrapper is not None and self.extractor != BY_WRAPPER

    @property
    def used(self) -> Wrapper | None:
        """The wrapper that selected the nodes; its field locators help even if it did not."""
        return None if self.is_misfit else self.wrapper

    @property
    def xpath(self) -> str | None:
        """The body expressions that selected the nodes, as one XPath."""
        return " | ".join(self.used.body) if self.used else None


def extract(
    tree: PageTree,
    wrappers: Iterable[Wrapper],
    fallback: str | None = None,
    *,
    always_check: bool = False,
) -> Extraction:
    """Apply a site's wrappers; `fallback` is used if none fits, or to break ties.

    Without a fallback, the first wrapper that fits is used, or else the first that matches at all.
    With the fallback `page`, the page model checks what the wrapper selects: on all pages of a
    wrapper of few pages or with `always_check`, else on a share of them.

    >>> from forest_crawler.page.tree import parse_page
    >>> wrapper = Wrapper("harbour.example", "by hand", "portable", ("//div[@id='story']",))
    >>> found = extract(parse_page("<p>Menu<div id=story>Ferry returns</div>"), [wrapper])
    >>> found.selection.text, found.extractor, found.xpath
    ('Ferry returns', 'wrapper', "//div[@id='story']")
    """
    selections = ((wrapper, wrapper.select(tree)) for wrapper in wrappers)
    matching = ((wrapper, found) for wrapper, found in selections if found)
    if fallback is None:
        chosen = _first_fitting(matching)
        return _by_wrapper(*chosen) if chosen else Extraction(Selection(tree))
    fitting = [pair for pair in matching if _fits(*pair)]
    if len(fitting) == 1:
        return _check_by_page(*fitting[0], fallback, always_check)
    by_page = _extract_page(tree, fallback)
    if not fitting:
        return _by_page(by_page, fallback) if by_page else Extraction(Selection(tree))
    # Ties go to the wrapper with more support: `max` keeps the first of equals.
    best = max(fitting, key=lambda pair: _similarity(pair[1], by_page))
    return _check_by_page(*best, fallback, always_check)


def _first_fitting(matching: Iterator[_Pair]) -> _Pair | None:
    """Return the first that fits, or else the first; a single one is not checked at all."""
    first, second = next(matching, None), next(matching, None)
    if first is None or second is None:
        return first
    return next((pair for pair in chain((first, second), matching) if _fits(*pair)), first)


def _check_by_page(
    wrapper: Wrapper, selection: Selection, fallback: str, always: bool
) -> Extraction:
    """Let the page model check a wrapper's selection, if a check is due."""
    is_due = always or wrapper.trust < TRUSTED or _is_sampled(selection.tree.url)
    if fallback != FALLBACK or not wrapper.confidence or not is_due:
        return _by_wrapper(wrapper, selection)
    from forest_crawler.extraction.page_check import check_selection  # loads the page model

    found = check_selection(wrapper, selection, may_veto=wrapper.trust < TRUSTED)
    extractor = f"page:{FALLBACK}" if found.is_misfit else BY_WRAPPER
    return Extraction(
        found.selection, extractor, wrapper, found.agreement, found.quality, found.eaten_by
    )


def _by_wrapper(wrapper: Wrapper, selection: Selection) -> Extraction:
    return Extraction(selection, BY_WRAPPER, wrapper, quality=wrapper.confidence or None)


def _by_page(selection: Selection, method: str) -> Extraction:
    if method != FALLBACK:
        return Extraction(selection, f"page:{method}")
    from forest_crawler.extraction.page_check import estimate_quality  # as above

    return Extraction(selection, f"page:{method}", quality=estimate_quality(selection.tree))


def _is_sampled(url: str | None) -> bool:
    return url is not None and crc32(url.encode()) % CHECKED_SHARE == 0


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
