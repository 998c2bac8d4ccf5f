"""Prepare stored wrappers for display and export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from forest_crawler.cli._messages import suggest_name
from forest_crawler.errors import EmptyPageError, WrapperError
from forest_crawler.export.rules import css_list
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.store import HeldPage, Store, StoredWrapper
from forest_crawler.wrapper.wrapper import FIELDS

MAX_SHOWN_LENGTH = 200
"""Characters shown of the text that a wrapper selects."""


def known_sites(store: Store, sites: Sequence[str]) -> list[str]:
    """Return the given sites, or all; raise an error for one without wrappers."""
    known = store.sites()
    for site in sites:
        if site not in known:
            raise WrapperError(
                f"no wrappers of {site!r} in {store.name}{suggest_name(site, known)}; "
                "see `forest wrappers list`"
            )
    return list(sites) or known


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
