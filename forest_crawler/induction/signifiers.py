"""A page's signifiers: its keywords by classic tf-idf over the sample, and from elsewhere.

Second stage of induction: sample → signifiers → patterns → ranking → wrapper. The weight of a
term is tf · ln(N / df): a term on every page of the sample weighs nothing and isn't a signifier.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from math import fsum, log, sqrt
from operator import mul
from types import MappingProxyType

from forest_crawler.feed.records import FeedEntry
from forest_crawler.text.terms import Analyzer

TOP_K = 10
"""Signifiers per page; the paper's choice (its figure 6 is flat above 5)."""


@dataclass(frozen=True, slots=True)
class Signifiers:
    """The keywords of one page, each with a weight between 0 and 1, heaviest first."""

    weights: Mapping[str, float]

    def __contains__(self, term: str) -> bool:
        return term in self.weights

    def __len__(self) -> int:
        return len(self.weights)


@dataclass(frozen=True)
class DocumentFrequencies:
    """On how many of a sample's pages each term is; terms of a single page are left out."""

    pages: int
    counts: Mapping[str, int]

    def weigh(self, terms: Iterable[str], k: int = TOP_K) -> Signifiers:
        """Return the signifiers of a further page, as if it had been one of the sample.

        >>> known = DocumentFrequencies(3, {"menu": 3, "harbour": 2})
        >>> list(known.weigh(["menu", "ferry", "ferry", "harbour"]).weights)
        ['ferry', 'harbour']
        """
        return self.weigh_counts(Counter(terms), k)

    def weigh_counts(self, counts: Mapping[str, int], k: int = TOP_K) -> Signifiers:
        """Return the signifiers of a further page, given how often each term is on it."""
        rare, known = log(self.pages + 1), self._inverse
        weights = map(mul, counts.values(), map(known.get, counts, repeat(rare)))
        return _heaviest(dict(zip(counts, weights, strict=True)), k)

    @cached_property
    def _inverse(self) -> Mapping[str, float]:
        """The inverse document frequencies of the terms for a further page."""
        return {term: log((self.pages + 1) / (df + 1)) for term, df in self.counts.items()}

    def write(self, max_terms: int) -> str:
        """Write the most frequent terms as `term:count`, separated by blanks.

        >>> DocumentFrequencies(3, {"harbour": 2, "menu": 3}).write(10)
        'menu:3 harbour:2'
        """
        ranked = sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        return " ".join(f"{term}:{count}" for term, count in ranked[:max_terms])


def read_frequencies(text: str, pages: int) -> DocumentFrequencies:
    """Read what `DocumentFrequencies.write` wrote for a sample of so many pages.

    What is malformed is left out: a wrapper may come from anywhere, and these are only weights.

    >>> read_frequencies("menu:3 harbour:2 broken", 3).counts
    {'menu': 3, 'harbour': 2}
    """
    pairs = (item.rpartition(":") for item in text.split())
    counts = {term: int(count) for term, _, count in pairs if term and count.isdecimal()}
    return DocumentFrequencies(pages, {term: min(n, pages) for term, n in counts.items()})


def tfidf_signifiers(pages: Sequence[Sequence[str]], k: int = TOP_K) -> list[Signifiers]:
    """Return the top k terms of each page by tf-idf over the sample, given each page's terms.

    >>> ferry, bakery = tfidf_signifiers([["ferry", "ferry", "menu"], ["bread", "menu"]])
    >>> list(ferry.weights), list(bakery.weights)
    (['ferry'], ['bread'])
    """
    return weigh_sample(pages, k)[0]


def weigh_sample(
    pages: Sequence[Sequence[str]], k: int = TOP_K, known: Sequence[Iterable[str]] = ()
) -> tuple[list[Signifiers], DocumentFrequencies]:
    """Return each page's signifiers, and the document frequencies that they rest on.

    `known` are, per page, further terms that name what it is about: those that are on the page,
    and not on every page, are signifiers beside the top k.
    """
    if not any(pages):
        return [Signifiers(MappingProxyType({})) for _ in pages], DocumentFrequencies(0, {})
    # Takes longer to load than an extraction takes, which needs none of it.
    from sklearn.feature_extraction.text import CountVectorizer

    counts = [Counter(terms) for terms in pages]
    # Gets each term of a page once: its loop over terms is Python's, that of `Counter` is C's.
    vectorizer = CountVectorizer(analyzer=_distinct)
    occurs = vectorizer.fit_transform(counts).tocsr()
    names = vectorizer.get_feature_names_out().tolist()
    frequencies = occurs.getnnz(axis=0).tolist()
    logs = [0.0, *(log(len(pages) / df) for df in range(1, len(pages) + 1))]
    idf = {name: logs[df] for name, df in zip(names, frequencies, strict=True)}
    found = []
    for number, page in enumerate(counts):
        weights = {term: tf * idf[term] for term, tf in page.items()}
        found.append(_heaviest(weights, k, frozenset(known[number]) if known else frozenset()))
    shared = {name: df for name, df in zip(names, frequencies, strict=True) if df > 1}
    return found, DocumentFrequencies(len(pages), shared)


def entry_signifiers(entry: FeedEntry, analyzer: Analyzer, k: int | None = None) -> Signifiers:
    """Return the terms of a feed entry's title and description, the first k if k is given.

    The title comes first, so a small k keeps what names the article. All weigh the same: a feed
    entry is too short to count in.
    """
    terms = dict.fromkeys(analyzer.terms(f"{entry.title}\n{entry.description}"), 1.0)
    kept = list(terms.items())[:k]
    return Signifiers(MappingProxyType(dict(kept)))


def _heaviest(weights: dict[str, float], k: int, known: frozenset[str] = frozenset()) -> Signifiers:
    # Ties by spelling and an exact norm, so that the same pages give the same signifiers and
    # weights in any order.
    positive = [weight for weight in weights.values() if weight > 0]
    norm = sqrt(fsum(map(mul, positive, positive)))
    kept = _largest(k, weights, positive)
    if known:
        top = set(kept)
        others = ((-weights[term], term) for term in known if weights.get(term, 0.0) > 0)
        kept += sorted(item for item in others if item not in top)
    return Signifiers(MappingProxyType({term: -weight / norm for weight, term in kept}))


def _distinct(counts: Counter[str]) -> Iterable[str]:
    return counts.keys()


def _largest(
    k: int, weights: Mapping[str, float], positive: Sequence[float]
) -> list[tuple[float, str]]:
    """Return the k terms of most weight, each after its negative weight.

    The weights alone are faster to sort than to compare with their terms.
    """
    if k < 1 or not positive:
        return []
    bound = sorted(positive)[-min(k, len(positive))]
    return sorted((-weight, term) for term, weight in weights.items() if weight >= bound)[:k]
