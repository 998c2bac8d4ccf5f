"""The day that an article counts for, in exports, feeds and a crawl's scope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DATED_BY = ("date_publish", "date_modify", "date_download")
"""The fields that date an article, the best first. Many Atom feeds state only when an entry was
changed, which is at most a correction after its publication; the download may be years after it."""


def find_date(row: Mapping[str, Any]) -> str:
    """Return when an article was published, or else changed, or else fetched; "" if unknown.

    >>> find_date({"date_modify": "2026-03-06T10:00:00Z", "date_download": "2026-04-01T10:00:00Z"})
    '2026-03-06T10:00:00Z'
    """
    return next((str(row[name]) for name in DATED_BY if row.get(name)), "")
