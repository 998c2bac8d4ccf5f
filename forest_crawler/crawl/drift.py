"""Drift: whether a site's wrappers still fit its pages, or the site was made anew.

After every extraction. A page fits when one of the wrappers gave its article; a wrapper that
matches next to nothing does not (`forest_crawler.extraction.extraction`).
"""

from __future__ import annotations

MIN_PAGES = 4
"""Recent pages below which nothing is concluded: one odd page is no redesign."""

MIN_FIT = 0.5
"""Share of recent pages that wrappers must fit. Sites do publish galleries and live tickers
between their articles, so that some misses are no news."""


def has_drifted(fits: int, total: int) -> bool:
    """Whether wrappers that fit so many of a site's recent pages are to be induced again.

    >>> has_drifted(9, 10), has_drifted(4, 10), has_drifted(0, 3)
    (False, True, False)
    """
    return total >= MIN_PAGES and fits < MIN_FIT * total


def is_better(new_fits: int, old_fits: int) -> bool:
    """Whether newly induced wrappers replace those there are: only if they fit more of the pages.

    >>> is_better(9, 4), is_better(4, 4)
    (True, False)
    """
    return new_fits > old_fits


def next_attempt(attempts: int) -> int:
    """How many more pages must miss before induction is tried once more where it did not help.

    Twice as many each time, so that a site which cannot be wrapped costs little.

    >>> [next_attempt(n) for n in range(4)]
    [4, 8, 16, 32]
    """
    return MIN_PAGES << min(attempts, 20)
