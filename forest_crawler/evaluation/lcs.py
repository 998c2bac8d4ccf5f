"""Compute longest common subsequences of any two sequences, bit-parallel.

Used by the sequence measures, and to align a gold text with a page (`nodes`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from forest_crawler.errors import MissingPackageError


def lcs_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence.

    >>> lcs_length("abcbdab", "bdcaba"), lcs_length(["to", "be"], ["be", "to", "be"])
    (4, 2)
    """
    if not (isinstance(one, str) and isinstance(other, str)):
        one, other = _numbered(one, other)
    return int(load_lcs().similarity(one, other))


def lcs_positions(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[int]:
    """Return the positions in `one` of a longest common subsequence, ascending.

    It takes one bit of memory per pair of items.

    >>> lcs_positions(["so", "to", "be"], ["to", "be", "or"])
    [1, 2]
    """
    blocks = load_lcs().opcodes(*_numbered(one, other))
    return [
        i for block in blocks if block.tag == "equal" for i in range(block.src_start, block.src_end)
    ]


def load_lcs() -> Any:
    """Import what computes them; raise `MissingPackageError` without the extra `evaluate`."""
    try:
        from rapidfuzz.distance import LCSseq  # crawls do without
    except ImportError as err:
        what = "a report, or a measure other than the default,"
        raise MissingPackageError(what, "rapidfuzz", extra="evaluate") from err
    return LCSseq


def _numbered(one: Iterable[Hashable], other: Iterable[Hashable]) -> tuple[list[int], list[int]]:
    # rapidfuzz compares items by hash only; small numbers are their own hash, so this is exact.
    numbers: dict[Hashable, int] = {}
    first = [numbers.setdefault(item, len(numbers)) for item in one]
    return first, [numbers.setdefault(item, len(numbers)) for item in other]
