"""Make a feed entry from a page's metadata, for pages without their feed.

So methods that need an entry can be evaluated on any page. Publishers put much the same title and
teaser into both, but it isn't the real entry; tables say where it was used.
"""

from __future__ import annotations

from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.tree import PageTree

TITLE_NAMES = ("og:title", "twitter:title")
DESCRIPTION_NAMES = ("og:description", "description", "twitter:description")


def entry_from_metadata(tree: PageTree) -> FeedEntry:
    """Make an entry from og:title or the title, and the description, or empty ones.

    >>> from forest_crawler.page.tree import parse_page
    >>> entry = entry_from_metadata(parse_page(
    ...     "<title>Storm | Gazette</title><meta name=description content='It rained.'><p>x"))
    >>> entry.title, entry.description
    ('Storm | Gazette', 'It rained.')
    """
    metadata = _read_metadata(tree)
    title = next((metadata[name] for name in TITLE_NAMES if name in metadata), None)
    description = next((metadata[name] for name in DESCRIPTION_NAMES if name in metadata), "")
    return FeedEntry(title or _title(tree), description, tree.url)


def _read_metadata(tree: PageTree) -> dict[str, str]:
    """Read the page's `meta` contents by name or property, the first non-empty ones."""
    metadata: dict[str, str] = {}
    for meta in tree.html.iter("meta"):
        name = (meta.get("property") or meta.get("name") or "").strip().lower()
        content = " ".join((meta.get("content") or "").split())
        if name and content:
            metadata.setdefault(name, content)
    return metadata


def _title(tree: PageTree) -> str:
    title = tree.html.find(".//title")
    return " ".join((title.text or "").split()) if title is not None else ""
