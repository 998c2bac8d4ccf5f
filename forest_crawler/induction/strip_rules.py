"""`StripRule`: what is cut out of a body, and which locators may say so.

A strip rule applies to every further page of the site, so it must say what it strips. An id, a
class or another attribute does; a bare tag doesn't: `//div[@id='story']//p` or `…//a` strips what
the sample happened to have in such elements, and the words of the next article.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from forest_crawler.induction.scored_page import numberless
from forest_crawler.induction.tally import Tally
from forest_crawler.page.tree import INLINE_TAGS
from forest_crawler.wrapper.element_names import locator_cost
from forest_crawler.wrapper.locators import Locator

SELF_NAMED = frozenset("aside button footer form nav".split())
"""Tags that say themselves that their content is something beside the text."""

BARE_COST = 5.0
"""Cost of a bare tag above that of any name, but for the hash of a build."""

COUNTED_FROM = 3
"""Ids of one page that differ by a number only, and so are a row: `p_39`, `p_40`, `p_41`."""

PRESENTATION = frozenset(
    "align bgcolor border cellpadding cellspacing clear color colspan face height hspace nowrap "
    "rowspan size valign vspace width".split()
)
"""Attributes that say how an element looks, and not what it is."""


@dataclass(frozen=True, slots=True)
class StripRule:
    """Why a locator is stripped: what it takes on the sample, and what that gains."""

    locator: Locator
    pages: int  # that have it
    words: float  # that it takes, on all pages
    other_share: float  # of these words, how many are not content
    gain: float  # in expected F1


def explain_strip(locator: Locator, gain: float, tallies: Sequence[Tally]) -> StripRule:
    """Return a strip rule with what it takes of the sample."""
    changes = [tally.change(locator) for tally in tallies]
    words, hits = sum(words for words, _ in changes), sum(hits for _, hits in changes)
    pages = sum(bool(words) for words, _ in changes)
    return StripRule(locator, pages, words, 1 - hits / words if words else 1.0, gain)


def may_strip(locator: Locator, tallies: Sequence[Tally]) -> bool:
    """Whether a locator says what it strips, and leaves sentences and pictures whole.

    It must not take own text of pictures, quotations or code, nor a picture out of its figure. A
    bare inline tag never says what it strips. Any other bare tag does if all text under it, on all
    pages of the sample, is template; in a tag that names itself, links are as well. A number that
    counts is not a name.
    """
    tag, is_bare = locator[-1].tag, is_unnamed(locator)
    if is_bare and tag in INLINE_TAGS:
        return False
    if any(_takes_kept_part(locator, it) or _takes_picture(locator, it) for it in tallies):
        return False
    if is_bare and not all(_is_template(locator, it) for it in tallies):
        return False
    if _counts(locator, tallies):
        return False
    return tag not in INLINE_TAGS or not any(_cuts_hole(locator, it) for it in tallies)


def strip_cost(locator: Locator) -> float:
    """Rate how unreliable a strip rule is: a bare tag is the last that is tried.

    Of locators that select the same, only the first is looked at, and a bare tag may be refused.
    """
    return locator_cost(locator) + BARE_COST * is_unnamed(locator)


def is_unnamed(locator: Locator) -> bool:
    """Whether a locator ends in a bare tag, or in one that only says how it looks."""
    return all(name in PRESENTATION for name, _ in locator[-1].tests)


def _takes_kept_part(locator: Locator, tally: Tally) -> bool:
    """Whether most of what it takes anywhere is a picture's caption, a quotation or code."""
    if not tally.has_kept_parts:
        return False
    rows = (tally.own_words(start, end) for start, end in tally.page.spans(locator))
    return any(2 * kept > own for own, kept in rows)


def _takes_picture(locator: Locator, tally: Tally) -> bool:
    """Whether it takes a picture out of its figure, and leaves other text there."""
    page, outline = tally.page, tally.page.names.outline
    if not page.pictures:
        return False
    ends, first, last = outline.ends, outline.leaf_starts, outline.leaf_ends
    pictures = page.pictures
    for index in page.elements(locator):
        size = last[index] - first[index]
        inside = slice(bisect_left(pictures, (index,)), bisect_left(pictures, (ends[index],)))
        if any(it < index and last[it] - first[it] > size for _, it in pictures[inside]):
            return True
    return False


def _counts(locator: Locator, tallies: Sequence[Tally]) -> bool:
    """Whether a locator's id is a number of the page: one of a row, or seen on one page only."""
    last = locator[-1]
    for name, value in last.tests:
        if name != "id" or (form := numberless(value)) == value:
            continue
        if sum(bool(tally.change(locator)[0]) for tally in tallies) < min(2, len(tallies)):
            return True
        if any(tally.page.id_forms[last.tag, form] >= COUNTED_FROM for tally in tallies):
            return True
    return False


def _is_template(locator: Locator, tally: Tally) -> bool:
    """Whether all that a locator strips on a page repeats on its siblings.

    A list of links to other pages differs from page to page, but isn't the article's either.
    """
    page = tally.page
    if locator[-1].tag not in SELF_NAMED:
        return not any(tally.own_words(start, end)[0] for start, end in page.spans(locator))
    own = page.words * tally.mask * ~page.repeated * ~page.is_linked
    return not any(own[start:end].any() for start, end in page.spans(locator))


def _cuts_hole(locator: Locator, tally: Tally) -> bool:
    page = tally.page
    return any(page.has_hole(tally.mask, start, end) for start, end in page.spans(locator))
