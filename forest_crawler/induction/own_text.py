"""Check that pages have text of their own: a paywall isn't an article.

Runs after induction. A paywall notice on every page reads like an article, but what a wrapper
selects must differ between a site's pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

MIN_OWN = 0.2
"""Share of a page's characters that must be exceeded by lines found on no other page. A headline
above a paywall notice has less, an article above a disclaimer more."""


def have_own_text(pages: Sequence[Sequence[str]]) -> list[bool]:
    """Report for each page, given as lines, whether it has enough text of its own.

    >>> wall = "Please subscribe to read all of our articles"
    >>> have_own_text([["Storm", wall], ["Rain", wall], ["A new bridge opens on Monday"]])
    [False, False, True]
    """
    page_counts = Counter(line for page in pages for line in set(page))
    return [_own_length(page, page_counts) > MIN_OWN * sum(map(len, page)) for page in pages]


def _own_length(page: Sequence[str], page_counts: Counter[str]) -> int:
    return sum(len(line) for line in page if page_counts[line] == 1)
