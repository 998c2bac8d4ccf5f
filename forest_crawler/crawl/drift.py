"""Drift: whether a site's wrappers still fit its pages.

Checked after every extraction. A wrapper fits a page when it gave its article; one that matches
next to nothing doesn't (`forest_crawler.extraction.extraction`).
"""

from __future__ import annotations

MIN_PAGES = 4
"""Recent pages needed for a conclusion: one odd page isn't a redesign."""

MIN_FIT = 0.5
"""Share of recent pages that wrappers must fit. Sites publish galleries and live tickers between
their articles, so some misses are normal."""


def has_drifted(fits: int, total: int) -> bool:
    """Report whether wrappers that fit so few recent pages must be induced again.

    >>> has_drifted(9, 10), has_drifted(4, 10), has_drifted(0, 3)
    (False, True, False)
    """
    return total >= MIN_PAGES and fits < MIN_FIT * total


def is_better(new_fits: int, old_fits: int) -> bool:
    """Report whether new wrappers replace the old ones: only if they fit more pages.

    >>> is_better(9, 4), is_better(4, 4)
    (True, False)
    """
    return new_fits > old_fits


def next_attempt(attempts: int) -> int:
    """Return how many more pages must miss before induction is retried.

    It doubles each time, so that a site without a wrapper costs little.

    >>> [next_attempt(n) for n in range(4)]
    [4, 8, 16, 32]
    """
    return MIN_PAGES << min(attempts, 20)
