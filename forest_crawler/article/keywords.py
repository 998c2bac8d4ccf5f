"""An article's keywords: its signifiers, by the document frequencies that its wrapper keeps.

A further page of a site needs no siblings for that: on how many pages of the sample each term is
was counted at induction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from forest_crawler.induction.signifiers import DocumentFrequencies, read_frequencies
from forest_crawler.text.terms import FALLBACK_LANGUAGE, analyzer_for, tokenize_once
from forest_crawler.wrapper.wrapper import Wrapper

MAX_KEYWORDS = 10
"""Keywords per article: as many as the paper's signifiers per page."""

_UNKNOWN = DocumentFrequencies(1, {})
"""Stands in for an article without wrapper: terms then weigh as often as they occur."""


def find_keywords(text: str, wrapper: Wrapper | None, language: str | None) -> dict[str, float]:
    """Return the article's signifiers with their weights, heaviest first.

    Terms are compared by their stems; each is named as the text writes it most often.

    >>> find_keywords("The ferry sails. Ferries sail again: a ferry!", None, "en")
    {'ferry': 0.8321, 'sail': 0.5547}
    """
    known = wrapper.language if wrapper and wrapper.frequencies else None
    analyzer = analyzer_for(known or language or FALLBACK_LANGUAGE)
    tokens = Counter(tokenize_once(text))
    terms = analyzer.aligned_terms(tokens)
    counts: dict[str, int] = {}
    for term, count in zip(terms, tokens.values(), strict=True):
        if term is not None:
            counts[term] = counts.get(term, 0) + count
    frequencies = _UNKNOWN
    if known and wrapper:
        frequencies = _frequencies(wrapper.frequencies, wrapper.pages)
    weights = frequencies.weigh_counts(counts, MAX_KEYWORDS).weights
    spellings: dict[str | None, list[str]] = {term: [] for term in weights}
    for token, term in zip(tokens, terms, strict=True):
        if term in spellings:
            spellings[term].append(token)
    return {_usual(spellings[term], tokens): round(weight, 4) for term, weight in weights.items()}


def _usual(spellings: Iterable[str], counts: Mapping[str, int]) -> str:
    """Return the most frequent spelling; of equally frequent ones the shortest, then the first."""
    return min(spellings, key=lambda token: (-counts[token], len(token), token))


# The same few for all pages of a site.
@lru_cache(maxsize=256)
def _frequencies(written: str, pages: int) -> DocumentFrequencies:
    return read_frequencies(written, pages)
