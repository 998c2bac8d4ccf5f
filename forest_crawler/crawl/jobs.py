"""What workers get and give back: records that pass between processes.

A job has pages of several sites, so that handing it over costs little per page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from forest_crawler.article.content.forms import DEFAULT_FORMS, FormOptions
from forest_crawler.crawl.doubts import PackedText
from forest_crawler.crawl.scope import Scope
from forest_crawler.extraction.extraction import BY_WRAPPER, FALLBACK
from forest_crawler.extraction.stated_text import STATED
from forest_crawler.store.records import HeldPage, NewArticle
from forest_crawler.wrapper.wrapper import Wrapper

NO_ARTICLE = "no-article"
"""How the reasons of pages without an article begin: `no-article-listing`, …"""

MAX_EARLIER = 3
"""Pages of a site's last job that its next one compares with: a page that comes alone may repeat
the notice that its siblings showed."""

NumberedWrapper = tuple[int, Wrapper]
"""A wrapper with its number in the store."""


@dataclass(frozen=True, slots=True)
class SiteJob:
    """Pages of one site, and the wrappers to extract them with."""

    site: str
    wrappers: tuple[NumberedWrapper, ...]
    pages: tuple[HeldPage, ...]
    fallback: str = FALLBACK  # the page-level method for pages that no wrapper fits
    forms: FormOptions = DEFAULT_FORMS  # what the forms of articles contain
    always_check: bool = False  # the page model checks every page, not a share of them
    scope: Scope | None = None  # which articles are wanted; None: all
    checked: frozenset[str] = frozenset()  # keys of pages that the page model checks in any case
    earlier: tuple[tuple[str, PackedText], ...] = ()  # by key: pages before, to compare with


@dataclass(frozen=True, slots=True)
class PageResult:
    """What a page gave: an article, or the reason why it has none."""

    key: str
    article: NewArticle | None = None
    reason: str | None = None
    is_failure: bool = False  # the page couldn't be processed: it may well have an article
    parts: int = 0  # further pages that are in the article
    next_page: str | None = None  # the URL at which the article continues
    agreement: float | None = None  # of wrapper and page model, if the page was checked
    eaten_by: tuple[str, ...] = ()  # strip rules that would have taken content
    doubt: str | None = None  # why the page is to be fetched again before it is archived or closed

    @property
    def is_fitted(self) -> bool:
        """Whether a wrapper gave the article."""
        return self.article is not None and self.article.extractor == BY_WRAPPER

    @property
    def is_stated(self) -> bool:
        """Whether feed or JSON-LD gave the article, which says nothing about the wrappers."""
        return self.article is not None and self.article.extractor in STATED


@dataclass(frozen=True, slots=True)
class SiteResult:
    """What the pages of a site gave."""

    site: str
    pages: tuple[PageResult, ...]
    texts: tuple[tuple[str, PackedText], ...] = ()  # by key: the last ones, for the next job


@dataclass(frozen=True, slots=True)
class InductionResult:
    """What a sample gave; without wrappers, `reason` says why."""

    site: str
    wrappers: tuple[Wrapper, ...] = ()
    articles: int = 0  # pages of the sample that have one
    without: Mapping[str, str] = field(default_factory=dict)  # page → why it has no article
    reason: str | None = None
    broken: Mapping[str, str] = field(default_factory=dict)  # page → why it can't be processed
    doubts: Mapping[str, str] = field(default_factory=dict)  # page → why it is in doubt
    texts: tuple[tuple[str, PackedText], ...] = ()  # by key: some in doubt, for the site's next job


@dataclass(frozen=True, slots=True)
class SiteCheck:
    """How a site's wrappers do on some of its pages."""

    fits: int  # pages that a wrapper fits
    pages: int  # all pages with an article
    agreement: float | None  # of wrappers and page model, the mean over pages
    eaten_by: tuple[tuple[str, int], ...]  # strip rules that would take content, on how many pages


def fail_pages(reasons: Mapping[str, str]) -> tuple[PageResult, ...]:
    """Return the results of pages that can't be processed, from the reason per key."""
    return tuple(PageResult(key, None, why, is_failure=True) for key, why in reasons.items())


def doubt_pages(reasons: Mapping[str, str]) -> tuple[PageResult, ...]:
    """Return the results of pages that are in doubt, from the reason per key."""
    return tuple(
        PageResult(key, None, f"{NO_ARTICLE}-{why}", doubt=why) for key, why in reasons.items()
    )


def error_reason(err: Exception) -> str:
    """Return the reason that an error of ours is counted under.

    >>> error_reason(KeyError("x"))
    'error-KeyError'
    """
    return f"error-{type(err).__name__}"
