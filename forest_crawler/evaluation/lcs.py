"""Longest common subsequences: exact, bit-parallel, of any two sequences.

Under the sequence measures, and under the alignment of a gold text with a page (`nodes`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from rapidfuzz.distance import LCSseq


def lcs_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence.

    >>> lcs_length("abcbdab", "bdcaba"), lcs_length(["to", "be"], ["be", "to", "be"])
    (4, 2)
    """
    if isinstance(one, str) and isinstance(other, str):
        return LCSseq.similarity(one, other)
    return LCSseq.similarity(*_numbered(one, other))


def lcs_positions(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[int]:
    """The positions in `one` of a longest common subsequence, ascending.

    Needs a bit of memory for each pair of items.

    >>> lcs_positions(["so", "to", "be"], ["to", "be", "or"])
    [1, 2]
    """
    blocks = LCSseq.opcodes(*_numbered(one, other))
    return [
        i for block in blocks if block.tag == "equal" for i in range(block.src_start, block.src_end)
    ]


def _numbered(one: Iterable[Hashable], other: Iterable[Hashable]) -> tuple[list[int], list[int]]:
    # rapidfuzz compares items by hash alone; small numbers are their own hash, so it stays exact.
    numbers: dict[Hashable, int] = {}
    first = [numbers.setdefault(item, len(numbers)) for item in one]
    return first, [numbers.setdefault(item, len(numbers)) for item in other]
