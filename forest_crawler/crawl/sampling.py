"""When a site's sample is complete: enough sibling pages are held, or no more will come.

Between the store, which holds pages, and induction, which sees them together.
"""

from __future__ import annotations

SAMPLE_SIZE = 10
"""Pages from which wrappers are induced; the paper's measurements level off before."""

MAX_SAMPLE = 20
"""Pages that induction is given after a redesign: old and new templates are among them."""

MIN_ARTICLES = 5
"""Of a sample, how many pages must hold an article before the rest of the site is waited for no
longer: a feed may begin with walls and listings."""


def is_complete(held: int, *, is_more_due: bool) -> bool:
    """Whether the pages held of a site are to be looked at together now.

    >>> is_complete(10, is_more_due=True), is_complete(3, is_more_due=True)
    (True, False)
    >>> is_complete(3, is_more_due=False), is_complete(0, is_more_due=False)
    (True, False)
    """
    return held >= SAMPLE_SIZE or (held > 0 and not is_more_due)


def is_telling(articles: int, *, is_more_due: bool) -> bool:
    """Whether so many articles of a sample do, or more pages should be waited for.

    >>> is_telling(2, is_more_due=True), is_telling(2, is_more_due=False)
    (False, True)
    """
    return articles >= MIN_ARTICLES or not is_more_due
