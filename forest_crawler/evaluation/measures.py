"""Measure how well an extracted text agrees with the gold text.

Each measure is a function `(gold, text) -> Score`, exact, and symmetric in F1. Words are `\\w+` in
lower case, unless a measure says otherwise; blanks never count. `score` handles empty texts. The
measure of DOM nodes also needs the page, and has its own module (`nodes`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from forest_crawler.evaluation.lcs import lcs_length
from forest_crawler.evaluation.score import PERFECT, Score, score_overlap

_WORD = re.compile(r"\w+")


def split_words(text: str) -> list[str]:
    """Split a text into words: runs of letters, digits and underscores, lower-cased.

    >>> split_words("Don't panic, 2 x 2!")
    ['don', 't', 'panic', '2', 'x', '2']
    """
    return _WORD.findall(text.lower())


def bigram_score(gold: str, text: str) -> Score:
    """Compare the sets of 2-grams, two words in a row (the Forest paper's measure).

    A text of one word has no 2-gram; the word itself is used, so that one-word texts can differ.

    >>> bigram_score("a b c", "b c d")
    Score(precision=0.5, recall=0.5, f1=0.5)
    """
    wanted, found = _bigrams(split_words(gold)), _bigrams(split_words(text))
    return score_overlap(len(wanted & found), len(wanted), len(found))


def character_score(gold: str, text: str) -> Score:
    """Compare the characters in order, by their longest common subsequence (Gottron).

    Case and marks count; a run of blanks is one blank.
    """
    wanted, found = " ".join(gold.split()), " ".join(text.split())
    return score_overlap(lcs_length(wanted, found), len(wanted), len(found))


def sequence_score(gold: str, text: str) -> Score:
    """Compare the words in order, by their longest common subsequence (Gottron)."""
    return _lcs_score(split_words(gold), split_words(text))


def bag_score(gold: str, text: str) -> Score:
    """Compare how often each word occurs: the lower count is common (Gottron)."""
    wanted, found = Counter(split_words(gold)), Counter(split_words(text))
    return score_overlap((wanted & found).total(), wanted.total(), found.total())


def set_score(gold: str, text: str) -> Score:
    """Compare which words occur (Gottron)."""
    wanted, found = set(split_words(gold)), set(split_words(text))
    return score_overlap(len(wanted & found), len(wanted), len(found))


def cetd_score(gold: str, text: str) -> Score:
    """Compare the words in order as CETD does: with their marks, split at blanks.

    So case and marks count, and unlike in a bag, the order of words matters.
    """
    return _lcs_score(gold.split(), text.split())


def cleaneval_score(gold: str, text: str) -> Score:
    """Compute the CleanEval score on CETD's words: aligned words / alignment length.

    An alignment keeps, inserts or removes words. If it keeps the longest common subsequence, its
    length is |gold| + |text| - LCS. The score is one number: precision, recall and F1 are equal.

    >>> cleaneval_score("to be or not", "or not to be").f1  # 2 kept, 2 removed, 2 inserted
    0.3333333333333333
    """
    wanted, found = gold.split(), text.split()
    if not wanted and not found:
        return PERFECT
    kept = lcs_length(wanted, found)
    score = kept / (len(wanted) + len(found) - kept)
    return Score(score, score, score)


TEXT_MEASURES: Final[dict[str, Callable[[str, str], Score]]] = {
    "bigrams": bigram_score,
    "characters": character_score,
    "sequence": sequence_score,
    "bag": bag_score,
    "set": set_score,
    "cetd": cetd_score,
    "cleaneval": cleaneval_score,
}


def _bigrams(words: Sequence[str]) -> set[tuple[str, ...]]:
    if len(words) == 1:
        return {(words[0],)}
    return set(pairwise(words))


def _lcs_score(wanted: Sequence[str], found: Sequence[str]) -> Score:
    return score_overlap(lcs_length(wanted, found), len(wanted), len(found))
