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
    archived: Collection[str]  # pages whose articles are new
    waiting: Collection[str]  # pages whose articles continue on a page to be fetched


def archive_results(
    store: Store, results: Sequence[SiteResult], *, follows_parts: bool
) -> ArchivedResults:
    """Archive articles, skip or fail other pages, and record how wrappers fit."""
    with store.batch():
        waiting = frozenset(
            page.key
            for result in results
            for page in result.pages
            if follows_parts and _follow(store, result, page)
        )
        results = [without(result, waiting) for result in results]
        pages = [page for result in results for page in result.pages]
        archived = store.archive_keys([page.article for page in pages if page.article])
        for page in pages:
            if page.article is None:
                resolve = store.fail if page.is_failure else store.skip
                resolve(page.key, page.reason or "no article")
        _record_fits(store, results)
        fits = store.recent_fits([result.site for result in results])
        return ArchivedResults(fits, archived, waiting)


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
    """Drop the pages of a result whose articles continue on pages to be fetched."""
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
