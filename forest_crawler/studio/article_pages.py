"""Articles: the newest, full-text search, and one article with its forms and sources."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import nh3
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from forest_crawler.errors import StoreError
from forest_crawler.export.archive_rows import column_names
from forest_crawler.store.article_lookup import ArticleRow
from forest_crawler.store.full_text import read_query
from forest_crawler.studio.effects import PageSource
from forest_crawler.studio.held import to_source
from forest_crawler.studio.provenance import trace_values
from forest_crawler.studio.rendering import render, studio_of
from forest_crawler.studio.site_pages import read_page_number, read_wrappers
from forest_crawler.text.near_duplicates import sketch_similarity, sketch_text
from forest_crawler.wrapper.wrapper import Wrapper

PER_PAGE = 30
SNIPPET = 240
"""Characters of an article's text in a list."""

RELATED_STEP = 100
"""Articles that the page of one article adds to the index before it looks for near-duplicates."""

FORMS = ("read", "text", "html", "markdown", "json")

_READER_TAGS = set(
    "a abbr b blockquote br caption cite code dd del div dl dt em figcaption figure h2 h3 h4 h5 h6 "
    "hr i ins kbd li mark ol p pre q rp rt ruby s samp small span strong sub sup table tbody td "
    "tfoot th thead tr u ul var".split()
)
_FIELDS = (
    "title",
    "authors",
    "date_publish",
    "date_modify",
    "date_download",
    "sitename",
    "language",
    "description",
    "tags",
    "keywords",
    "canonical_url",
    "image_url",
)
_EXTRACTION_FIELDS = (
    "extractor",
    "xpath",
    "confidence",
    "agreement",
    "quality",
    "feed_url",
    "guid",
    "http_status",
)


def list_articles(request: Request) -> Response:
    """Show the newest articles, or those that a search finds."""
    studio = studio_of(request)
    search = request.query_params.get("q", "").strip()[:500]
    site = request.query_params.get("site") or None
    if search:
        return _search(request, search)
    before = request.query_params.get("before", "")
    rows = studio.reading().newest_articles(
        site, int(before) if before.isascii() and before.isdigit() else None, PER_PAGE + 1
    )
    shown = rows[:PER_PAGE]
    return render(
        request,
        "articles.html",
        articles=[describe_article(row, ()) for row in shown],
        search="",
        site=site,
        more=shown[-1].seq if len(rows) > PER_PAGE else None,
        found=None,
        number=1,
        missing=0,
    )


