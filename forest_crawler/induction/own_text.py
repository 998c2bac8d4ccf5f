"""Text that siblings share: a paywall on every page reads like an article, and only they tell.

After induction. What a wrapper selects on a site's pages must differ from page to page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

MIN_OWN = 0.2
"""Of a page's characters, how many must be in lines that stand on no other page: a headline above a
wall is less, an article above a disclaimer is more."""


def have_own_text(pages: Sequence[Sequence[str]]) -> list[bool]:
    """Whether each page, given as the lines of its text, says enough that no other one says.

    >>> wall = "Please subscribe to read all of our articles"
    >>> have_own_text([["Storm", wall], ["Rain", wall], ["A new bridge opens on Monday"]])
    [False, False, True]
    """
    bearers = Counter(line for page in pages for line in set(page))
    return [_own_length(page, bearers) > MIN_OWN * sum(map(len, page)) for page in pages]


def _own_length(page: Sequence[str], bearers: Counter[str]) -> int:
    return sum(len(line) for line in page if bearers[line] == 1)
