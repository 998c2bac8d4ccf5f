"""Text → terms: language, tokens, stop words, stems.

Signifiers and all counts of the Forest measures are made of terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import stopwordsiso

from forest_crawler.text.stemmers import stem_word

# Scripts without blanks between words. Their runs become overlapping pairs of characters, the usual
# substitute for words without a dictionary.
_UNSPACED = (
    "\u3041-\u309f"  # Hiragana
    "\u30a0-\u30ff"  # Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"  # Han
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
)
# Marks that belong to the letter before them, though `\w` does not match them.
_MARKS = (
    "\u0300-\u036f"  # Combining accents
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew points
    "\u0610-\u061a\u064b-\u065f\u0670"  # Arabic vowels
    "\u0900-\u0963\u0966-\u0dff"  # Scripts of India, without the dandas that end sentences
    "\u200c\u200d"  # Joiners inside Persian and Indian words
)
_TOKEN = re.compile(rf"[{_UNSPACED}]+|(?![{_UNSPACED}])\w(?:(?![{_UNSPACED}])[\w{_MARKS}])*")
_WORD = re.compile(r"\w+")  # a token of a text without any of these characters
_UNUSUAL = re.compile(f"[{_UNSPACED}{_MARKS}]")
_SOFT_HYPHEN = "\u00ad"
_UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]")
# Particles, endings and auxiliaries of Japanese are written in Hiragana, content words rarely.
_HIRAGANA_ONLY = re.compile("[\u3041-\u309f]+")

MAX_TOKEN_LENGTH = 100
"""Characters; longer tokens are dropped. No language has longer words, but pages contain inline
data, and every token is cached."""

DETECTION_LENGTH = 4000
"""Characters of text that language detection reads: more take longer and change nothing."""

DETECTION_TOKENS = 600
"""Tokens of text that are compared with a language's stop words: about as much text."""

MIN_TOKENS = 10
MIN_STOP_WORDS = 0.25
"""Share of stop words from which a text is in their language. Measured on waddle and wcxb: the
mean is 0.31 to 0.52 in five languages, and at most 0.14 of another language's."""

MAX_FOREIGN_STOP_WORDS = 0.15
"""Share of a language's stop words below which a text is in another one; see `MIN_STOP_WORDS`."""

MIN_FOREIGN_TOKENS = 50
"""Tokens that are needed for this: a list of names has no stop words either."""

MIN_OWN_LETTERS = 0.75
"""Share of letters in a language's own script from which a text is in it; names and numbers are in
others."""

MAX_FOREIGN_LETTERS = 0.25
"""Share of letters in a language's own script below which a text is in another one."""

MIN_KANA = 0.05
"""Share of Kana from which a text is Japanese: Chinese has none but in names and brands."""

