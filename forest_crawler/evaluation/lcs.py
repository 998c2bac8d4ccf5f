"""Compute longest common subsequences of any two sequences, bit-parallel.

Used by the sequence measures, and to align a gold text with a page (`nodes`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from rapidfuzz.distance import LCSseq


def lcs_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence.

    >>> lcs_length("abcbdab", "bdcaba"), lcs_length(["to", "be"], ["be", "to", "be"])
    (4, 2)
    """
    if isinstance(one, str) and isinstance(other, str):
        return LCSseq.similarity(one, other)
    return LCSseq.similarity(*_numbered(one, other))


def lcs_positions(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[int]:
    """Return the positions in `one` of a longest common subsequence, ascending.

    It takes one bit of memory per pair of items.

    >>> lcs_positions(["so", "to", "be"], ["to", "be", "or"])
    [1, 2]
    """
    blocks = LCSseq.opcodes(*_numbered(one, other))
    return [
        i for block in blocks if block.tag == "equal" for i in range(block.src_start, block.src_end)
    ]


def _numbered(one: Iterable[Hashable], other: Iterable[Hashable]) -> tuple[list[int], list[int]]:
    # rapidfuzz compares items by hash only; small numbers are their own hash, so this is exact.
    numbers: dict[Hashable, int] = {}
    first = [numbers.setdefault(item, len(numbers)) for item in one]
    return first, [numbers.setdefault(item, len(numbers)) for item in other]
