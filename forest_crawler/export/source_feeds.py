"""Keep a full-text feed per crawled feed up to date in a directory, and a list of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

from lxml import etree

from forest_crawler.errors import StoreError
from forest_crawler.export.feed import MAX_ITEMS, FeedFormat, FeedHead, write_feed
from forest_crawler.export.feed_rows import FeedRow, newest_rows
from forest_crawler.export.file_names import safe_name
from forest_crawler.export.whole_file import replace_file
from forest_crawler.store.records import Source
from forest_crawler.store.store import Store
from forest_crawler.text.cleaning import clean_text

INDEX_FILE = "index.opml"
"""The list of all feeds of a directory, to subscribe to them at once."""

_PLAIN_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,98}[a-z0-9])?")


def write_source_feeds(
    store: Store,
    directory: str | Path,
    form: FeedFormat = "rss",
    limit: int = MAX_ITEMS,
    *,
    only: Collection[int] | None = None,
    check: Callable[[], None] = lambda: None,
    base_url: str | None = None,
) -> list[Path]:
    """Write a feed for each source that has articles; return the feeds that changed.

    `only`: the ids of the sources whose feeds are written; `check` is called before each source.
    Files are named after their site and replaced as a whole, so that no reader sees half of one.
    `index.opml` lists them; its addresses, and those that feeds give of themselves, begin with
    `base_url`, where the directory is served. Raises `StoreError` if the directory cannot be
    written.
    """
    written, listed = [], []
    for source, name in name_feeds(store.sources()):
        check()
        is_wanted = only is None or source.id in only
        rows = newest_rows(store, source=source.id, limit=limit if is_wanted else 1)
        if not rows:
            continue
        address = _address(base_url, name)
        head = feed_head(source, rows, address if base_url else None)
        listed.append((head, address))
        if is_wanted and _replace(Path(directory) / name, write_feed(head, rows, form)):
            written.append(Path(directory) / name)
    if listed:
        _replace(Path(directory) / INDEX_FILE, write_index(listed))
    return written


def name_feeds(sources: Iterable[Source]) -> list[tuple[Source, str]]:
    """Name the file of each source: its site, for a site's further feeds with their own name.

    Names stay when sources are added, since the store lists those in the order they came.
    """
    named, seen = [], set()
    for source in sources:
        site = source.site or ""
        is_first = bool(_PLAIN_HOST.fullmatch(site)) and site not in seen
        seen.add(site)
        name = site if is_first else safe_name(source.feed_url or source.url)
        named.append((source, f"{name}.xml"))
    return named


def feed_head(
    source: Source, rows: Sequence[FeedRow] = (), feed_url: str | None = None
) -> FeedHead:
    """Return the head of a source's full-text feed: the site's link, the articles' language."""
    title = source.title or source.site or source.url
    return FeedHead(title, site_link(source, rows), feed_url, common_language(rows))


def site_link(source: Source, rows: Sequence[FeedRow] = ()) -> str:
    """Return a site's home page: the source's page, or the root of what its feed links to.

    >>> site_link(Source(1, "https://gazette.example/news", "https://gazette.example/feed.xml"))
    'https://gazette.example/news'
    >>> site_link(Source(1, "https://gazette.example/feed.xml"))
    'https://gazette.example/'
    """
    if source.feed_url and source.feed_url != source.url:
        return source.url
    linked = next((link for row in rows if isinstance(link := row.get("link"), str)), source.url)
    return root_of(linked)


def root_of(url: str) -> str:
    """Return the root of a URL's host."""
    return urljoin(url, "/") if urlsplit(url).netloc else url


def common_language(rows: Sequence[FeedRow]) -> str | None:
    """Return the language of most articles."""
    counted = Counter(code for row in rows if isinstance(code := row.get("language"), str))
    return counted.most_common(1)[0][0] if counted else None


def write_index(feeds: Sequence[tuple[FeedHead, str]]) -> bytes:
    """Write the OPML that lists feeds, given with their addresses."""
    root = etree.Element("opml", {"version": "2.0"})
    etree.SubElement(etree.SubElement(root, "head"), "title").text = "Full-text feeds"
    body = etree.SubElement(root, "body")
    for head, address in feeds:
        values = {"type": "rss", "text": head.title, "title": head.title, "xmlUrl": address}
        outline = etree.SubElement(body, "outline")
        for name, value in (values | {"htmlUrl": head.link}).items():
            outline.set(name, clean_text(value))
    made: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return made


def _address(base_url: str | None, name: str) -> str:
    return f"{base_url.rstrip('/')}/{quote(name)}" if base_url else name


def _replace(path: Path, data: bytes) -> bool:
    try:
        if path.is_file() and path.read_bytes() == data:
            return False
        replace_file(path, data)
    except OSError as err:
        raise StoreError.unwritable(err, str(path)) from err
    return True
