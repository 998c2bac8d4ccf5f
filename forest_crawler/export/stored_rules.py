"""Collect what is exported of a site in a store: wrappers, feeds, and pages to test with."""

from __future__ import annotations

import json

from forest_crawler.errors import EmptyPageError
from forest_crawler.export.checked_page import CheckedPage
from forest_crawler.export.rules import PageSample, SiteRules, piece_of
from forest_crawler.export.source_feeds import site_link
from forest_crawler.page.encoding import decode_page, header_charset
from forest_crawler.page.tree import parse_page
from forest_crawler.store import HeldPage, Store

TEST_PAGES = 3
"""Pages that are exported with a site's rules, by which other tools can test the rules."""


def site_rules(store: Store, site: str) -> SiteRules:
    """Collect what is exported of a site: wrappers, feeds, and pages to test with."""
    sources = [it for it in store.sources() if it.site == site]
    feeds = tuple(dict.fromkeys(it.feed_url or it.url for it in sources))
    samples = tuple(
        sample for line in store.articles(site=site, limit=TEST_PAGES) if (sample := _sample(line))
    )
    wrappers = tuple(stored.wrapper for stored in store.wrappers(site))
    title = next((it.title for it in sources if it.title), None)
    home = next((site_link(it) for it in sources), None)
    return SiteRules(site, wrappers, feeds, samples, title, _checked_pages(store, site), home)


def _checked_pages(store: Store, site: str) -> tuple[CheckedPage, ...]:
    """Return a site's pages whose bodies the store keeps, with the texts of their articles."""
    found = []
    for archived in store.archived_pages(site):
        row = json.loads(archived.line)
        if archived.has_parts or not row.get("text"):
            continue  # a reader fetches the first page of an article only
        charset = header_charset(archived.page.content_type)
        _, source = decode_page(archived.page.body, charset)
        page = CheckedPage(archived.page.url, source, row["text"], row.get("title"))
        if _is_readable(archived.page):
            found.append(page)
    return tuple(found)


def _is_readable(page: HeldPage) -> bool:
    try:
        parse_page(page.body, url=page.url)
    except EmptyPageError:
        return False
    return True


def _sample(line: str) -> PageSample | None:
    row = json.loads(line)
    url, text = row.get("url"), row.get("text") or ""
    if not isinstance(url, str) or not isinstance(text, str):
        return None
    return PageSample(url, piece_of(text))
