"""Whether an article is free to read, where the page's metadata states it.

The article's phrases are never interpreted.
"""

from __future__ import annotations

from forest_crawler.metadata.structured_data import is_article, read_structured_data
from forest_crawler.page.tree import PageTree

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_TIERS = {"free": True, "metered": False, "locked": False, "paid": False}


def read_free_access(tree: PageTree) -> bool | None:
    """Read isAccessibleForFree of schema.org, else the content tier.

    >>> from forest_crawler.page.tree import parse_page
    >>> article = '{"@type": "NewsArticle", "isAccessibleForFree": "False"}'
    >>> page = f'<script type="application/ld+json">{article}</script><p>Rain'
    >>> read_free_access(parse_page(page))
    False
    """
    for node in read_structured_data(tree).nodes:
        if (
            is_article(node)
            and (is_free := _read_flag(node.get("isAccessibleForFree"))) is not None
        ):
            return is_free
    for meta in tree.head_elements("meta"):
        if (meta.get("property") or meta.get("name") or "").lower() == "article:content_tier":
            return _TIERS.get((meta.get("content") or "").strip().lower())
    return None


def _read_flag(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _FLAGS.get(value.strip().lower().rsplit("/", 1)[-1])
    return None
