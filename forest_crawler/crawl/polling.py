"""When a source is polled again, by how often it changes and fails.

Pure functions: the caller has the clock. `SourcePolls` applies them, the store keeps the result.
"""

from __future__ import annotations

FIRST_INTERVAL = 3600.0
"""Seconds until the second poll of a feed, while nothing is known of how often it changes."""

MIN_INTERVAL = 900.0
"""Seconds; no feed is polled more often, whatever interval it states."""

MAX_INTERVAL = 86400.0
"""Seconds; a feed that has not changed for months may change today."""

MAX_BACKOFF = 7 * 86400.0
"""Seconds between attempts at a source that has failed for long; it is never dropped."""

MIN_EVERY, MAX_EVERY = 60.0, MAX_BACKOFF
"""Seconds between polls that an operator may ask for, instead of the adapted interval."""

_FASTER = 0.5
_SLOWER = 1.5
_MAX_DOUBLINGS = 20


def adapt_interval(interval: float, *, new_entries: int, requested: float | None = None) -> float:
    """Return the seconds until the next poll of a feed that was read.

    Half as long after new entries, half as long again without; never shorter than the feed
    requests (`ttl`, `sy:updatePeriod`), within the bounds.

    >>> adapt_interval(3600, new_entries=3), adapt_interval(3600, new_entries=0)
    (1800.0, 5400.0)
    >>> adapt_interval(3600, new_entries=3, requested=7200)
    7200.0
    """
    wanted = interval * (_FASTER if new_entries else _SLOWER)
    return float(min(max(wanted, requested or 0.0, MIN_INTERVAL), MAX_INTERVAL))


def fix_interval(every: float, *, requested: float | None = None) -> float:
    """Return the seconds until the next poll where an operator has set the interval.

    Never shorter than the feed requests, as that is its owner's wish.

    >>> fix_interval(300), fix_interval(300, requested=1800), fix_interval(300, requested=1e9)
    (300, 1800, 86400.0)
    """
    return max(every, min(requested or 0.0, MAX_INTERVAL))


def back_off(interval: float, failures: int) -> float:
    """Return the seconds until a retry after so many failures in a row.

    >>> back_off(3600, 1), back_off(3600, 3), back_off(3600, 50) == MAX_BACKOFF
    (3600.0, 14400.0, True)
    """
    doublings = min(max(failures - 1, 0), _MAX_DOUBLINGS)
    return min(max(interval, MIN_INTERVAL) * 2.0**doublings, MAX_BACKOFF)


def is_due(next_poll: float | None, now: float) -> bool:
    """Report whether a source is to be polled now.

    A time further away than any that is ever set was written by a clock that ran ahead.

    >>> is_due(None, 0.0), is_due(50.0, 10.0), is_due(1e12, 10.0)
    (True, False, True)
    """
    return next_poll is None or next_poll <= now or next_poll > now + MAX_BACKOFF
