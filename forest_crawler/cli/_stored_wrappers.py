"""Prepare stored wrappers for display and export."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from forest_crawler.errors import EmptyPageError
from forest_crawler.export.checked_page import CheckedPage
from forest_crawler.export.rules import PageSample, SiteRules, css_list
from forest_crawler.export.source_feeds import site_link
from forest_crawler.page.encoding import decode_page, header_charset
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.store import HeldPage, Store, StoredWrapper
from forest_crawler.wrapper.wrapper import FIELDS

TEST_PAGES = 3
"""Pages that are exported with a site's rules, by which other tools can test the rules."""

MAX_SHOWN_LENGTH = 200
"""Characters shown of the text that a wrapper selects."""

MAX_TEST_LENGTH = 80
"""Characters of the text that a rule must find on a test page."""


def list_row(site: str, stored: StoredWrapper, now: float) -> dict[str, Any]:
    """Make the row of a stored wrapper for `forest wrappers list`."""
    wrapper = stored.wrapper
    return {
        "site": site,
        "method": wrapper.method,
        "form": wrapper.form,
        "support": wrapper.support,
        "pages": wrapper.pages,
        "confidence": wrapper.confidence,
        "hits": stored.hits,
        "misses": stored.misses,
        "age_days": round((now - stored.created) / 86400, 2),
        "pinned": stored.pinned,
        "body": list(wrapper.body),
    }


def print_wrapper(
    console: Console, number: int, stored: StoredWrapper, trees: Sequence[PageTree]
) -> None:
    """Print a wrapper with its CSS form and what it selects on `trees`."""
    wrapper = stored.wrapper
    pinned = ", pinned" if stored.pinned else ""
    head = f"{number}. {wrapper.method}, {wrapper.form} form{pinned}, found on {wrapper.support}"
    console.print(Text(f"{head} of {wrapper.pages} pages", style="bold"))
    for name in ("body", "strip"):
        for expression in getattr(wrapper, name):
            console.print(Text(f"  {name}: {expression}"))
    for field in FIELDS:
        if expression := getattr(wrapper, field):
            console.print(Text(f"  {field}: {expression}"))
    if wrapper.form == "portable":
        console.print(Text(f"  css: {css_list(wrapper.body, wrapper.site)}"))
        if wrapper.strip:
            console.print(Text(f"  css strip: {css_list(wrapper.strip, wrapper.site)}"))
    for tree in trees:
        text = " ".join(wrapper.select(tree).text.split())
        console.print(Text(f"  on {tree.url}: {text[:MAX_SHOWN_LENGTH] or 'nothing'}"))


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
        if _tree(archived.page) is not None:
            found.append(page)
    return tuple(found)


def sample_trees(store: Store, site: str, limit: int) -> list[PageTree]:
    """Parse a site's latest pages among those whose bodies the store has."""
    pages = store.recent_pages(site, limit) or store.held_pages(site, limit)
    trees = (_tree(page) for page in pages)
    return [tree for tree in trees if tree is not None]


def _tree(page: HeldPage) -> PageTree | None:
    try:
        return parse_page(page.body, url=page.url)
    except EmptyPageError:
        return None


def _sample(line: str) -> PageSample | None:
    """Take a page and a piece of its longest line, which hardly occurs on other pages."""
    row = json.loads(line)
    url, text = row.get("url"), row.get("text") or ""
    if not isinstance(url, str) or not isinstance(text, str):
        return None
    longest = max(text.split("\n"), key=len, default="").removeprefix("- ").strip()
    piece = (
        longest[:MAX_TEST_LENGTH].rpartition(" ")[0] if len(longest) > MAX_TEST_LENGTH else longest
    )
    return PageSample(url, piece or None)