def _search(request: Request, search: str) -> Response:
    studio = studio_of(request)
    found = studio.index().search(search)
    number = read_page_number(request)
    store = studio.reading()
    numbers = found.numbers[(number - 1) * PER_PAGE : number * PER_PAGE]
    words = [word for phrase in read_query(search) for word in phrase]
    return render(
        request,
        "articles.html",
        articles=[describe_article(row, words) for row in store.articles_numbered(numbers)],
        search=search,
        site=None,
        more=None,
        found=len(found.numbers),
        number=number,
        pages=-(-len(found.numbers) // PER_PAGE),
        missing=max(store.last_article() - found.indexed, 0),
    )


def describe_article(row: ArticleRow, words: Sequence[str]) -> dict[str, Any]:
    """Return what a list shows of an article, with its snippet cut at the words."""
    article = json.loads(row.line)
    text = " ".join(str(article.get("text") or "").split())
    return {
        "id": row.id,
        "site": row.site,
        "title": article.get("title") or article.get("url") or "untitled",
        "date": (article.get("date_publish") or "")[:10],
        "archived": row.archived,
        "extractor": article.get("extractor"),
        "quality": article.get("quality"),
        "is_version": bool(article.get("version_of")),
        "is_repeat": bool(article.get("near_duplicate_of")),
        "snippet": mark_words(cut_snippet(text, words), words),
    }


def cut_snippet(text: str, words: Sequence[str]) -> str:
    """Cut a piece of a text around the first of some words.

    >>> cut_snippet("The ferry returns.", ["ferry"])
    'The ferry returns.'
    """
    lower = text.lower()
    places = [at for word in words if (at := lower.find(word)) >= 0]
    start = max(min(places, default=0) - SNIPPET // 3, 0)
    piece = text[start : start + SNIPPET]
    return ("…" if start else "") + piece + ("…" if start + SNIPPET < len(text) else "")


def mark_words(text: str, words: Sequence[str]) -> list[tuple[str, bool]]:
    """Split a text into pieces, each with whether it is one of the words.

    >>> mark_words("A ferry.", ["ferry"])
    [('A ', False), ('ferry', True), ('.', False)]
    """
    if not words:
        return [(text, False)]
    pattern = "|".join(re.escape(word) for word in sorted(set(words), key=len, reverse=True))
    pieces = re.split(f"({pattern})", text, flags=re.IGNORECASE)
    return [(piece, number % 2 == 1) for number, piece in enumerate(pieces) if piece]


async def show_article(request: Request) -> Response:
    """Show an article: reader view, its forms, its metadata and where they come from."""
    studio = studio_of(request)
    parts = await run_in_threadpool(_read_article, request)
    row, article, page, wrapper, entry = parts
    sources = await studio.run(trace_values, page, wrapper, entry, article) if page else {}
    related = await run_in_threadpool(_related, request, row, article)
    form = request.query_params.get("form", "read")
    return render(
        request,
        "article.html",
        row=row,
        article=dict.fromkeys(column_names("forest")) | article,
        form=form if form in FORMS else "read",
        forms=FORMS,
        reader=clean_reader(str(article.get("html") or "")),
        pretty=json.dumps(article, indent=2, ensure_ascii=False),
        fields=[(it, _shown(article.get(it)), sources.get(it)) for it in _FIELDS],
        extraction=[(it, _shown(article.get(it))) for it in _EXTRACTION_FIELDS],
        is_kept=page is not None,
        **related,
    )


def clean_reader(html: str) -> str:
    """Allow only text markup and links; pictures are listed beside it, not loaded."""
    return nh3.clean(
        html,
        tags=_READER_TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )


def _read_article(
    request: Request,
) -> tuple[ArticleRow, dict[str, Any], PageSource | None, Wrapper | None, Any]:
    store = studio_of(request).reading()
    row = store.article(request.path_params["id"])
    if row is None:
        raise HTTPException(404, "no such article in this store")
    kept = store.kept_page(row.key)
    wrappers, _ = read_wrappers(store, row.site)
    used = next((it.wrapper for it in wrappers if it.id == row.wrapper_id), None)
    page = to_source(kept) if kept else None
    return row, json.loads(row.line), page, used, kept.entry if kept else None


def _related(request: Request, row: ArticleRow, article: dict[str, Any]) -> dict[str, Any]:
    """Return the versions and near-duplicates of an article."""
    store = studio_of(request).reading()
    versions = store.article_versions(row.key)
    first = article.get("near_duplicate_of")
    repeats = [it for it in [store.article(str(first))] if it] if first else []
    try:
        numbers = studio_of(request).index(RELATED_STEP).repeats_of(row.id)
    except StoreError:
        numbers = ()  # the index cannot be written here; what the article names is still shown
    repeats += store.articles_numbered(numbers)
    sketch = sketch_text(str(article.get("text") or ""))
    return {
        "versions": _describe_versions(versions) if len(versions) > 1 else [],
        "repeats": [(describe_article(it, ()), _similarity(sketch, it)) for it in repeats],
    }


def _similarity(sketch: tuple[int, ...], row: ArticleRow) -> float:
    return sketch_similarity(sketch, sketch_text(str(json.loads(row.line).get("text") or "")))


def _describe_versions(rows: Sequence[ArticleRow]) -> list[dict[str, Any]]:
    """Describe each version by the lines that changed since the one before it."""
    found: list[dict[str, Any]] = []
    before: list[str] = []
    for number, row in enumerate(rows, 1):
        lines = str(json.loads(row.line).get("text") or "").split("\n")
        changes = _changes(before, lines) if number > 1 else []
        found.append({"number": number, "row": row, "changes": changes})
        before = lines
    return found


def _changes(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    changes: list[tuple[str, str]] = []
    for kind, start, end, first, last in SequenceMatcher(None, before, after).get_opcodes():
        if kind != "equal":
            changes += [("old", line) for line in before[start:end]]
            changes += [("new", line) for line in after[first:last]]
    return changes[:60]


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(str(it) for it in value)
    if isinstance(value, list):
        return ", ".join(str(it.get("term", it) if isinstance(it, dict) else it) for it in value)
    return "" if value is None else str(value)


ROUTES = [
    Route("/articles", list_articles),
    Route("/articles/{id}", show_article),
]
