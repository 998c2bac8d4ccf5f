"""Marks that mean the same in every language: punctuation, sentence ends, dates.

Part of `layout`. All texts are searched as one, since most have only a few words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from forest_crawler.page_model.division import Floats, Ints

_PUNCTUATION = ",;:.!?…。、，；：！？؟،।"
_SENTENCE_ENDS = frozenset(".!?…。！？؟।:")
_CLOSERS = "\"'”’»)]"

# By code point; the last entry is for all code points above.
_IS_PUNCTUATION = np.zeros(max(map(ord, _PUNCTUATION)) + 2, dtype=bool)
_IS_PUNCTUATION[list(map(ord, _PUNCTUATION))] = True
_MAY_BE_DIGIT = np.zeros(0x660 + 1, dtype=bool)  # where the first digits after ASCII's are
_MAY_BE_DIGIT[[*map(ord, "0123456789"), -1]] = True

# 19xx or 20xx, or two numbers as in 7:14 and 3/12. The pattern begins with a digit, which makes it
# fast: a lookbehind after the first digit checks what precedes a year.
_DATE = re.compile(r"\d(?:\d?[:/.]\d\d|(?<!\d.)(?:(?<=1)9|(?<=2)0)\d\d(?!\d))")


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """The marks of each text."""

    punctuation: Floats  # number of marks
    sentences: Floats  # 1 if the text ends like a sentence
    dates: Floats  # 1 if the text has a date or a time


def read_marks(texts: list[str]) -> Marks:
    """Find the marks of texts with folded blanks, none of them empty.

    >>> marks = read_marks(["It rained, all day.", "Since 2012"])
    >>> marks.punctuation.tolist(), marks.sentences.tolist(), marks.dates.tolist()
    ([2.0, 0.0], [1.0, 0.0], [0.0, 1.0])
    """
    if not texts:
        return Marks(np.zeros(0), np.zeros(0), np.zeros(0))
    letters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    ends = np.cumsum(np.array(list(map(len, texts))))
    sentences = [text[-1] in _SENTENCE_ENDS or _ends_quotation(text) for text in texts]
    return Marks(
        _count(_IS_PUNCTUATION, letters, ends).astype(np.float64),
        np.array(sentences, dtype=np.float64),
        _find_dates(texts, _count(_MAY_BE_DIGIT, letters, ends)),
    )


def _count(wanted: npt.NDArray[np.bool_], letters: npt.NDArray[np.uint32], ends: Ints) -> Ints:
    """Count the wanted letters of each text; few letters are wanted."""
    positions = np.flatnonzero(wanted.take(letters, mode="clip"))
    return np.bincount(np.searchsorted(ends, positions, side="right"), minlength=len(ends))


def _find_dates(texts: list[str], digits: Ints) -> Floats:
    found = np.zeros(len(texts))
    for i in np.flatnonzero(digits).tolist():
        found[i] = _DATE.search(texts[i]) is not None
    return found


def _ends_quotation(text: str) -> bool:
    return text[-1] in _CLOSERS and text.rstrip(_CLOSERS)[-1:] in _SENTENCE_ENDS
