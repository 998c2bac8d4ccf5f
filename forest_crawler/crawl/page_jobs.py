"""Jobs of worker processes that look at pages: a site's sample → wrappers, its pages → articles.

Between the store, which holds raw pages, and the store's outbox. Several sites come in one job, so
that handing jobs over costs little; one broken page costs that page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from forest_crawler.article.article import ArticleSource, make_article
from forest_crawler.crawl.drift import is_better
from forest_crawler.errors import EmptyPageError, SampleError
from forest_crawler.extraction.extraction import BY_WRAPPER, FALLBACK, Extraction, extract
from forest_crawler.feed.entry_codec import decode_entry
from forest_crawler.feed.feeds import FeedEntry
from forest_crawler.induction.induce import DEFAULT_METHOD, SamplePage, induce
from forest_crawler.induction.own_text import have_own_text
from forest_crawler.metadata.next_pages import (
    find_next_page,
    find_second_page,
    follow_parts,
    leave_out_shared,
)
from forest_crawler.page.encoding import header_charset
from forest_crawler.page.libxml2_memory import check_memory
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page_model.choice import choose_blocks
from forest_crawler.page_model.model import ScoredBlocks, score_blocks
from forest_crawler.page_model.outcome import Outcome, judge_page
from forest_crawler.store.records import HeldPage, NewArticle
from forest_crawler.text.near_duplicates import sketch_text
from forest_crawler.wrapper.wrapper import Wrapper

NO_ARTICLE = "no-article"
"""How the reasons of pages begin that hold none: `no-article-listing`, …"""

SAME_TEXT = "the same text on every page"
"""Why a sample gives no wrapper that consists of a paywall, say."""

NumberedWrapper = tuple[int, Wrapper]
"""A wrapper with its number in the store."""


@dataclass(frozen=True, slots=True)
class SiteJob:
    """Pages of one site, and the wrappers they are to be cut with."""

    site: str
    wrappers: tuple[NumberedWrapper, ...]
    pages: tuple[HeldPage, ...]


@dataclass(frozen=True, slots=True)
class PageResult:
    """What became of a page: an article, or the reason why there is none."""

    key: str
    article: NewArticle | None = None
    reason: str | None = None
    is_failure: bool = False  # it could not be looked at, which says nothing of the page
    parts: int = 0  # further pages that are in the article
    next_page: str | None = None  # the address at which the article goes on

    @property
    def is_fitted(self) -> bool:
        """Whether a wrapper gave the article."""
        return self.article is not None and self.article.extractor == BY_WRAPPER


@dataclass(frozen=True, slots=True)
class SiteResult:
    """What became of a site's pages."""

    site: str
    pages: tuple[PageResult, ...]


@dataclass(frozen=True, slots=True)
class InductionResult:
    """What a sample gave: no wrappers where the old ones are as good, or nothing could be said."""

    site: str
    wrappers: tuple[Wrapper, ...] = ()
    articles: int = 0  # pages of the sample that hold one
    without: Mapping[str, str] = field(default_factory=dict)  # page → why it holds none
    reason: str | None = None
    broken: Mapping[str, str] = field(default_factory=dict)  # page → why it cannot be looked at


def fail_pages(reasons: Mapping[str, str]) -> tuple[PageResult, ...]:
    """The results of pages that cannot be looked at, by key."""
    return tuple(PageResult(key, None, why, is_failure=True) for key, why in reasons.items())


def extract_sites(jobs: Sequence[SiteJob]) -> list[SiteResult]:
    """Make the articles of several sites' pages."""
    return [SiteResult(job.site, _extract_site(job)) for job in jobs]


def induce_site(
    site: str, pages: Sequence[HeldPage], old: Sequence[Wrapper] = ()
) -> InductionResult:
    """Induce a site's wrappers from those of the pages that hold an article.

    Where there are wrappers already, new ones must fit more of the pages.
    """
    sample, without = _gather_sample(pages)
    try:
        wrappers = induce(sample, site=site, method=DEFAULT_METHOD)
    except SampleError as err:
        return InductionResult(site, (), len(sample), without, err.message)
    except MemoryError:
        raise
    except Exception as err:  # an error of ours: the site's pages still become articles
        check_memory(err)
        return InductionResult(site, (), len(sample), without, _error(err))
    trees = [page.tree for page in sample]
    wrappers = [wrapper for wrapper in wrappers if _tells_apart(wrapper, trees)]
    if not wrappers:
        return InductionResult(site, (), len(sample), without, SAME_TEXT)
    if old and not is_better(_count_fits(trees, wrappers), _count_fits(trees, old)):
        return InductionResult(site, (), len(sample), without, "no better than before")
    return InductionResult(site, tuple(wrappers), len(sample), without)


def _gather_sample(pages: Sequence[HeldPage]) -> tuple[list[SamplePage], dict[str, str]]:
    """The pages that hold an article; the others, with the reason."""
    sample: list[SamplePage] = []
    without: dict[str, str] = {}
    for page in pages:
        tree, reason = _read_page(page)
        scored = score_blocks(tree) if tree else None
        reason = reason or (_missing_article(scored) if scored else None)
        if tree is None or scored is None or reason:
            without[page.key] = reason or "empty"
        else:
            sample.append(SamplePage(tree, read_entry(page), scored.features))
    return sample, without


