"""Articles as JSON lines, one per page, as `forest extract` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from forest_crawler.article.article import Article, ArticleSource, make_article, write_row
from forest_crawler.article.content.forms import DEFAULT_FORMS, FormOptions
from forest_crawler.article.schemas import Schema, apply_schema, pick_fields
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.extraction.extraction import FALLBACK, Extraction, extract
from forest_crawler.extraction.stated_text import prefer_stated
from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.tree import PageTree
from forest_crawler.wrapper.wrapper import Wrapper

PAGE_FIELD = "page"
"""The first field of a line: which page of the inputs the article is from."""


def extract_article(
    tree: PageTree | None,
    wrappers: Sequence[Wrapper],
    fallback: str | None = FALLBACK,
    entry: FeedEntry | None = None,
) -> Extraction | None:
    """Apply a site's wrappers or the page-level method; None if there is no article.

    Without a text on the page, that of the feed entry or of JSON-LD is the article.
    """
    found = extract(tree, wrappers, fallback) if tree is not None else None
    if fallback is not None:
        found = prefer_stated(found, tree, entry)
    return found if found and found.selection else None


def article_line(
    page: LabelledPage,
    found: Extraction | None,
    schema: Schema = "forest",
    chosen: Sequence[str] | None = None,
    *,
    forms: FormOptions = DEFAULT_FORMS,
    tree: PageTree | None = None,
) -> str:
    """Write the page's line: its article, or an article's fields without values.

    `tree` is the page's, which isn't that of a text from its feed.
    """
    row = apply_schema(_article_row(page, found, tree, forms), schema)
    return write_row({PAGE_FIELD: page.id, **row}, chosen)


def field_names(schema: Schema) -> list[str]:
    """List the fields of a line, in order."""
    return [PAGE_FIELD, *apply_schema(_EMPTY, schema)]


def check_fields(names_list: str | None, schema: Schema) -> list[str] | None:
    """Split and check the field names before the first page is read."""
    if names_list is None:
        return None
    names = [name.strip() for name in names_list.split(",") if name.strip()]
    pick_fields(dict.fromkeys(field_names(schema)), names)
    return names


def _article_row(
    page: LabelledPage, found: Extraction | None, tree: PageTree | None, forms: FormOptions
) -> dict[str, Any]:
    if found is None:
        return {**_EMPTY, "url": page.url, "site": page.site}
    source = page_source(page)
    shown = found.selection.tree if tree is None else tree
    return asdict(make_article(shown, found, source, options=forms))


_EMPTY: dict[str, Any] = {
    **{field.name: None for field in fields(Article)},
    **dict.fromkeys(("authors", "tags", "images", "media"), ()),
    **dict.fromkeys(("text", "html", "markdown"), ""),
}


def page_source(page: LabelledPage) -> ArticleSource:
    """Return what is known about where a page came from."""
    return ArticleSource(
        url=page.url,
        site=page.site,
        entry=page.entry,
        http_status=page.http_status,
        fetched_at=page.fetched_at,
    )
