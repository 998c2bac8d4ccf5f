"""What the letters of blocks tell in any language: punctuation, sentence ends, dates.

Part of `layout`. All texts are looked through as one, since most are but a few words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from forest_crawler.blocks.division import Floats, Ints

_PUNCTUATION = ",;:.!?…。、，；：！？؟،।"
_SENTENCE_ENDS = frozenset(".!?…。！？؟।:")
_CLOSERS = "\"'”’»)]"

# By code point; the last entry stands for all that are above.
_IS_PUNCTUATION = np.zeros(max(map(ord, _PUNCTUATION)) + 2)
_IS_PUNCTUATION[list(map(ord, _PUNCTUATION))] = 1
_MAY_BE_DIGIT = np.zeros(0x660 + 1, dtype=bool)  # where the first digits behind ASCII's are
_MAY_BE_DIGIT[[*map(ord, "0123456789"), -1]] = True

# 19xx or 20xx, or two numbers as in 7:14 and 3/12. It begins with a digit, which makes it fast:
# what may not stand before a year is looked for from behind its first digit.
_DATE = re.compile(r"\d(?:\d?[:/.]\d\d|(?<!\d.)(?:(?<=1)9|(?<=2)0)\d\d(?!\d))")

_BETWEEN = "\n"


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What was seen in each text."""

    punctuation: Floats  # how many marks
    sentences: Floats  # 1 where the text ends as a sentence does
    dates: Floats  # 1 where there is a date or a time in it


def read_marks(texts: list[str]) -> Marks:
    """Look for the marks of texts whose blanks are folded; none of them is empty.

    >>> marks = read_marks(["It rained, all day.", "Since 2012"])
    >>> marks.punctuation.tolist(), marks.sentences.tolist(), marks.dates.tolist()
    ([2.0, 0.0], [1.0, 0.0], [0.0, 1.0])
    """
    if not texts:
        return Marks(np.zeros(0), np.zeros(0), np.zeros(0))
    joined = _BETWEEN.join(texts).encode("utf-32-le", "surrogatepass")
    letters = np.frombuffer(joined, dtype=np.uint32).astype(np.intp)
    starts = np.array([0, *accumulate(len(text) + len(_BETWEEN) for text in texts)][:-1])
    return Marks(
        np.add.reduceat(_IS_PUNCTUATION.take(letters, mode="clip"), starts),
        np.array([_ends_sentence(text) for text in texts], dtype=np.float64),
        _find_dates(texts, letters, starts),
    )


def _find_dates(texts: list[str], letters: Ints, starts: Ints) -> Floats:
    found = np.zeros(len(texts))
    has_digits = np.logical_or.reduceat(_MAY_BE_DIGIT.take(letters, mode="clip"), starts)
    for i in np.flatnonzero(has_digits).tolist():
        found[i] = _DATE.search(texts[i]) is not None
    return found


def _ends_sentence(text: str) -> bool:
    last = text[-1]
    if last in _CLOSERS:
        last = text.rstrip(_CLOSERS)[-1:]
    return last in _SENTENCE_ENDS
