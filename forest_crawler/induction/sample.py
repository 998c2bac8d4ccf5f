"""`SamplePage`: one of the sibling pages that a site's wrappers are induced from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING

from forest_crawler.errors import SampleError
from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.leaf_tokens import leaf_tokens
from forest_crawler.page.tree import PageTree
from forest_crawler.text.terms import (
    DETECTION_TOKENS,
    FALLBACK_LANGUAGE,
    Analyzer,
    analyzer_for,
    detect_language,
    is_foreign,
    is_language,
)

if TYPE_CHECKING:
    from forest_crawler.page_model.features import Features

MIN_PAGES = 2
"""With one page nothing repeats, and every term's idf is zero."""


@dataclass(frozen=True, slots=True)
class SamplePage:
    """A page of a site's sample, with what is known about it from elsewhere."""

    tree: PageTree
    entry: FeedEntry | None = None  # the feed entry that led to it
    features: Features | None = None  # of its blocks, if somebody has computed them already
    keywords: tuple[str, ...] = ()  # words or phrases that the user knows it is about


def check_sample(pages: Iterable[SamplePage | PageTree], site: str) -> list[SamplePage]:
    """Return the pages as sample pages; raise `SampleError` if they are too few."""
    sample = [page if isinstance(page, SamplePage) else SamplePage(page) for page in pages]
    if len(sample) < MIN_PAGES:
        given = "1 page" if len(sample) == 1 else f"{len(sample)} pages"
        raise SampleError(f"{given} given, at least {MIN_PAGES} siblings needed", site)
    return sample


def sample_analyzer(sample: Sequence[SamplePage]) -> Analyzer:
    """Return the analyzer of the language that most of the pages are in."""
    languages: Counter[str] = Counter()
    for page in sample:
        languages[_language(page.tree, languages)] += 1
    return analyzer_for(max(sorted(languages), key=lambda language: languages[language]))


def _language(tree: PageTree, likely: Iterable[str]) -> str:
    """Return a page's language: as declared, one of its siblings', or detected.

    A declared one that the words contradict counts only if nothing else is sure: templates are
    copied with their language.
    """
    tokens = list(islice(chain.from_iterable(leaf_tokens(tree)), DETECTION_TOKENS))
    if tree.language and not is_foreign(tokens, tree.language):
        return tree.language
    for language in dict.fromkeys([*likely, FALLBACK_LANGUAGE]):
        if is_language(tokens, language):
            return language
    found = detect_language(" ".join(tree.outline.leaf_texts))
    return found if tree.language is None or is_language(tokens, found) else tree.language
