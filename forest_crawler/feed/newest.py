"""The newest of many dated things, which are kept of a feed or sitemap."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

MAX_ENTRIES = 2000
"""Max entries kept of a feed, the newest ones: more than any front page has in months."""


def newest_positions(dates: Sequence[datetime | None], limit: int = MAX_ENTRIES) -> list[int]:
    """Find the positions of the `limit` newest dates, in ascending order.

    Where most dates are missing, these are the first positions.

    >>> from forest_crawler.text.dates import parse_date
    >>> newest_positions([parse_date(d) for d in ("2026-01-01", "2026-01-03", "2026-01-02")], 2)
    [1, 2]
    """
    positions = range(len(dates))
    if len(dates) <= limit:
        return list(positions)
    dated = [(date, -position) for position, date in enumerate(dates) if date]
    if len(dated) < len(dates) / 2:
        return list(positions[:limit])
    chosen = {-position for _, position in sorted(dated, reverse=True)[:limit]}
    undated = (position for position in positions if dates[position] is None)
    free = limit - len(chosen)
    chosen.update(position for position, _ in zip(undated, range(free), strict=False))
    return sorted(chosen)
