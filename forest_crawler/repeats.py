"""Pages of a sample that say nothing of their own: a paywall on each of them reads like an article.

Nothing on one page tells; its siblings do. Before induction, which would take the wall for what the
site publishes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

LEAST_OWN = 0.2
"""Of a page's words, how many must stand on no other page: a headline above a wall is less, an
article above a disclaimer is more."""


def have_own_text(pages: Sequence[Sequence[str]]) -> list[bool]:
    """Whether each page, given as the texts of its blocks, says enough that no other one says.

    >>> wall = "Please subscribe to read all of our articles"
    >>> have_own_text([["Storm", wall], ["Rain", wall], ["A new bridge opens on Monday"]])
    [False, False, True]
    """
    bearers = Counter(text for page in pages for text in set(page))
    return [_own_words(page, bearers) > LEAST_OWN * _words(page) for page in pages]


def _own_words(page: Sequence[str], bearers: Counter[str]) -> int:
    return _words([text for text in page if bearers[text] == 1])


def _words(texts: Sequence[str]) -> int:
    return sum(len(text.split()) for text in texts)
