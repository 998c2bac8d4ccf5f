"""Articles as JSON lines: what `forest extract` writes for each page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from forest_crawler.article.article import Article, ArticleSource, make_article, write_row
from forest_crawler.article.schemas import Schema, apply_schema
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.extraction.extraction import FALLBACK, Extraction, extract
from forest_crawler.page.tree import PageTree
from forest_crawler.wrapper.wrapper import Wrapper

PAGE_FIELD = "page"
"""The field, before those of the article, that says which page of the inputs it is from."""


def extract_article(
    tree: PageTree | None, wrappers: Sequence[Wrapper], fallback: str | None = FALLBACK
) -> Extraction | None:
    """Apply a site's wrappers or the page-level method; nothing where the page has no article."""
    found = extract(tree, wrappers, fallback) if tree is not None else None
    return found if found and found.selection else None


def article_line(
    page: LabelledPage,
    found: Extraction | None,
    schema: Schema = "forest",
    chosen: Sequence[str] | None = None,
) -> str:
    """The page's line: its article, or the article's fields without a value."""
    row = _article_row(page, found, schema)
    return write_row({PAGE_FIELD: page.id, **row}, chosen)


def field_names(schema: Schema) -> list[str]:
    """The fields of a line."""
    return [PAGE_FIELD, *apply_schema(_EMPTY, schema)]


def _article_row(page: LabelledPage, found: Extraction | None, schema: Schema) -> dict[str, Any]:
    if found is None:
        return apply_schema({**_EMPTY, "url": page.url, "site": page.site}, schema)
    source = ArticleSource(url=page.url, site=page.site, entry=page.entry)
    return make_article(found.selection.tree, found, source).row(schema)


_EMPTY: dict[str, Any] = {
    **{field.name: None for field in fields(Article)},
    **dict.fromkeys(("authors", "tags", "images"), ()),
    **dict.fromkeys(("text", "html", "markdown"), ""),
}
