"""Stored wrappers as commands show and export them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from forest_crawler.errors import EmptyPageError
from forest_crawler.export.rules import PageSample, SiteRules, css_list
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.store import HeldPage, Store, StoredWrapper
from forest_crawler.wrapper.wrapper import FIELDS

SAMPLES = 3
"""Pages that go out with a site's rules, for tests of them."""

SHOWN = 200
"""Characters of what a wrapper selects that are shown."""

MAX_TEST_LENGTH = 80
"""Characters of a text by which a consumer tests a rule."""


def list_row(site: str, stored: StoredWrapper, now: float) -> dict[str, Any]:
    """A stored wrapper in numbers."""
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
    """Print a wrapper with its CSS form and a sample of what it selects."""
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
        console.print(Text(f"  on {tree.url}: {text[:SHOWN] or 'nothing'}"))


def site_rules(store: Store, site: str) -> SiteRules:
    """What is exported of a site: its wrappers, feeds, and pages with a piece of their text."""
    sources = [it for it in store.sources() if it.site == site]
    feeds = tuple(dict.fromkeys(it.feed_url or it.url for it in sources))
    samples = tuple(
        sample for line in store.articles(site=site, limit=SAMPLES) if (sample := _sample(line))
    )
    wrappers = tuple(stored.wrapper for stored in store.wrappers(site))
    title = next((it.title for it in sources if it.title), None)
    return SiteRules(site, wrappers, feeds, samples, title)


def sample_trees(store: Store, site: str, limit: int) -> list[PageTree]:
    """The trees of a site's latest pages of which the store has the bodies."""
    pages = store.recent_pages(site, limit) or store.held_pages(site, limit)
    trees = (_tree(page) for page in pages)
    return [tree for tree in trees if tree is not None]


def _tree(page: HeldPage) -> PageTree | None:
    try:
        return parse_page(page.body, url=page.url)
    except EmptyPageError:
        return None


def _sample(line: str) -> PageSample | None:
    """A page and a piece of its longest line, which no other page has by chance."""
    row = json.loads(line)
    url, text = row.get("url"), row.get("text") or ""
    if not isinstance(url, str) or not isinstance(text, str):
        return None
    longest = max(text.split("\n"), key=len, default="").removeprefix("- ").strip()
    piece = (
        longest[:MAX_TEST_LENGTH].rpartition(" ")[0] if len(longest) > MAX_TEST_LENGTH else longest
    )
    return PageSample(url, piece or None)
