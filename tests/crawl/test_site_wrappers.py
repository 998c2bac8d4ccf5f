"""Which pages of a site the page model checks, and which count as drift."""

from __future__ import annotations

from forest_crawler.crawl.jobs import PageResult, SiteResult
from forest_crawler.crawl.site_wrappers import FIRST_PAGES, SiteWrappers
from forest_crawler.store.records import NewArticle

SITE = "gazette.example"


def page(number: int, extractor: str, agreement: float | None = None) -> PageResult:
    article = NewArticle(f"id{number}", f"k{number}", SITE, "http://x", extractor, None, "", "{}")
    return PageResult(f"k{number}", article, agreement=agreement)


def pages(number: int, extractor: str = "wrapper", agreement: float | None = None) -> SiteResult:
    return SiteResult(SITE, tuple(page(n, extractor, agreement) for n in range(number)))


def test_all_of_the_first_pages_are_checked() -> None:
    known = SiteWrappers()
    assert known.is_new(SITE)
    known.note_checks(pages(FIRST_PAGES - 1))
    assert known.is_new(SITE)
    known.note_checks(pages(1))
    assert not known.is_new(SITE)


def test_a_misfit_makes_all_of_the_next_pages_checked() -> None:
    known = SiteWrappers()
    known.note_checks(pages(FIRST_PAGES))
    known.note_checks(pages(1, "page:page"))  # no wrapper matched: nothing was compared
    assert not known.is_new(SITE)
    known.note_checks(pages(1, "page:page", agreement=0.2))
    assert known.is_new(SITE)
    known.note_checks(pages(FIRST_PAGES, agreement=0.9))
    assert not known.is_new(SITE)
