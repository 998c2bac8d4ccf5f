"""Whether an article can be read without paying, where the page says so; never by its phrases."""

from __future__ import annotations

from forest_crawler.metadata.structured_data import StructuredData, is_article
from forest_crawler.page.tree import PageTree

_SAID = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_TIERS = {"free": True, "metered": False, "locked": False, "paid": False}


def read_free_access(tree: PageTree) -> bool | None:
    """What a page says of its access: schema.org's isAccessibleForFree, else the content tier.

    >>> from forest_crawler.page.tree import parse_page
    >>> said = '{"@type": "NewsArticle", "isAccessibleForFree": "False"}'
    >>> page = f'<script type="application/ld+json">{said}</script><p>Rain'
    >>> read_free_access(parse_page(page))
    False
    """
    for node in StructuredData(tree.structured).nodes:
        if is_article(node) and (said := _read(node.get("isAccessibleForFree"))) is not None:
            return said
    for meta in tree.html.iter("meta"):
        if (meta.get("property") or meta.get("name") or "").lower() == "article:content_tier":
            return _TIERS.get((meta.get("content") or "").strip().lower())
    return None


def _read(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _SAID.get(value.strip().lower().rsplit("/", 1)[-1])
    return None
