"""When a site's sample is complete: it is large enough, or no more will arrive.

Between the store, which holds pages, and induction, which sees them together.
"""

from __future__ import annotations

SAMPLE_SIZE = 10
"""Pages from which wrappers are induced; the paper's measurements level off before that."""

MAX_SAMPLE = 20
"""Pages in a sample after a redesign, which has old and new templates among them."""

MIN_ARTICLES = 5
"""Pages of a sample that must have an article before induction stops waiting for more pages: a
feed may begin with walls and listings."""


def is_complete(held: int, *, is_more_due: bool) -> bool:
    """Report whether the pages held of a site make a sample now.

    >>> is_complete(10, is_more_due=True), is_complete(3, is_more_due=True)
    (True, False)
    >>> is_complete(3, is_more_due=False), is_complete(0, is_more_due=False)
    (True, False)
    """
    return held >= SAMPLE_SIZE or (held > 0 and not is_more_due)


def has_enough_articles(articles: int, *, is_more_due: bool) -> bool:
    """Report whether a sample has enough articles, or could get no more.

    >>> has_enough_articles(2, is_more_due=True), has_enough_articles(2, is_more_due=False)
    (False, True)
    """
    return articles >= MIN_ARTICLES or not is_more_due
