"""Keep a full-text feed per crawled feed up to date in a directory."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from forest_crawler.errors import StoreError
from forest_crawler.export.feed import MAX_ITEMS, FeedFormat, FeedHead, read_lines, write_feed
from forest_crawler.export.file_names import safe_name
from forest_crawler.export.whole_file import replace_file
from forest_crawler.store.records import Source
from forest_crawler.store.store import Store


def write_source_feeds(
    store: Store,
    directory: str | Path,
    form: FeedFormat = "rss",
    limit: int = MAX_ITEMS,
    *,
    only: Collection[int] | None = None,
    check: Callable[[], None] = lambda: None,
) -> list[Path]:
    """Write a feed for each source that has articles; return the files that changed.

    `only`: the ids of the sources to look at; `check` is called before each.
    Files are named after their feed's URL and replaced as a whole, so that no reader sees half of
    one. Raises `StoreError` if the directory cannot be written.
    """
    written = []
    for source in store.sources():
        check()
        if only is not None and source.id not in only:
            continue
        lines = store.articles(source=source.id, limit=limit)
        if not lines:
            continue
        path = Path(directory) / f"{safe_name(source.feed_url or source.url)}.xml"
        if _replace(path, write_feed(feed_head(source), read_lines(lines), form)):
            written.append(path)
    return written


def feed_head(source: Source, feed_url: str | None = None) -> FeedHead:
    """Return the head of a source's full-text feed."""
    return FeedHead(source.title or source.site or source.url, source.url, feed_url)


def _replace(path: Path, data: bytes) -> bool:
    try:
        if path.is_file() and path.read_bytes() == data:
            return False
        replace_file(path, data)
    except OSError as err:
        raise StoreError.unwritable(err, str(path)) from err
    return True
