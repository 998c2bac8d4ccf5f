"""`ListReload`: reads the feed lists of a running crawl again and changes what it polls."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from forest_crawler.crawl.source_polls import ListChange, SourcePolls
from forest_crawler.errors import InputError
from forest_crawler.feed.feed_list import FeedList, read_feed_list
from forest_crawler.text.counts import count

MAX_NAMED = 20
"""Sources and unusable entries that are logged one by one; the rest is counted."""

_log = logging.getLogger(__name__)


class ListReload:
    """Reads lists again, one time after the other; a broken list changes nothing."""

    def __init__(self, names: Sequence[str], polls: SourcePolls) -> None:
        self._names, self._polls = names, polls
        self._lock = asyncio.Lock()

    async def run(self) -> ListChange | None:
        """Read the lists, poll what is new, and log what has changed."""
        async with self._lock:
            if "-" in self._names:
                _log.error("standard input cannot be read again; the list stays as it is")
                return None
            try:
                found = await asyncio.to_thread(read_feed_list, self._names)
            except InputError as err:
                _log.error("%s; the old list stays in use", err)
                return None
            _log_refused(found)
            change = await self._polls.replace_list([entry.url for entry in found.entries])
            _log_change(change)
            return change


def _log_refused(found: FeedList) -> None:
    for row in found.refused[:MAX_NAMED]:
        _log.warning("%s: %s: %s", row.location, row.reason, row.text)
    if (more := len(found.refused) - MAX_NAMED) > 0:
        _log.warning("%d more entries cannot be used", more)


def _log_change(change: ListChange) -> None:
    added, removed = len(change.added), len(change.removed)
    now = count(change.number, "source")
    _log.info("list read again: %d added, %d removed, %s now", added, removed, now)
    for word, urls in (("added", change.added), ("removed", change.removed)):
        for url in urls[:MAX_NAMED]:
            _log.info("%s: %s", url, word)
        if (more := len(urls) - MAX_NAMED) > 0:
            _log.info("%d more %s", more, word)
