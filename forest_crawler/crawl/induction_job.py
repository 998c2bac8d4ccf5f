"""The worker's job for a site's sample: pages → wrappers.

Between the store, which holds raw pages, and the store's wrappers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from forest_crawler.crawl.doubts import SAME, TEASER, PageText, find_doubts, read_page_text
from forest_crawler.crawl.drift import is_better
from forest_crawler.crawl.held_pages import (
    decode_held_entry,
    find_stated,
    missing_article,
    parse_held,
)
from forest_crawler.crawl.jobs import MAX_EARLIER, InductionResult, SiteCheck, error_reason
from forest_crawler.errors import SampleError
from forest_crawler.extraction.extraction import BY_WRAPPER, FALLBACK, extract
from forest_crawler.induction import DEFAULT_METHOD, SamplePage, induce
from forest_crawler.induction.own_text import have_own_text
from forest_crawler.page.libxml2_memory import check_memory
from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.model import score_blocks
from forest_crawler.store.doubt_pauses import is_settled
from forest_crawler.store.records import MIN_REFUSED, HeldPage
from forest_crawler.wrapper.wrapper import Wrapper

NONE_GOOD = "no wrapper selects as well as the page model"
"""Why a sample of pages without common names gives no wrapper."""

SAME_TEXT = "the same text on every page"
"""Why a sample of nothing but, say, a paywall gives no wrapper."""


def induce_site(
    site: str,
    pages: Sequence[HeldPage],
    old: Sequence[Wrapper] = (),
    method: str = DEFAULT_METHOD,
) -> InductionResult:
    """Induce a site's wrappers from those of the pages that have an article.

    If there are `old` wrappers, new ones must fit more of the pages.
    """
    gathered, without = _gather_sample(pages)
    texts = _read_texts(gathered)
    doubts = _find_doubts(texts)
    doubted = [(key, texts[key].pack()) for key in [*doubts][-MAX_EARLIER:]]
    for page in pages:
        if is_settled(page.doubts, doubts.get(page.key, "")):
            doubts.pop(page.key, None)
    sample = [page for key, page in gathered.items() if key not in doubts]
    found = InductionResult(site, (), len(sample), without, doubts=doubts, texts=tuple(doubted))
    try:
        wrappers = induce(sample, site=site, method=method)
    except SampleError as err:
        return replace(found, reason=err.message)
    except MemoryError:
        raise
    except Exception as err:  # an error of ours: the site's pages still become articles
        check_memory(err)
        return replace(found, reason=error_reason(err))
    if not wrappers:
        return replace(found, reason=NONE_GOOD)
    trees = [page.tree for page in sample]
    wrappers = [wrapper for wrapper in wrappers if _selects_own_text(wrapper, trees)]
    if not wrappers:
        return replace(found, reason=SAME_TEXT)
    if old and not is_better(_count_fits(trees, wrappers), _count_fits(trees, old)):
        return replace(found, reason="no better than before")
    return replace(found, wrappers=tuple(wrappers))


def check_site(pages: Sequence[HeldPage], wrappers: Sequence[Wrapper]) -> SiteCheck:
    """Apply a site's wrappers to pages, and compare with the page model on each."""
    trees = [tree for page in pages if (tree := parse_held(page)[0]) is not None]
    found = [extract(tree, wrappers, FALLBACK, always_check=True) for tree in trees]
    articles = [
        it
        for it, tree in zip(found, trees, strict=True)
        if it.extractor == BY_WRAPPER or not missing_article(score_blocks(tree))
    ]
    agreements = [it.agreement for it in articles if it.agreement is not None]
    eaten_by = Counter(rule for it in articles for rule in it.eaten_by)
    return SiteCheck(
        sum(it.extractor == BY_WRAPPER for it in articles),
        len(articles),
        fmean(agreements) if agreements else None,
        tuple(eaten_by.most_common()),
    )


def _read_texts(sample: Mapping[str, SamplePage]) -> dict[str, PageText]:
    return {
        key: read_page_text(
            page.tree, extract(page.tree, [], FALLBACK).selection.lines(), page.entry
        )
        for key, page in sample.items()
    }


def _find_doubts(texts: Mapping[str, PageText]) -> dict[str, str]:
    """Find the pages of a sample that don't show the articles that their feed announces.

    Pages with the title that is announced stay, even if their texts are alike.
    """
    found = zip(texts, find_doubts(list(texts.values())), strict=True)
    return {
        key: doubt.reason
        for key, doubt in found
        if doubt and (not doubt.is_article or doubt.reason in (SAME, TEASER))
    }


def _gather_sample(pages: Sequence[HeldPage]) -> tuple[dict[str, SamplePage], dict[str, str]]:
    """Part the pages with an article from the others, which get a reason each."""
    sample: dict[str, SamplePage] = {}
    without: dict[str, str] = {}
    for page in pages:
        if page.status >= MIN_REFUSED:
            continue  # without a body; whether its feed has an article is for extraction to say
        tree, reason = parse_held(page)
        scored = score_blocks(tree) if tree else None
        reason = reason or (missing_article(scored) if scored else None)
        if tree is None or scored is None or reason:
            reason = reason or "empty"
            if find_stated(page, tree, reason) is None:  # else it becomes an article, by itself
                without[page.key] = reason
        else:
            sample[page.key] = SamplePage(tree, decode_held_entry(page), scored.features)
    return sample, without


def _selects_own_text(wrapper: Wrapper, trees: Sequence[PageTree]) -> bool:
    """Report whether a wrapper's selections differ between most pages that it fits."""
    found = [extract(tree, [wrapper]).selection for tree in trees]
    own = have_own_text([list(selection.lines()) for selection in found if selection])
    return 2 * sum(own) >= len(own)


def _count_fits(trees: Sequence[PageTree], wrappers: Sequence[Wrapper]) -> int:
    return sum(_is_fitted(tree, wrappers) for tree in trees)


def _is_fitted(tree: PageTree, wrappers: Sequence[Wrapper]) -> bool:
    found = extract(tree, wrappers, FALLBACK, always_check=True)
    return found.extractor == BY_WRAPPER
