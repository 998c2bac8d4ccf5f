"""Write the results of workers into the store, several sites per transaction.

The step after the workers; it runs in the store's thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from forest_crawler.crawl.jobs import PageResult, SiteResult
from forest_crawler.store import Candidate, Store
from forest_crawler.urls.canonical import url_key


@dataclass(frozen=True, slots=True)
class ArchivedResults:
    """What one transaction did."""

    fits: Mapping[str, tuple[int, int]]  # site → recent pages that a wrapper fits, of how many
    archived: Mapping[str, str]  # page → line of its article, if that is new
    waiting: Collection[str]  # pages that wait: for the page on which their article continues,
    doubted: Mapping[str, str]  # or, with the reason, to be fetched again


def archive_results(
    store: Store, results: Sequence[SiteResult], *, fetches: bool
) -> ArchivedResults:
    """Archive articles, skip or fail other pages, and record how wrappers fit.

    `fetches`: pages are fetched that the store has due; else doubts and parts are of no use.
    """
    with store.batch():
        doubted = _put_back(store, results) if fetches else {}
        results = [_settle_moves(store, without(result, doubted)) for result in results]
        waiting = frozenset(
            page.key
            for result in results
            for page in result.pages
            if fetches and _follow(store, result, page)
        )
        results = [without(result, waiting) for result in results]
        pages = [page for result in results for page in result.pages]
        archived = store.archive_lines([page.article for page in pages if page.article])
        for page in pages:
            if page.article is None:
                resolve = store.fail if page.is_failure else store.skip
                resolve(page.key, page.reason or "no article")
        _record_fits(store, results)
        fits = store.recent_fits([result.site for result in results])
        return ArchivedResults(fits, archived, {*waiting, *doubted}, doubted)


def _put_back(store: Store, results: Sequence[SiteResult]) -> dict[str, str]:
    """Put doubtful pages back to be fetched again, unless that was done often enough."""
    pages = [page for result in results for page in result.pages]
    return {
        page.key: page.doubt
        for page in pages
        if page.doubt and store.put_back(page.key, page.doubt)
    }


def _settle_moves(store: Store, result: SiteResult) -> SiteResult:
    """Drop doubtful articles of pages that several others redirect to: notices, most likely."""
    pages = [
        replace(page, article=None) if page.doubt and store.count_moves(page.key) > 1 else page
        for page in result.pages
    ]
    return replace(result, pages=tuple(pages))


def _record_fits(store: Store, results: Sequence[SiteResult]) -> None:
    judged = {
        it.site: [p.is_fitted for p in it.pages if p.article and not p.is_stated] for it in results
    }
    store.record_fits(judged)
    fitted = [page.article for it in results for page in it.pages if page.is_fitted]
    hits = Counter(article.wrapper_id for article in fitted if article is not None)
    misses = {it.site: number for it in results if (number := count_misses(it))}
    store.count_uses({number: n for number, n in hits.items() if number is not None}, misses)


def without(result: SiteResult, waiting: Collection[str]) -> SiteResult:
    """Drop the pages of a result that wait for something to be fetched."""
    return replace(result, pages=tuple(page for page in result.pages if page.key not in waiting))


def count_misses(result: SiteResult) -> int:
    """Count the articles that a wrapper of the site should have given, but none gave."""
    return sum(
        page.article is not None and not (page.is_fitted or page.is_stated) for page in result.pages
    )


def _follow(store: Store, result: SiteResult, page: PageResult) -> bool:
    """Schedule the page on which an article continues; report whether to wait for it."""
    key = url_key(page.next_page) if page.next_page else None
    if key is None or page.next_page is None:
        return False
    return store.follow_part(page.key, Candidate(key, page.next_page, result.site))
