"""Text → terms: language, tokens, stop words, stems.

Signifiers and every count of the Forest measures are in terms.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

import stopwordsiso

# Scripts that do not put blanks between words. Their runs become overlapping pairs of characters,
# the customary stand-in for words where no dictionary is at hand.
_UNSPACED = (
    "\u3041-\u309f"  # Hiragana
    "\u30a0-\u30ff"  # Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"  # Han
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
)
# Marks that belong to the letter before them; `\w` takes them for the end of the word.
_MARKS = (
    "\u0300-\u036f"  # Combining accents
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew points
    "\u0610-\u061a\u064b-\u065f\u0670"  # Arabic vowels
    "\u0900-\u0963\u0966-\u0dff"  # Scripts of India, without the dandas that end sentences
    "\u200c\u200d"  # Joiners inside Persian and Indian words
)
_TOKEN = re.compile(rf"[{_UNSPACED}]+|(?![{_UNSPACED}])\w(?:(?![{_UNSPACED}])[\w{_MARKS}])*")
_WORD = re.compile(r"\w+")  # what a token is where none of these characters is about
_UNUSUAL = re.compile(f"[{_UNSPACED}{_MARKS}]")
_SOFT_HYPHEN = "\u00ad"
_UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]")
# Particles, endings and auxiliaries of Japanese are written in Hiragana, content words rarely.
_HIRAGANA_ONLY = re.compile("[\u3041-\u309f]+")

MAX_TOKEN_LENGTH = 100
"""Characters of the longest token that is taken for a word: no language has longer ones, but pages
have inline data, and every token is remembered."""

DETECTION_LENGTH = 4000
"""Characters of text that language detection looks at: more changes nothing, and costs time."""

FALLBACK_LANGUAGE = "en"

_SNOWBALL = {
    "ar": "arabic", "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish",
    "fr": "french", "de": "german", "hu": "hungarian", "it": "italian", "no": "norwegian",
    "nb": "norwegian", "nn": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "es": "spanish", "sv": "swedish",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Analyzer:
    """Makes terms of text in one language; get one with `analyzer_for`."""

    language: str

    def terms(self, text: str) -> list[str]:
        """The text's terms in order: stop words removed, the rest stemmed.

        >>> analyzer_for("en").terms("The ferries were returning to the harbours")
        ['ferri', 'return', 'harbour']
        >>> analyzer_for("ja").terms("東京の灯台")
        ['東京', '京の', 'の灯', '灯台']
        """
        language = self.language
        found = (_term(token, language) for token in tokenize(text))
        return [term for term in found if term is not None]


def tokenize(text: str) -> list[str]:
    """Lower-case words; runs of unspaced scripts as overlapping pairs of characters."""
    text = text.lower().replace(_SOFT_HYPHEN, "")
    if text.isascii() or not _UNUSUAL.search(text):
        return [run for run in _WORD.findall(text) if len(run) <= MAX_TOKEN_LENGTH]
    tokens: list[str] = []
    for run in _TOKEN.findall(text):
        if len(run) > 2 and _UNSPACED_RUN.match(run):
            tokens.extend(run[i : i + 2] for i in range(len(run) - 1))
        elif len(run) <= MAX_TOKEN_LENGTH:
            tokens.append(run)
    return tokens


@lru_cache(maxsize=1)  # an article's id, hash and sketch are made one after the other
def tokenize_once(text: str) -> tuple[str, ...]:
    """The same as `tokenize`, for a text that is asked for several times in a row."""
    return tuple(tokenize(text))


@cache
def analyzer_for(language: str) -> Analyzer:
    """The analyzer of a language; one without stemmer or stop words does without them."""
    return Analyzer(language)


def detect_language(text: str, said: str | None = None) -> str:
    """What the page says of its language, or else what its text looks like."""
    if said:
        return said
    sample = text[:DETECTION_LENGTH]
    if not sample.strip():
        return FALLBACK_LANGUAGE
    import py3langid  # its model takes a moment to load, and most pages say their language

    return str(py3langid.classify(sample)[0])


# Bounded: a long crawl meets ever new words. The size holds some forty samples' vocabularies.
@lru_cache(maxsize=100_000)
def _term(token: str, language: str) -> str | None:
    if token in _stop_words(language) or _HIRAGANA_ONLY.fullmatch(token) or token.isdigit():
        return None
    return _stem(token, language)


def _stem(token: str, language: str) -> str:
    name = _SNOWBALL.get(language)
    if name is None:
        return token
    from nltk.stem.snowball import SnowballStemmer  # all of nltk comes with it: a second to load

    # A new stemmer each time: the Arabic one's answers depend on the words that it has seen.
    return str(SnowballStemmer(name).stem(token))


@cache
def _stop_words(language: str) -> frozenset[str]:
    if not stopwordsiso.has_lang(language):
        return frozenset()
    return frozenset(stopwordsiso.stopwords(language))
