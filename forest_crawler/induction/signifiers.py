"""A page's signifiers: tf-idf over the sample, or the words of its feed entry.

Second station of induction: sample → signifiers → patterns → ranking → wrapper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from types import MappingProxyType

from forest_crawler.feed.records import FeedEntry
from forest_crawler.text.terms import Analyzer

TOP_K = 10
"""Signifiers a page; the paper's choice (its figure 6 is flat above 5)."""


@dataclass(frozen=True, slots=True)
class Signifiers:
    """The keywords of one page, each with a weight between 0 and 1, heaviest first."""

    weights: Mapping[str, float]

    def __contains__(self, term: str) -> bool:
        return term in self.weights

    def __len__(self) -> int:
        return len(self.weights)


def tfidf_signifiers(pages: Sequence[Sequence[str]], k: int = TOP_K) -> list[Signifiers]:
    """The top k terms of each page by tf-idf over the sample, given each page's terms.

    >>> ferry, bakery = tfidf_signifiers([["ferry", "ferry", "menu"], ["bread", "menu"]], k=1)
    >>> list(ferry.weights), list(bakery.weights)
    (['ferry'], ['bread'])
    """
    if not any(pages):
        return [Signifiers(MappingProxyType({})) for _ in pages]
    # Takes longer to load than an extraction takes, which needs none of it.
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer=_same, norm=None)
    matrix = vectorizer.fit_transform(pages).tocsr()
    names = vectorizer.get_feature_names_out()
    found = []
    for page in range(matrix.shape[0]):
        row = matrix.getrow(page)
        weights = {str(names[i]): float(w) for i, w in zip(row.indices, row.data, strict=True)}
        found.append(_heaviest(weights, k))
    return found


def entry_signifiers(entry: FeedEntry, analyzer: Analyzer, k: int | None = None) -> Signifiers:
    """The terms of a feed entry's title and description, the first k of them if k is given.

    The title comes first, so a small k keeps what names the article. All weigh the same: a feed
    entry is too short to count in.
    """
    terms = dict.fromkeys(analyzer.terms(f"{entry.title}\n{entry.description}"), 1.0)
    kept = list(terms.items())[:k]
    return Signifiers(MappingProxyType(dict(kept)))


def _heaviest(weights: dict[str, float], k: int) -> Signifiers:
    # Ties by spelling and an exact norm, so that the same pages give the same signifiers and
    # weights in any order.
    ranked = sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:k]
    norm = sqrt(fsum(weight * weight for weight in weights.values()))
    return Signifiers(MappingProxyType({term: weight / norm for term, weight in ranked}))


def _same(terms: Sequence[str]) -> Sequence[str]:
    return terms