_OWN_SCRIPTS = {
    language: re.compile(f"[{letters}]+")
    for language, letters in {
        "el": "\u0370-\u03ff\u1f00-\u1fff",
        "he": "\u0590-\u05ff",
        "hy": "\u0530-\u058f",
        "ja": "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
        "ka": "\u10a0-\u10ff",
        "km": "\u1780-\u17ff",
        "ko": "\u1100-\u11ff\uac00-\ud7a3",
        "lo": "\u0e80-\u0eff",
        "my": "\u1000-\u109f",
        "th": "\u0e00-\u0e7f",
        "zh": "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    }.items()
}
"""Scripts that show the language. Pairs of characters are rarely stop words."""

_KANA = re.compile("[\u3041-\u30ff]+")

FALLBACK_LANGUAGE = "en"

_SNOWBALL = {
    "ar": "arabic", "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish",
    "fr": "french", "de": "german", "hu": "hungarian", "it": "italian", "no": "norwegian",
    "nb": "norwegian", "nn": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "es": "spanish", "sv": "swedish",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Analyzer:
    """Makes terms of text in one language; `analyzer_for` returns one."""

    language: str

    def terms(self, text: str) -> list[str]:
        """Return a text's terms in order: stop words removed, the rest stemmed.

        >>> analyzer_for("en").terms("The ferries were returning to the harbours")
        ['ferri', 'return', 'harbour']
        >>> analyzer_for("ja").terms("東京の灯台")
        ['東京', '京の', 'の灯', '灯台']
        """
        return self.terms_of(tokenize(text))

    def terms_of(self, tokens: Iterable[str]) -> list[str]:
        """Return the terms of tokens that `tokenize` made."""
        terms = _terms(self.language)
        return [term for token in tokens if (term := terms[token]) is not None]

    def aligned_terms(self, tokens: Iterable[str]) -> list[str | None]:
        """Return the term of each token; `None` for a stop word."""
        return list(map(_terms(self.language).__getitem__, tokens))


def tokenize(text: str) -> list[str]:
    """Split a text into lower-case words; unspaced scripts into character pairs."""
    text = text.lower().replace(_SOFT_HYPHEN, "")
    if text.isascii() or not _UNUSUAL.search(text):
        runs = _WORD.findall(text)
        if max(map(len, runs), default=0) <= MAX_TOKEN_LENGTH:
            return runs
        return [run for run in runs if len(run) <= MAX_TOKEN_LENGTH]
    tokens: list[str] = []
    for run in _TOKEN.findall(text):
        if len(run) > 2 and _UNSPACED_RUN.match(run):
            tokens.extend(run[i : i + 2] for i in range(len(run) - 1))
        elif len(run) <= MAX_TOKEN_LENGTH:
            tokens.append(run)
    return tokens


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of the words in a text; of unspaced scripts, of character pairs.

    >>> list(word_spans("The ferry. \u6771\u4eac\u306e"))
    [(0, 3), (4, 9), (11, 13), (12, 14)]
    """
    for run in _TOKEN.finditer(text):
        start, end = run.span()
        if end - start > 2 and _UNSPACED_RUN.match(run[0]):
            yield from ((i, i + 2) for i in range(start, end - 1))
        elif end - start <= MAX_TOKEN_LENGTH:
            yield start, end


@lru_cache(maxsize=1)  # an article's id, hash and sketch are made one after the other
def tokenize_once(text: str) -> tuple[str, ...]:
    """Tokenize a text that is needed several times in a row."""
    return tuple(tokenize(text))


@cache
def analyzer_for(language: str) -> Analyzer:
    """Return the analyzer of a language; stemmer and stop words are optional."""
    return Analyzer(language)


def detect_language(text: str, declared: str | None = None) -> str:
    """Return the language that the page declares, or else detect it."""
    if declared:
        return declared
    sample = text[:DETECTION_LENGTH]
    if not sample.strip():
        return FALLBACK_LANGUAGE
    import py3langid  # its model is slow to load, and most pages declare their language

    return str(py3langid.classify(sample)[0])


def is_language(tokens: Sequence[str], language: str) -> bool:
    """Whether a text's tokens can be in a language, by its own script or its share of stop words.

    A check of what is likely anyway, a hundred times as fast as detection: it cannot distinguish
    closely related languages.

    >>> is_language(tokenize("It rained on the town and in the hills for a week"), "en")
    True
    """
    sample = tokens[:DETECTION_TOKENS]
    if len(sample) < MIN_TOKENS:
        return False
    if language in _OWN_SCRIPTS:
        return _has_own_script(sample, language)
    found = sum(map(_stop_words(language).__contains__, sample))
    return found >= MIN_STOP_WORDS * len(sample)


def is_foreign(tokens: Sequence[str], language: str) -> bool:
    """Whether a text's tokens are hardly in a language: templates declare one for every site.

    Languages whose stop words are unknown are never doubted.

    >>> is_foreign(tokenize("Дождь шёл весь день над городом и гаванью. " * 9), "en")
    True
    """
    sample = tokens[:DETECTION_TOKENS]
    if len(sample) < MIN_FOREIGN_TOKENS:
        return False
    if own := _OWN_SCRIPTS.get(language):
        return _share(own, "".join(sample)) < MAX_FOREIGN_LETTERS
    stop_words = _stop_words(language)
    found = sum(map(stop_words.__contains__, sample))
    return bool(stop_words) and found < MAX_FOREIGN_STOP_WORDS * len(sample)


def _has_own_script(tokens: Sequence[str], language: str) -> bool:
    text = "".join(tokens)
    kana = _share(_KANA, text)
    if (language == "ja" and kana < MIN_KANA) or (language == "zh" and kana >= MIN_KANA):
        return False
    return _share(_OWN_SCRIPTS[language], text) >= MIN_OWN_LETTERS


def _share(letters: re.Pattern[str], text: str) -> float:
    return sum(map(len, letters.findall(text))) / len(text) if text else 0.0


class _Terms(dict[str, str | None]):
    """The terms of a language's tokens so far; a token without one has `None`.

    Bounded, because a long crawl keeps meeting new words. The size suffices for some forty samples.
    """

    MAX_SIZE = 100_000

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, token: str) -> str | None:
        if len(self) >= self.MAX_SIZE:
            self.clear()
        found = self[token] = _make_term(token, self._language)
        return found


@cache
def _terms(language: str) -> _Terms:
    return _Terms(language)


def _make_term(token: str, language: str) -> str | None:
    if token in _stop_words(language) or _HIRAGANA_ONLY.fullmatch(token) or token.isdigit():
        return None
    return _stem(token, language)


def _stem(token: str, language: str) -> str:
    name = _SNOWBALL.get(language)
    if name is None:
        return token
    return stem_word(token, name)


@cache
def _stop_words(language: str) -> frozenset[str]:
    if not stopwordsiso.has_lang(language):
        return frozenset()
    return frozenset(stopwordsiso.stopwords(language))
