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

_IS_MARK, _IS_DIGIT, _IS_END, _IS_CLOSER = map(np.uint8, (1, 2, 4, 8))

# By code point; the last entry is for all code points above: there may be digits, as from 0x660 on.
_MEANINGS = np.zeros(max(map(ord, _PUNCTUATION)) + 2, dtype=np.uint8)
for _letters, _meaning in (
    (_PUNCTUATION, _IS_MARK),
    ("0123456789", _IS_DIGIT),
    (_SENTENCE_ENDS, _IS_END),
    (_CLOSERS, _IS_CLOSER),
):
    _MEANINGS[list(map(ord, _letters))] |= _meaning
_MEANINGS[0x660:] |= _IS_DIGIT

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
    ends = np.fromiter(map(len, texts), np.int64, len(texts)).cumsum()
    meanings = _MEANINGS.take(letters, mode="clip")
    return Marks(
        _count(meanings & _IS_MARK, ends).astype(np.float64),
        _end_sentences(texts, meanings.take(ends - 1)),
        _find_dates(texts, _count(meanings & _IS_DIGIT, ends)),
    )


def _count(wanted: npt.NDArray[np.uint8], ends: Ints) -> Ints:
    """Count the wanted letters of each text; few letters are wanted."""
    return np.bincount(ends.searchsorted(wanted.nonzero()[0], side="right"), minlength=len(ends))


def _end_sentences(texts: list[str], last: npt.NDArray[np.uint8]) -> Floats:
    """Return 1 for each text that ends like a sentence, inside or outside of quotation marks."""
    found = (last & _IS_END > 0).astype(np.float64)
    for i in (last & _IS_CLOSER).nonzero()[0].tolist():
        found[i] = texts[i].rstrip(_CLOSERS)[-1:] in _SENTENCE_ENDS
    return found


def _find_dates(texts: list[str], digits: Ints) -> Floats:
    found = np.zeros(len(texts))
    for i in digits.nonzero()[0].tolist():
        found[i] = _DATE.search(texts[i]) is not None
    return found
