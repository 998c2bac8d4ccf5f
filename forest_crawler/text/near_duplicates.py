"""Near-duplicates: the same agency text under two addresses is marked, never dropped.

A text's `sketch` is a handful of numbers; texts that share most of their runs of words have most
numbers in common. It fits in a column of the store and needs no other text to be made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import eq
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from forest_crawler.text.terms import tokenize_once

RUN = 5
"""Words in a row: enough that two texts on one event share few by chance."""

SIZE = 32
"""Numbers of a sketch. The share that two sketches have in common estimates the share of runs, with
a standard error below 0.09."""

ALIKE = 0.6
"""Share of numbers in common from which two texts are the same one, edited: a headline, a lead and
a closing line of a dozen paragraphs may differ."""

MIN_WORDS = 40
"""Words below which nothing is said: short notices are alike by their form."""

BAND = 3
"""Numbers of a sketch that are looked up together: of texts that are just alike, nine in ten share
one of the ten bands (1 - (1 - 0.6^3)^10), of those with four in five numbers in common, nearly all;
and texts on one event rarely share any."""

_BITS = 64
_SPREAD = 0x9E3779B97F4A7C15  # odd, its bits as good as random: 2^64 by the golden ratio
_FACTOR, _SHIFT = np.uint64(_SPREAD), np.uint64(_BITS // 2)
_NONE = np.uint64((1 << _BITS) - 1)  # larger than every number of a bin


def sketch_text(text: str) -> tuple[int, ...]:
    """The sketch of a text: the smallest hash of its runs in each of `SIZE` bins (one permutation
    hashing); empty for a short one.

    >>> sketch_text("too short")
    ()
    """
    words = tokenize_once(text)
    if len(words) < MIN_WORDS:
        return ()
    hashes = _hash_runs(words)
    least = np.full(SIZE, _NONE)
    np.minimum.at(least, (hashes % SIZE).astype(np.intp), hashes // SIZE)
    return tuple(-1 if number == _NONE else number for number in least.tolist())


def sketch_similarity(one: Sequence[int], other: Sequence[int]) -> float:
    """The estimated share of runs that two texts have in common; 0 where one is too short."""
    size = min(len(one), len(other))
    empty = -1 in one and sum(a == b == -1 for a, b in zip(one, other, strict=False))
    return (sum(map(eq, one, other)) - empty) / (size - empty) if size > empty else 0.0


def sketch_bands(sketch: Sequence[int]) -> tuple[int, ...]:
    """What a store looks a sketch up by: a 64-bit number for each of its bands that says something.

    >>> sketch_bands(())
    ()
    """
    bands = [(at, sketch[at : at + BAND]) for at in range(0, len(sketch) - BAND + 1, BAND)]
    return tuple(_mix(at, band) for at, band in bands if max(band) >= 0)


def find_duplicates(sketches: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """For each text that is nearly another one, the first of its kind, in the order they come.

    Only texts that share a number are compared, so it is linear but for texts that are alike.
    """
    firsts: dict[tuple[int, int], list[str]] = {}
    found: dict[str, str] = {}
    for name, sketch in sketches.items():
        first = _first_alike(name, sketch, firsts, sketches)
        if first is not None:
            found[name] = first
            continue
        for place, value in enumerate(sketch):
            if value >= 0:
                firsts.setdefault((place, value), []).append(name)
    return found


def write_sketch(sketch: Iterable[int]) -> str:
    """A sketch as text, for a store."""
    return ",".join(map(str, sketch))


@lru_cache(1000)
def read_sketch(text: str) -> tuple[int, ...]:
    """A sketch from its text; empty where it is none. Texts that are alike are read again soon."""
    try:
        return tuple(map(int, text.split(","))) if text else ()
    except ValueError:
        return ()


def _first_alike(
    name: str,
    sketch: Sequence[int],
    firsts: Mapping[tuple[int, int], Sequence[str]],
    sketches: Mapping[str, Sequence[int]],
) -> str | None:
    shared: dict[str, int] = {}
    for place, value in enumerate(sketch):
        for other in firsts.get((place, value), ()):
            shared[other] = shared.get(other, 0) + 1
    likely = [other for other, count in shared.items() if count >= ALIKE * SIZE / 2]
    return next((it for it in likely if sketch_similarity(sketch, sketches[it]) >= ALIKE), None)


def _mix(place: int, band: Sequence[int]) -> int:
    """A band as a signed number; its own are hashes, so that multiplying spreads them enough."""
    mixed = place
    for number in band:
        mixed = (mixed * _SPREAD + number) % (1 << _BITS)
    return mixed - (1 << (_BITS - 1))


def _hash_runs(words: Sequence[str]) -> NDArray[np.uint64]:
    """A number for each run of words, the same on every machine.

    The words' checksums are mixed by multiplying and shifting, as hash functions of numbers do.
    """
    sums = {word: crc32(word.encode("utf-8", "replace")) for word in set(words)}
    of_word = np.array(list(map(sums.__getitem__, words)), dtype=np.uint64)
    runs = np.zeros(len(words) - RUN + 1, dtype=np.uint64)
    for at in range(RUN):
        runs = runs * _FACTOR + of_word[at : at + len(runs)]
        runs ^= runs >> _SHIFT
    return (runs * _FACTOR) ^ (runs >> _SHIFT)
