"""The worker's job for held pages: page, wrappers → article.

Between the store, which holds raw pages, and the store's outbox. One broken page costs only that
page.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from forest_crawler.article.article import ArticleSource, make_article
from forest_crawler.crawl.doubts import Doubt, PageText, find_doubts, read_page_text, unpack_text
from forest_crawler.crawl.held_pages import (
    TEASER,
    decode_held_entry,
    find_stated,
    is_teaser,
    missing_article,
    parse_held,
)
from forest_crawler.crawl.jobs import (
    MAX_EARLIER,
    NO_ARTICLE,
    PageResult,
    SiteJob,
    SiteResult,
    error_reason,
)
from forest_crawler.crawl.outcomes import EMPTY, HTTP
from forest_crawler.errors import StoreError
from forest_crawler.extraction.extraction import BY_WRAPPER, Extraction, extract
from forest_crawler.extraction.stated_text import count_words, find_longer
from forest_crawler.metadata.next_pages import (
    drop_shared,
    find_next_page,
    find_second_page,
    may_follow,
)
from forest_crawler.page.libxml2_memory import check_memory
from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.model import score_blocks
from forest_crawler.store.records import MIN_REFUSED, HeldPage, NewArticle
from forest_crawler.text.near_duplicates import sketch_text

MIN_FED_WORDS = 150
"""Min words of a feed's text that is the article though its page was never seen: a summary may end
without an ellipsis, and nothing shows that it is one."""


def extract_sites(jobs: Sequence[SiteJob]) -> list[SiteResult]:
    """Make the articles of several sites' pages."""
    return [_extract_site(job) for job in jobs]


def _extract_site(job: SiteJob) -> SiteResult:
    texts: dict[str, PageText] = {}
    found = [_extract_or_fail(page, job, texts) for page in job.pages]
    following = drop_shared([result.next_page for result in found])
    earlier = [unpack_text(packed) for key, packed in job.earlier if key not in texts]
    doubts = dict(zip(texts, find_doubts(list(texts.values()), earlier), strict=True))
    pages = (
        _with_doubt(replace(it, next_page=url), doubts.get(it.key))
        for it, url in zip(found, following, strict=True)
    )
    last = [(key, texts[key].pack()) for key in [*texts][-MAX_EARLIER:]]
    return SiteResult(job.site, tuple(pages), tuple(last))


def _with_doubt(result: PageResult, doubt: Doubt | None) -> PageResult:
    if doubt is None:
        return result
    article = result.article if doubt.is_article else None
    return replace(
        result, article=article, reason=f"{NO_ARTICLE}-{doubt.reason}", doubt=doubt.reason
    )


def _extract_or_fail(page: HeldPage, job: SiteJob, texts: dict[str, PageText]) -> PageResult:
    """Return the page's result; an error of ours fails the page, counted by its name."""
    try:
        return _limit_scope(_extract_page(page, job, texts), job, texts)
    except (MemoryError, StoreError):  # a page that the store has damaged isn't closed
        raise
    except Exception as err:
        check_memory(err)
        texts.pop(page.key, None)
        return PageResult(page.key, None, error_reason(err), is_failure=True)


def _limit_scope(result: PageResult, job: SiteJob, texts: dict[str, PageText]) -> PageResult:
    """Drop an article that the crawl's scope excludes."""
    if job.scope is None or result.article is None:
        return result
    reason = job.scope.refuse_article(json.loads(result.article.line))
    if reason is None:
        return result
    texts.pop(result.key, None)
    return PageResult(result.key, None, reason)


def _extract_page(page: HeldPage, job: SiteJob, texts: dict[str, PageText]) -> PageResult:
    tree, reason = parse_held(page)
    if tree is None and page.status >= MIN_REFUSED:
        return _without_page(page, job)
    if tree is None:
        return _without_text(page, None, reason or "empty", job)
    wrappers = [wrapper for _, wrapper in job.wrappers]
    is_checked = job.always_check or page.key in job.checked
    found = extract(tree, wrappers, job.fallback, always_check=is_checked)
    if found.extractor != BY_WRAPPER:
        reason = missing_article(score_blocks(tree))
    if reason is None and found.selection and is_teaser(tree, found):
        reason = TEASER
    if reason or not found.selection:
        return _without_text(page, tree, reason or f"{NO_ARTICLE}-no-text", job)
    if longer := find_longer(tree, found):
        return PageResult(page.key, _make_article(page, tree, [longer], job))
    texts[page.key] = _page_text(page, tree, found, job)
    single_page = found.used.find_link(tree, "single_page") if found.used else None
    if single_page is not None:
        found, further, next_page = _extract_whole(page, single_page, found, job)
    else:
        further, next_page = _extract_parts(page, tree, found, job)
    article = _make_article(page, tree, [found, *further], job)
    return PageResult(
        page.key,
        article,
        parts=len(further),
        next_page=next_page,
        agreement=_least_agreement([found, *further]),
        eaten_by=tuple(dict.fromkeys(rule for it in (found, *further) for rule in it.eaten_by)),
    )


