"""Which pages of a site the page model checks, and which count as drift."""

from __future__ import annotations

import pytest

from forest_crawler.crawl.jobs import PageResult, SiteResult
from forest_crawler.crawl.site_wrappers import FIRST_PAGES, MAX_SITES, SiteWrappers
from forest_crawler.store import Store, open_store
from forest_crawler.store.records import NewArticle, StoredWrapper

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


def test_wrappers_of_the_oldest_sites_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def note_read(_: Store, site: str) -> list[StoredWrapper]:
        read.append(site)
        return []

    monkeypatch.setattr(Store, "wrappers", note_read)
    known = SiteWrappers()
    with open_store("sqlite://") as store:
        known.load(store, SITE)
        known.note_checks(pages(FIRST_PAGES))
        for number in range(MAX_SITES):
            known.load(store, f"{number}.example")
        known.load(store, "0.example")
        assert read.count("0.example") == 1
        known.load(store, SITE)
    assert read.count(SITE) == 2
    assert not known.is_new(SITE)  # what this run knows of its pages is kept
