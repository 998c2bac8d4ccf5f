"""How often a doubtful page has been fetched again, and how long it is put off."""

from __future__ import annotations

from forest_crawler.store.records import MAX_DOUBTS

DOUBT_INTERVAL = 900.0
"""Seconds until a doubtful page is fetched again, doubled each time."""


def doubt_pause(doubts: int) -> float:
    """Return the seconds for which a page is put off that was put off so often before."""
    return DOUBT_INTERVAL * 2.0 ** min(doubts, MAX_DOUBTS)


def count_doubts(doubts: int, late: float) -> int:
    """Count how often a page was put off, and would have been by a crawl that runs all the time.

    `late`: seconds since it was due. With a crawl per day an article in doubt would otherwise be
    archived after five days instead of one, though an outage has eight hours in either case.

    >>> count_doubts(1, 60), count_doubts(1, 1800 + 3600), count_doubts(1, 24 * 3600)
    (1, 3, 6)
    >>> count_doubts(0, 24 * 3600)
    0
    """
    while 0 < doubts < MAX_DOUBTS and late >= doubt_pause(doubts):
        late -= doubt_pause(doubts)
        doubts += 1
    return doubts