def _tells_apart(wrapper: Wrapper, trees: Sequence[PageTree]) -> bool:
    """Whether what a wrapper selects differs between most of the pages that it selects on."""
    found = [extract(tree, [wrapper]).selection for tree in trees]
    own = have_own_text([list(selection.lines()) for selection in found if selection])
    return 2 * sum(own) >= len(own)


def count_fits(pages: Sequence[HeldPage], wrappers: Sequence[Wrapper]) -> tuple[int, int]:
    """On how many of the pages that hold an article a wrapper fits, and how many they are."""
    trees = [tree for page in pages if (tree := _read_page(page)[0]) is not None]
    telling = [
        tree
        for tree in trees
        if _is_fitted(tree, wrappers) or not _missing_article(score_blocks(tree))
    ]
    return _count_fits(telling, wrappers), len(telling)


def read_entry(page: HeldPage) -> FeedEntry | None:
    """Read the feed entry that the store keeps with a page."""
    return decode_entry(page.entry, link=page.url, guid=page.guid) if page.entry else None


def _extract_site(job: SiteJob) -> tuple[PageResult, ...]:
    found = [_extract_or_say(page, job.wrappers) for page in job.pages]
    following = leave_out_shared([result.next_page for result in found])
    return tuple(replace(it, next_page=url) for it, url in zip(found, following, strict=True))


def _extract_or_say(page: HeldPage, wrappers: Sequence[NumberedWrapper]) -> PageResult:
    """The page's result; an error of ours costs that page, and is counted by its name."""
    try:
        return _extract_page(page, wrappers)
    except MemoryError:
        raise
    except Exception as err:
        check_memory(err)
        return PageResult(page.key, None, _error(err), is_failure=True)


def _error(err: Exception) -> str:
    return f"error-{type(err).__name__}"


def _extract_page(page: HeldPage, wrappers: Sequence[NumberedWrapper]) -> PageResult:
    tree, reason = _read_page(page)
    if tree is None:
        return PageResult(page.key, None, reason)
    found = extract(tree, [wrapper for _, wrapper in wrappers], FALLBACK)
    if found.extractor != BY_WRAPPER:
        reason = _missing_article(score_blocks(tree))
    if reason or not found.selection:
        return PageResult(page.key, None, reason or f"{NO_ARTICLE}-no-text")
    further, next_page = _read_parts(page, tree, found)
    article = _make(page, tree, [found, *further], wrappers)
    return PageResult(page.key, article, parts=len(further), next_page=next_page)


def _read_parts(
    page: HeldPage, tree: PageTree, found: Extraction
) -> tuple[list[Extraction], str | None]:
    """What the further pages of an article say, and the address at which it goes on."""
    further: list[Extraction] = []
    seen = [page.url]
    next_page = find_second_page(tree)
    for part in page.parts:
        part_tree, _ = _read_page(part)
        cut = _extract_part(part_tree, found) if part_tree is not None else None
        if part_tree is None or cut is None:
            return further, None  # another sort of page, and what it links to is none of ours
        further.append(cut)
        seen.append(part.url)
        next_page = find_next_page(part_tree)
    goes_on = next_page is not None and follow_parts(next_page, seen)
    return further, next_page if goes_on else None


def _extract_part(tree: PageTree, first: Extraction) -> Extraction | None:
    """A part is cut as the first page was; `None` where that cannot be done."""
    if first.wrapper is not None:
        found = extract(tree, [first.wrapper])
    else:
        found = extract(tree, [], FALLBACK)
        if _missing_article(score_blocks(tree)):
            return None
    return found if found.selection else None


def _make(
    page: HeldPage,
    tree: PageTree,
    parts: Sequence[Extraction],
    wrappers: Sequence[NumberedWrapper],
) -> NewArticle:
    found, *further = parts
    source = ArticleSource(
        url=page.url,
        site=page.site,
        feed_url=page.feed_url,
        guid=page.guid,
        entry=read_entry(page),
        http_status=page.status,
        fetched_at=page.fetched_at,
        truncated=page.truncated or any(part.truncated for part in page.parts[: len(further)]),
    )
    article = make_article(tree, found, source, further)
    return NewArticle(
        id=article.id,
        key=page.key,
        site=page.site,
        url=page.url,
        extractor=found.extractor or "",
        wrapper_id=next((number for number, w in wrappers if w is found.wrapper), None),
        content_hash=article.content_hash,
        line=article.line(),
        sketch=sketch_text(article.text),
    )


def _read_page(page: HeldPage) -> tuple[PageTree | None, str | None]:
    try:
        tree = parse_page(page.body, charset=header_charset(page.content_type), url=page.url)
    except EmptyPageError:
        return None, "empty"
    # The end is missing, and nobody can say how much of the article with it.
    return (None, "too-deep") if tree.truncated else (tree, None)


def _missing_article(scored: ScoredBlocks) -> str | None:
    """Why a page holds no article, by the page model."""
    outcome = judge_page(scored, choose_blocks(scored))
    return None if outcome is Outcome.ARTICLE else f"{NO_ARTICLE}-{outcome.value.replace(' ', '-')}"


def _count_fits(trees: Sequence[PageTree], wrappers: Sequence[Wrapper]) -> int:
    return sum(_is_fitted(tree, wrappers) for tree in trees)


def _is_fitted(tree: PageTree, wrappers: Sequence[Wrapper]) -> bool:
    return extract(tree, wrappers, FALLBACK).extractor == BY_WRAPPER
