"""Where each value of an article comes from, as far as its kept page and feed entry tell.

A job: it parses a page of a stranger. The sources are asked in the order of trust that
`forest_crawler.article.fields` documents; the first one with the same value is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from forest_crawler.article.fields import FieldSources, choose_fields, clean, drop_common
from forest_crawler.feed.entry_codec import EntryValues, decode_entry
from forest_crawler.metadata.bylines import read_bylines
from forest_crawler.metadata.datelines import read_dateline
from forest_crawler.metadata.page_metadata import read_metadata
from forest_crawler.studio.effects import PageSource, parse_source
from forest_crawler.text.comparison import comparable
from forest_crawler.wrapper.wrapper import Field, Wrapper

LOCATOR = "the wrapper's locator"
METADATA = "the page's metadata"
FEED = "the feed"
BYLINE = "a byline on the page"
DATELINE = "a date line on the page"
ADDRESS = "the page's address"
ELSEWHERE = "the page"


def trace_values(
    page: PageSource, wrapper: Wrapper | None, entry: EntryValues | None, row: Mapping[str, Any]
) -> dict[str, str]:
    """Return the source of each value of an article's JSON row."""
    tree = parse_source(page)
    if tree is None:
        return {}
    named = decode_entry(entry, link=page.url) if entry else None
    metadata = drop_common(read_metadata(tree), wrapper)

    def located(field: Field) -> list[str]:
        found = wrapper.locate(tree, field) if wrapper else []
        return [" ".join("".join(map(str, it.itertext())).split()) for it in found[:5]]

    feed_titles = [named.title] if named else []
    feed_authors = named.authors if named else ()
    feed_dates = [named.published, named.updated] if named else []
    traced = {
        "title": _first(
            row.get("title"),
            [(LOCATOR, located("title")), (METADATA, metadata.titles), (FEED, feed_titles)],
        ),
        "authors": _first(
            ", ".join(row.get("authors") or []),
            [
                (METADATA, [", ".join(metadata.authors)]),
                (LOCATOR, [", ".join(located("author")), *located("author")]),
                (BYLINE, [", ".join(read_bylines(tree))]),
                (FEED, [", ".join(feed_authors)]),
            ],
        ),
        "date_publish": _first_day(
            row.get("date_publish"),
            [
                (METADATA, lambda: [metadata.published]),
                (LOCATOR, lambda: [wrapper and _located_day(wrapper, page)]),
                (FEED, lambda: feed_dates[:1]),
                (DATELINE, lambda: [read_dateline(tree)]),
            ],
        ),
        "date_modify": _first_day(
            row.get("date_modify"),
            [(METADATA, lambda: [metadata.modified]), (FEED, lambda: feed_dates[1:])],
        ),
        "description": _first(
            row.get("description"),
            [(METADATA, [metadata.description]), (FEED, [named.description if named else None])],
        ),
        "sitename": METADATA,
        "canonical_url": METADATA if metadata.canonical else ADDRESS,
        "image_url": _first(row.get("image_url"), [(METADATA, [metadata.image])]),
        "language": METADATA if metadata.language else "detected in the text",
        "tags": METADATA if metadata.tags else FEED,
        "date_download": "the crawl",
        "keywords": "signifiers of the site's sample",
    }
    return {name: source for name, source in traced.items() if row.get(name)}


def _located_day(wrapper: Wrapper, page: PageSource) -> Any:
    """Return the date that the locator alone gives."""
    tree = parse_source(page)
    if tree is None:
        return None
    return choose_fields(FieldSources(tree, wrapper, None, page.url, None)).published


def _first(value: Any, sources: Iterable[tuple[str, Iterable[str | None]]]) -> str:
    wanted = comparable(str(value or ""))
    for name, found in sources:
        if any(comparable(clean(it) or "") == wanted for it in found if it):
            return name
    return ELSEWHERE


def _first_day(value: Any, sources: Iterable[tuple[str, Callable[[], Iterable[Any]]]]) -> str:
    wanted = str(value or "")[:10]
    for name, found in sources:
        if any(moment and moment.isoformat()[:10] == wanted for moment in found()):
            return name
    return ELSEWHERE
