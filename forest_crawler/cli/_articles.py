"""Articles as JSON lines, one per page, as `forest extract` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from forest_crawler.article.article import Article, ArticleSource, make_article, write_row
from forest_crawler.article.content.forms import DEFAULT_FORMS, FormOptions
from forest_crawler.article.schemas import Schema, apply_schema
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.extraction.extraction import FALLBACK, Extraction, extract
from forest_crawler.page.tree import PageTree
from forest_crawler.wrapper.wrapper import Wrapper

PAGE_FIELD = "page"
"""The first field of a line: which page of the inputs the article is from."""


def extract_article(
    tree: PageTree | None, wrappers: Sequence[Wrapper], fallback: str | None = FALLBACK
) -> Extraction | None:
    """Apply a site's wrappers or the page-level method; None if there is no article."""
    found = extract(tree, wrappers, fallback) if tree is not None else None
    return found if found and found.selection else None


def article_line(
    page: LabelledPage,
    found: Extraction | None,
    schema: Schema = "forest",
    chosen: Sequence[str] | None = None,
    *,
    forms: FormOptions = DEFAULT_FORMS,
) -> str:
    """Write the page's line: its article, or an article's fields without values."""
    row = _article_row(page, found, schema, forms)
    return write_row({PAGE_FIELD: page.id, **row}, chosen)


def field_names(schema: Schema) -> list[str]:
    """List the fields of a line, in order."""
    return [PAGE_FIELD, *apply_schema(_EMPTY, schema)]


def _article_row(
    page: LabelledPage, found: Extraction | None, schema: Schema, forms: FormOptions
) -> dict[str, Any]:
    if found is None:
        return apply_schema({**_EMPTY, "url": page.url, "site": page.site}, schema)
    source = ArticleSource(url=page.url, site=page.site, entry=page.entry)
    return make_article(found.selection.tree, found, source, options=forms).row(schema)


_EMPTY: dict[str, Any] = {
    **{field.name: None for field in fields(Article)},
    **dict.fromkeys(("authors", "tags", "images", "media"), ()),
    **dict.fromkeys(("text", "html", "markdown"), ""),
}
