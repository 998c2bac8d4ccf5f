"""Full texts as JSON, in the shapes that feed readers and read-later programs already ask for.

For a service in front of a store. `full_text_feed` answers as Full-Text RSS does at
`makefulltextfeed.php?format=json`, `full_text` as the Postlight (Mercury) Parser does. Both read
the store only, and return `None` for what it doesn't have: the caller decides whether to fetch.
`feed_document` and `page_document` give the same shapes to articles from elsewhere, such as
`fetch_article(url).asdict()`.

All values are plain JSON; the HTML is sanitised, without the article's title, and without images
at addresses that aren't public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from email.utils import format_datetime
from typing import Any

from forest_crawler.export.feed import CONTENT, DC, MAX_ITEMS, FeedHead, safe_content
from forest_crawler.export.feed_rows import feed_row, find_source, newest_rows
from forest_crawler.export.shown_title import drop_title
from forest_crawler.export.source_feeds import feed_head
from forest_crawler.store.store import Store
from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.dates import parse_date
from forest_crawler.text.terms import tokenize
from forest_crawler.urls.canonical import url_key
from forest_crawler.urls.hosts import host_of

MAX_EXCERPT = 200
"""Characters of the excerpt of an article without a description."""

_RIGHT_TO_LEFT = frozenset("ar arc ckb dv fa he ku ps sd syr ug ur yi".split())


def full_text_feed(
    store: Store, feed_url: str, *, limit: int = MAX_ITEMS, images: bool = True
) -> dict[str, Any] | None:
    """Return a crawled feed with full texts, newest first, as Full-Text RSS writes it.

    `feed_url` is that of a feed of the store, or of the page whose feed was crawled. `None` if the
    store has no such source, or no article of it yet.
    """
    source = find_source(store, feed_url)
    if source is None:
        return None
    rows = newest_rows(store, source=source.id, limit=limit)
    return feed_document(feed_head(source, rows), rows, images=images) if rows else None


def full_text(store: Store, url: str, *, images: bool = True) -> dict[str, Any] | None:
    """Return an archived article by its URL, as the Postlight Parser writes it.

    Marks of tracking and other variants of the URL don't matter. `None` if it isn't archived.
    """
    key = url_key(url)
    found = store.article_at(key) if key else None
    return page_document(feed_row(found), images=images) if found else None


def feed_document(
    head: FeedHead, rows: Sequence[Mapping[str, Any]], *, images: bool = True
) -> dict[str, Any]:
    """Return articles in the shape of `makefulltextfeed.php?format=json`.

    `rss.channel.item` is a list; a single article is an object, as Full-Text RSS answers for the
    URL of an article. `description` has the full HTML, `content_encoded` too.

    >>> made = feed_document(FeedHead("Gazette", "http://g.example/"), [{"title": "Rain"}])
    >>> made["rss"]["channel"]["title"], made["rss"]["channel"]["item"]["title"]
    ('Gazette', 'Rain')
    """
    items = [_item(row, images=images) for row in rows]
    channel: dict[str, Any] = {
        "title": head.title,
        "link": head.link,
        "description": f"{head.title}: articles in full",
    }
    if head.language:
        channel["language"] = head.language
    channel["item"] = items[0] if len(items) == 1 else items
    spaces = {"xmlns:content": CONTENT, "xmlns:dc": DC}
    return {"rss": {"@attributes": {"version": "2.0"} | spaces, "channel": channel}}


def page_document(row: Mapping[str, Any], *, images: bool = True) -> dict[str, Any]:
    """Return an article in the shape of the Postlight (Mercury) Parser; absent is `None`.

    >>> made = page_document({"title": "Rain", "url": "http://g.example/a", "text": "It rained."})
    >>> made["domain"], made["word_count"], made["excerpt"], made["author"]
    ('g.example', 2, 'It rained.', None)
    """
    url = _string(row, "link") or _string(row, "url") or ""
    language = (_string(row, "language") or "").partition("-")[0]
    text = _string(row, "text") or ""
    return {
        "title": _string(row, "title"),
        "content": _content(row, images=images),
        "author": ", ".join(_strings(row, "authors")) or None,
        "date_published": _string(row, "date_publish"),
        "lead_image_url": _string(row, "image_url"),
        "dek": None,
        "next_page_url": None,  # further pages are in the content
        "url": url,
        "domain": host_of(url) or "",
        "excerpt": _string(row, "description") or _excerpt(text),
        "word_count": len(tokenize(text)),
        "direction": "rtl" if language in _RIGHT_TO_LEFT else "ltr",
        "total_pages": 1,
        "rendered_pages": 1,
    }


def _item(row: Mapping[str, Any], *, images: bool) -> dict[str, Any]:
    link = _string(row, "link") or _string(row, "canonical_url") or _string(row, "url") or ""
    content = _content(row, images=images)
    published = parse_date(_string(row, "date_publish") or _string(row, "date_modify"))
    item: dict[str, Any] = {
        "title": _string(row, "title") or link,
        "link": link,
        "guid": _string(row, "guid") or link,
        "description": content,
        "content_encoded": content,
    }
    if published is not None:
        item["pubDate"] = format_datetime(published)
    if authors := _strings(row, "authors"):
        item["dc_creator"] = authors[0] if len(authors) == 1 else authors
    if language := _string(row, "language"):
        item["dc_language"] = language
    return item | {"dc_format": "text/html", "dc_identifier": _string(row, "url") or link}


def _content(row: Mapping[str, Any], *, images: bool) -> str:
    markup = drop_title(_string(row, "html") or "", _string(row, "title"))
    return clean_text(safe_content(markup, images=images))


def _excerpt(text: str) -> str | None:
    folded = " ".join(text.split())
    if len(folded) <= MAX_EXCERPT:
        return folded or None
    return folded[:MAX_EXCERPT].rpartition(" ")[0] + "…"


def _string(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    return value if isinstance(value, str) and value else None


def _strings(row: Mapping[str, Any], name: str) -> list[str]:
    value = row.get(name)
    is_list = isinstance(value, list | tuple)
    return [it for it in value if isinstance(it, str) and it] if is_list and value else []
