"""How often a doubtful page has been fetched again, and how long it is put off."""

from __future__ import annotations

from forest_crawler.store.records import MAX_DOUBTS

DOUBT_INTERVAL = 900.0
"""Seconds until a doubtful page is fetched again, doubled each time."""

SETTLED_BY_TIME = frozenset({"teaser"})
"""Why a page is put off that a later run may settle though it saw the page only once or twice: most
sites that show a short text above a wall do so for good. A notice passes, be it after a day."""


def doubt_pause(doubts: int) -> float:
    """Return the seconds for which a page is put off that was put off so often before."""
    return DOUBT_INTERVAL * 2.0 ** min(doubts, MAX_DOUBTS)


def count_doubts(doubts: int, late: float, reason: str | None) -> int:
    """Count how often a page was put off, and would have been by a crawl that runs all the time.

    `late`: seconds since it was due, `reason`: why it was put off. With a crawl per day, a short
    article above a wall would otherwise come after five days, not after one. Only time counts up to
    `MAX_DOUBTS`, so that `is_settled` knows.

    >>> count_doubts(1, 60, "teaser"), count_doubts(1, 1800 + 3600, "teaser")
    (1, 3)
    >>> count_doubts(1, 24 * 3600, "teaser"), count_doubts(1, 24 * 3600, "other-title")
    (6, 1)
    """
    if reason not in SETTLED_BY_TIME:
        return doubts
    counted = doubts
    while 0 < counted < MAX_DOUBTS and late >= doubt_pause(counted):
        late -= doubt_pause(counted)
        counted += 1
    return MAX_DOUBTS if doubts < counted == MAX_DOUBTS - 1 else counted


def is_settled(doubts: int, reason: str) -> bool:
    """Whether a page was put off often enough, for whatever it is in doubt now.

    Time alone settles that it is a teaser, not a notice that it has instead today.

    >>> is_settled(4, "teaser"), is_settled(5, "repeated-text")
    (False, True)
    >>> is_settled(MAX_DOUBTS, "teaser"), is_settled(MAX_DOUBTS, "repeated-text")
    (True, False)
    """
    if doubts >= MAX_DOUBTS:
        return reason in SETTLED_BY_TIME
    return doubts + 1 >= MAX_DOUBTS
