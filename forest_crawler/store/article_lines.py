"""Reads the JSON line of a stored article; one that cannot be read is named."""

from __future__ import annotations

import json
from typing import Any

from forest_crawler.errors import StoreError


def read_article(line: str | bytes, number: int, store: str) -> dict[str, Any]:
    """Read the line of the article with a number in the outbox.

    Raises `StoreError` if somebody has changed it into something else than a JSON object.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as err:
        raise _broken(number, str(err), store) from err
    if not isinstance(row, dict):
        raise _broken(number, "isn't an object", store)
    return row


def _broken(number: int, reason: str, store: str) -> StoreError:
    return StoreError(
        f"the JSON line of article {number} is damaged ({reason}); restore a copy of the store, or "
        f"the row of the table articles with seq = {number}",
        store,
    )
