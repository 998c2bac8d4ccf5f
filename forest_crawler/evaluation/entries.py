"""A feed entry made from the page's own metadata, for pages that came without their feed.

Methods that need an entry can so be measured on any page. It is the next best thing, not the real
one: publishers put much the same title and teaser into both. Tables say where it was used.
"""

from __future__ import annotations

from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.tree import PageTree

TITLE_NAMES = ("og:title", "twitter:title")
DESCRIPTION_NAMES = ("og:description", "description", "twitter:description")


def entry_from_metadata(tree: PageTree) -> FeedEntry:
    """Make an entry from og:title or the title, and the description; what is absent is empty.

    >>> from forest_crawler.page.tree import parse_page
    >>> entry = entry_from_metadata(parse_page(
    ...     "<title>Storm | Gazette</title><meta name=description content='It rained.'><p>x"))
    >>> entry.title, entry.description
    ('Storm | Gazette', 'It rained.')
    """
    said = _metadata(tree)
    title = next((said[name] for name in TITLE_NAMES if name in said), None)
    description = next((said[name] for name in DESCRIPTION_NAMES if name in said), "")
    return FeedEntry(title or _title(tree), description, tree.url)


def _metadata(tree: PageTree) -> dict[str, str]:
    """The page's `meta` contents by name or property, the first of each that says anything."""
    said: dict[str, str] = {}
    for meta in tree.html.iter("meta"):
        name = (meta.get("property") or meta.get("name") or "").strip().lower()
        content = " ".join((meta.get("content") or "").split())
        if name and content:
            said.setdefault(name, content)
    return said


def _title(tree: PageTree) -> str:
    title = tree.html.find(".//title")
    return " ".join((title.text or "").split()) if title is not None else ""
