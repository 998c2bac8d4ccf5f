"""`StripRule`: what is cut out of a body, and which locators may say so.

A strip rule applies to every further page of the site, so it must say what it strips. An id, a
class or another attribute does; a bare tag doesn't: `//div[@id='story']//p` or `…//a` strips what
the sample happened to have in such elements, and the words of the next article.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forest_crawler.induction.tally import Tally
from forest_crawler.page.tree import INLINE_TAGS
from forest_crawler.wrapper.locators import Locator

SELF_NAMED = frozenset("aside button footer form nav".split())
"""Tags that say themselves that their content is something beside the text."""

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

    It must not take own text of pictures, quotations or code. A bare inline tag never says what it
    strips. Any other bare tag does if all text under it, on all pages of the sample, is template.
    """
    if any(_takes_kept_part(locator, it) for it in tallies):
        return False
    tag = locator[-1].tag
    is_bare = all(name in PRESENTATION for name, _ in locator[-1].tests)
    if is_bare and tag in INLINE_TAGS:
        return False
    if is_bare and tag not in SELF_NAMED and not all(_is_template(locator, it) for it in tallies):
        return False
    return tag not in INLINE_TAGS or not any(_cuts_hole(locator, it) for it in tallies)


def _takes_kept_part(locator: Locator, tally: Tally) -> bool:
    """Whether most of what it takes anywhere is a picture's caption, a quotation or code."""
    rows = (tally.own_words(start, end) for start, end in tally.page.spans(locator))
    return any(2 * kept > own for own, kept in rows)


def _is_template(locator: Locator, tally: Tally) -> bool:
    """Whether all that a locator strips on a page repeats on its siblings."""
    return not any(tally.own_words(start, end)[0] for start, end in tally.page.spans(locator))


def _cuts_hole(locator: Locator, tally: Tally) -> bool:
    page = tally.page
    return any(page.has_hole(tally.mask, start, end) for start, end in page.spans(locator))
