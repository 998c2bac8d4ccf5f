"""Find near-duplicates, such as the same agency text under two URLs.

They are marked, never dropped. A text's sketch is a few numbers; texts that share most of their
runs of words have most numbers in common. A sketch fits in a column of the store and is computed
from the text alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import eq
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from forest_crawler.text.terms import tokenize_once

RUN_LENGTH = 5
"""Words in a row: enough that two texts on one event share few runs by chance."""

SKETCH_SIZE = 32
"""Numbers of a sketch. The share that two sketches have in common estimates the share of runs, with
a standard error below 0.09."""

MIN_SIMILARITY = 0.6
"""Share of common numbers from which one text is an edited copy of the other: headline, lead and
closing line of a dozen paragraphs may differ."""

MIN_WORDS = 40
"""Words; shorter texts have no sketch, because short notices resemble each other by their form."""

BAND_SIZE = 3
"""Numbers of a sketch that are looked up together. Of texts with `MIN_SIMILARITY`, nine in ten
share one of the ten bands (1 - (1 - 0.6^3)^10); of those with four in five numbers in common,
nearly all do; different texts on one event rarely share any."""

_BITS = 64
_SPREAD = 0x9E3779B97F4A7C15  # odd, with well-mixed bits: 2^64 / golden ratio
_FACTOR, _SHIFT = np.uint64(_SPREAD), np.uint64(_BITS // 2)
_NONE = np.uint64((1 << _BITS) - 1)  # larger than every number of a bin


def sketch_text(text: str) -> tuple[int, ...]:
    """Make the sketch of a text; a short text has an empty one.

    One permutation hashing: the least hash of the text's runs in each of `SKETCH_SIZE` bins.

    >>> sketch_text("too short")
    ()
    """
    words = tokenize_once(text)
    if len(words) < MIN_WORDS:
        return ()
    hashes = _hash_runs(words)
    minima = np.full(SKETCH_SIZE, _NONE)
    np.minimum.at(minima, (hashes % SKETCH_SIZE).astype(np.intp), hashes // SKETCH_SIZE)
    return tuple(-1 if number == _NONE else number for number in minima.tolist())


def sketch_similarity(one: Sequence[int], other: Sequence[int]) -> float:
    """Estimate the share of runs that two texts share; 0 if one is too short."""
    size = min(len(one), len(other))
    empty = -1 in one and sum(a == b == -1 for a, b in zip(one, other, strict=False))
    return (sum(map(eq, one, other)) - empty) / (size - empty) if size > empty else 0.0


def sketch_bands(sketch: Sequence[int]) -> tuple[int, ...]:
    """Return the 64-bit keys to look a sketch up by, one per non-empty band.

    >>> sketch_bands(())
    ()
    """
    starts = range(0, len(sketch) - BAND_SIZE + 1, BAND_SIZE)
    bands = [(start, sketch[start : start + BAND_SIZE]) for start in starts]
    return tuple(_mix(start, band) for start, band in bands if max(band) >= 0)


def find_duplicates(sketches: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """Map each near-duplicate to the first of the texts that it resembles.

    Compares only texts that share a number: linear, except for groups of similar texts.
    """
    firsts: dict[tuple[int, int], list[str]] = {}
    found: dict[str, str] = {}
    for name, sketch in sketches.items():
        first = _find_original(name, sketch, firsts, sketches)
        if first is not None:
            found[name] = first
            continue
        for position, value in enumerate(sketch):
            if value >= 0:
                firsts.setdefault((position, value), []).append(name)
    return found


def write_sketch(sketch: Iterable[int]) -> str:
    """Write a sketch as text, for a store."""
    return ",".join(map(str, sketch))


@lru_cache(1000)
def read_sketch(text: str) -> tuple[int, ...]:
    """Read a sketch from its text; an invalid text gives an empty one.

    Cached, because the sketches of similar texts are read again soon.
    """
    try:
        return tuple(map(int, text.split(","))) if text else ()
    except ValueError:
        return ()


def _find_original(
    name: str,
    sketch: Sequence[int],
    firsts: Mapping[tuple[int, int], Sequence[str]],
    sketches: Mapping[str, Sequence[int]],
) -> str | None:
    shared: dict[str, int] = {}
    for position, value in enumerate(sketch):
        for other in firsts.get((position, value), ()):
            shared[other] = shared.get(other, 0) + 1
    likely = [other for other, count in shared.items() if count >= MIN_SIMILARITY * SKETCH_SIZE / 2]
    similar = (it for it in likely if sketch_similarity(sketch, sketches[it]) >= MIN_SIMILARITY)
    return next(similar, None)


def _mix(start: int, band: Sequence[int]) -> int:
    """Combine a band into a signed number; its numbers are well-mixed hashes."""
    mixed = start
    for number in band:
        mixed = (mixed * _SPREAD + number) % (1 << _BITS)
    return mixed - (1 << (_BITS - 1))


def _hash_runs(words: Sequence[str]) -> NDArray[np.uint64]:
    """Hash each run of words, to the same number on every machine.

    Mixes the words' checksums by multiplying and shifting, as hash functions of numbers do.
    """
    sums = {word: crc32(word.encode("utf-8", "replace")) for word in set(words)}
    of_word = np.array(list(map(sums.__getitem__, words)), dtype=np.uint64)
    runs = np.zeros(len(words) - RUN_LENGTH + 1, dtype=np.uint64)
    for offset in range(RUN_LENGTH):
        runs = runs * _FACTOR + of_word[offset : offset + len(runs)]
        runs ^= runs >> _SHIFT
    return (runs * _FACTOR) ^ (runs >> _SHIFT)