def _without_text(page: HeldPage, tree: PageTree | None, reason: str, job: SiteJob) -> PageResult:
    """Return the article that feed or JSON-LD state, else why the page has none."""
    found = find_stated(page, tree, reason)
    if found is None:
        return PageResult(page.key, None, reason)
    shown = found.selection.tree if tree is None else tree
    return PageResult(page.key, _make_article(page, shown, [found], job))


def _without_page(page: HeldPage, job: SiteJob) -> PageResult:
    """Return the article that the feed has of a page that its site refuses, if that is whole."""
    found = find_stated(page, None, EMPTY)
    if found is None or count_words(found) < MIN_FED_WORDS:
        return PageResult(page.key, None, f"{HTTP}{page.status}", is_failure=True)
    return PageResult(page.key, _make_article(page, found.selection.tree, [found], job))


def _page_text(page: HeldPage, tree: PageTree, found: Extraction, job: SiteJob) -> PageText:
    return read_page_text(
        tree,
        found.selection.lines(),
        decode_held_entry(page),
        is_fitted=found.extractor == BY_WRAPPER,
        usual_words=min((wrapper.words for _, wrapper in job.wrappers), default=0),
    )


def _extract_whole(
    page: HeldPage, single_page: str, found: Extraction, job: SiteJob
) -> tuple[Extraction, list[Extraction], str | None]:
    """Extract the article from the page that has all of it; before it is fetched, ask for it."""
    if not page.parts:
        return found, [], single_page if may_follow(single_page, [page.url]) else None
    tree, _ = parse_held(page.parts[0])
    whole = _extract_part(tree, found, job) if tree is not None else None
    return whole or found, [], None


def _next_page(tree: PageTree, found: Extraction) -> str | None:
    """Find the next page of an article by its wrapper's own rule; `None` without one."""
    return found.used.find_link(tree, "next_page") if found.used else None


def _extract_parts(
    page: HeldPage, tree: PageTree, found: Extraction, job: SiteJob
) -> tuple[list[Extraction], str | None]:
    """Extract an article's further pages, and find the URL at which it continues."""
    further: list[Extraction] = []
    seen = [page.url]
    next_page = _next_page(tree, found) or find_second_page(tree)
    for part in page.parts:
        part_tree, _ = parse_held(part)
        cut = _extract_part(part_tree, found, job) if part_tree is not None else None
        if part_tree is None or cut is None:
            return further, None  # not a part of this article, so neither is what it links to
        further.append(cut)
        seen.append(part.url)
        next_page = _next_page(part_tree, found) or find_next_page(part_tree)
    continues = next_page is not None and may_follow(next_page, seen)
    return further, next_page if continues else None


def _extract_part(tree: PageTree, first: Extraction, job: SiteJob) -> Extraction | None:
    """Extract a part as the first page was, checked like it; `None` if that finds nothing."""
    if first.used is not None:
        alone = extract(tree, [first.used])
        if not alone.selection:
            return None
        found = extract(tree, [first.used], job.fallback, always_check=job.always_check)
        return alone if found.wrapper is None else found  # the last part may be a few lines
    found = extract(tree, [], job.fallback)
    if missing_article(score_blocks(tree)):
        return None
    return found if found.selection else None


def _least_agreement(parts: Sequence[Extraction]) -> float | None:
    found = [part.agreement for part in parts if part.agreement is not None]
    return min(found, default=None)


def _make_article(
    page: HeldPage,
    tree: PageTree,
    parts: Sequence[Extraction],
    job: SiteJob,
) -> NewArticle:
    found, *further = parts
    source = ArticleSource(
        url=page.url,
        site=page.site,
        feed_url=page.feed_url,
        guid=page.guid,
        entry=decode_held_entry(page),
        http_status=page.status,
        fetched_at=page.fetched_at,
        truncated=page.truncated or any(part.truncated for part in page.parts[: len(further)]),
    )
    article = make_article(tree, found, source, further, job.forms)
    return NewArticle(
        id=article.id,
        key=page.key,
        site=page.site,
        url=page.url,
        extractor=found.extractor or "",
        wrapper_id=next((number for number, w in job.wrappers if w is found.used), None),
        content_hash=article.content_hash,
        line=article.line(),
        sketch=sketch_text(article.text),
    )
