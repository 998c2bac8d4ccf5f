"""Articles as JSON lines: what `forest extract` writes for each page."""

from __future__ import annotations

import json
from collections.abc import Sequence

from forest_crawler.extraction import FALLBACK, Extraction, extract
from forest_crawler.pages import LabelledPage
from forest_crawler.tree import PageTree
from forest_crawler.wrapper import Wrapper


def extract_article(
    tree: PageTree | None, wrappers: Sequence[Wrapper], fallback: str | None = FALLBACK
) -> Extraction | None:
    """Apply a site's wrappers or the page-level method; nothing where the page has no article."""
    found = extract(tree, wrappers, fallback) if tree is not None else None
    return found if found and found.selection else None


def article_line(page: LabelledPage, found: Extraction | None) -> str:
    """The page's line, in ASCII: a lone surrogate or U+2028 must not break a reader."""
    record = {
        "id": page.id,
        "site": page.site,
        "url": page.url,
        "extractor": found.extractor if found else None,
        "xpath": found.xpath if found else None,
        "text": found.selection.text if found else "",
        "html": found.selection.html if found else "",
    }
    return json.dumps(record, ensure_ascii=True)
