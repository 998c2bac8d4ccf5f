"""Measures: how well an extracted text agrees with the gold text.

Each is a function `(gold, text) -> Score`, exact, and symmetric in F1. Words are `\\w+`, lower
case, unless a measure says otherwise; blanks never count. What is empty is settled in `score`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from forest_crawler.evaluation.score import Score, score_overlap

_WORD = re.compile(r"\w+")


def split_words(text: str) -> list[str]:
    """The words of a text in order: runs of letters, digits and underscores, in lower case.

    >>> split_words("Don't panic, 2 x 2!")
    ['don', 't', 'panic', '2', 'x', '2']
    """
    return _WORD.findall(text.lower())


def bigram_score(gold: str, text: str) -> Score:
    """Compare the sets of 2-grams, two words in a row (the Forest paper's measure).

    A text of one word has no 2-gram; the word stands for it, so that one-word texts differ.

    >>> bigram_score("a b c", "b c d")
    Score(precision=0.5, recall=0.5, f1=0.5)
    """
    wanted, found = _bigrams(split_words(gold)), _bigrams(split_words(text))
    return score_overlap(len(wanted & found), len(wanted), len(found))


def _bigrams(words: Sequence[str]) -> set[tuple[str, ...]]:
    if len(words) == 1:
        return {(words[0],)}
    return set(pairwise(words))
