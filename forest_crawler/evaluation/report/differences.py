"""Compare gold and extracted text: which words are missing, which superfluous.

Words are those of the measures. The words that both texts have, in order, are their longest common
subsequence; long stretches are cut in the middle, so that the differences are visible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal, TypeAlias

from forest_crawler.evaluation.lcs import lcs_positions

MAX_COMPARED: Final = 10_000
"""Words of a text that are compared, which takes a bit of memory per pair of words."""

MAX_SAME: Final = 24
MAX_DIFFERENT: Final = 120
"""Words that are shown of a stretch that agrees, or differs; the middle is cut."""

MAX_SHOWN: Final = 600
"""Words that are shown of a text."""

Kind: TypeAlias = Literal["same", "different", "cut"]

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text, or the number of words that are cut."""

    kind: Kind
    text: str
    words: int


@dataclass(frozen=True, slots=True)
class Side:
    """One of two texts, abridged."""

    stretches: tuple[Stretch, ...]
    words: int
    different: int  # words that the other text does not have in that order


def compare_texts(gold: str, text: str) -> tuple[Side, Side]:
    """Compare two texts word by word.

    >>> gold, text = compare_texts("One two three.", "Home | One two")
    >>> [(stretch.kind, stretch.text) for stretch in gold.stretches]
    [('same', 'One two '), ('different', 'three.')]
    >>> text.different
    1
    """
    wanted, found = _words(gold), _words(text)
    return (
        _side(gold, set(lcs_positions(wanted, found))),
        _side(text, set(lcs_positions(found, wanted))),
    )


def _words(text: str) -> list[str]:
    # Lower-cased last: a capital may become two characters, one of which would end the word.
    return [word.lower() for word in _WORD.findall(text)[:MAX_COMPARED]]


def _side(text: str, same: set[int]) -> Side:
    pieces = _pieces(text)
    compared = pieces[:MAX_COMPARED]
    stretches = list(_limit(_abridge(_stretches(compared, same))))
    if len(pieces) > len(compared):
        stretches.append(_cut(len(pieces) - len(compared)))
    return Side(tuple(stretches), len(pieces), len(compared) - len(same))


def _pieces(text: str) -> list[str]:
    """Split the text into pieces, each a word and all up to the next one."""
    starts = [match.start() for match in _WORD.finditer(text)]
    if not starts:
        return []
    starts[0] = 0
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


def _stretches(pieces: Sequence[str], same: set[int]) -> Iterator[tuple[Kind, list[str]]]:
    for agrees, group in groupby(range(len(pieces)), key=lambda i: i in same):
        yield "same" if agrees else "different", [pieces[i] for i in group]


def _abridge(stretches: Iterator[tuple[Kind, list[str]]]) -> Iterator[Stretch]:
    for kind, pieces in stretches:
        max_words = MAX_SAME if kind == "same" else MAX_DIFFERENT
        if len(pieces) <= max_words:
            yield Stretch(kind, "".join(pieces), len(pieces))
            continue
        half = max_words // 2
        yield Stretch(kind, "".join(pieces[:half]), half)
        yield _cut(len(pieces) - 2 * half)
        yield Stretch(kind, "".join(pieces[-half:]), half)


def _limit(stretches: Iterator[Stretch]) -> Iterator[Stretch]:
    """Stop after `MAX_SHOWN` words; the rest becomes one cut."""
    shown = rest = 0
    for stretch in stretches:
        words = 0 if stretch.kind == "cut" else stretch.words
        if rest or shown + words > MAX_SHOWN:
            rest += stretch.words
            continue
        shown += words
        yield stretch
    if rest:
        yield _cut(rest)


def _cut(words: int) -> Stretch:
    return Stretch("cut", "", words)
