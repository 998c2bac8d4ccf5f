"""The file of pages without an article: a JSON line each, with reason and feed entry.

A view of the store, beside the file of articles: it is written anew as a whole, and replaced in one
step. A page that becomes an article later is no longer in it.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from forest_crawler.errors import StoreError
from forest_crawler.store.store import Store

USUAL_ARTICLES = "articles.jsonl"
USUAL_NAME = "skipped.jsonl"

_log = logging.getLogger(__name__)


def skipped_path(articles: str | Path) -> Path:
    """Return the path of the file that belongs to a file of articles.

    >>> skipped_path("news/articles.jsonl").name, skipped_path("news/2026.jsonl").name
    ('skipped.jsonl', '2026.skipped.jsonl')
    """
    path = Path(articles)
    is_usual = path.name == USUAL_ARTICLES
    return path.with_name(USUAL_NAME if is_usual else f"{path.stem}.skipped.jsonl")


def write_skipped(store: Store, path: Path) -> int:
    """Write the pages that were skipped or failed; return how many.

    Leaves a file alone that somebody else wrote. Without such pages, there is no new file. Raises
    `StoreError` if the disk is full or broken.
    """
    if path.exists() and not _is_ours(path):
        _log.warning("%s: not written, because it isn't a file of skipped pages", path)
        return 0
    number = 0
    draft = path.with_name(f"{path.name}.new")
    try:
        with draft.open("w", encoding="ascii") as stream:
            for row in skipped_rows(store):
                stream.write(json.dumps(row, ensure_ascii=True) + "\n")
                number += 1
            stream.flush()
            os.fdatasync(stream.fileno())
        if number or path.exists():
            draft.replace(path)
        else:
            draft.unlink()
    except OSError as err:
        raise StoreError.unwritable(err, str(path)) from err
    return number


def skipped_rows(store: Store) -> Iterator[Mapping[str, Any]]:
    """Yield the pages that were skipped or failed, by site."""
    for page in store.closed_without_article():
        entry = {k: v for k, v in (page.entry or {}).items() if k != "content"}
        yield {
            "url": page.url,
            "site": page.site,
            "outcome": page.state,
            "reason": page.reason,
            "feed_url": page.feed_url,
            "guid": page.guid,
            "entry": entry or None,
        }


def _is_ours(path: Path) -> bool:
    with path.open("rb") as stream:
        first = stream.readline(2**20)
    if not first:
        return True
    try:
        row = json.loads(first)
    except ValueError:
        return False
    return isinstance(row, dict) and {"url", "outcome", "reason"} <= row.keys()
