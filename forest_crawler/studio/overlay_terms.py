"""Mark the signifiers in the texts of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape

from forest_crawler.text.terms import FALLBACK_LANGUAGE, analyzer_for, word_spans

_START, _END = '<mark class="forest-signifier">', "</mark>"


class TermMarker:
    """Escapes texts, and marks the words in them that are one of the keywords.

    A keyword is a word or the stem of one, as wrappers keep them.

    >>> "".join(TermMarker(["ferri"], "en").write("Ferries & ships"))
    '<mark class="forest-signifier">Ferries</mark> &amp; ships'
    """

    def __init__(self, keywords: Iterable[str], language: str | None) -> None:
        self._analyzer = analyzer_for(language or FALLBACK_LANGUAGE)
        words = [keyword.lower() for keyword in keywords]
        self._terms = {*words, *(term for word in words for term in self._analyzer.terms(word))}
        self._is_keyword = lru_cache(maxsize=10_000)(self._match)

    def write(self, text: str) -> Iterator[str]:
        """Yield the pieces of a text as HTML."""
        start = 0
        for first, end in self._spans(text) if self._terms else ():
            yield escape(text[start:first], quote=False)
            yield f"{_START}{escape(text[first:end], quote=False)}{_END}"
            start = end
        yield escape(text[start:], quote=False)

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the parts to mark; pairs of characters that overlap are one part."""
        start = end = 0
        for first, last in word_spans(text):
            if not self._is_keyword(text[first:last]):
                continue
            if first > end:
                if end:
                    yield start, end
                start = first
            end = last
        if end > start:
            yield start, end

    def _match(self, word: str) -> bool:
        return word.lower() in self._terms or not self._terms.isdisjoint(self._analyzer.terms(word))
