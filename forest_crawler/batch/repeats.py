"""Pages that several files have: the first file keeps a page, the others drop it.

Only hashes are compared, eight bytes per page. Of a hundred million pages, a page is lost to
another one's hash with a probability of 0.03 %.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

Hashes = bytes
"""64-bit numbers, sorted, as `array("Q")` writes them."""


def split_hashes(hashes: Hashes, groups: int) -> Iterator[tuple[int, Hashes]]:
    """Split hashes into groups, so that equal ones are in the same group."""
    split = [array("Q") for _ in range(groups)]
    for number in array("Q", hashes):
        split[number % groups].append(number)
    return ((group, found.tobytes()) for group, found in enumerate(split) if found)


def find_repeats(found: Iterable[tuple[int, Hashes]]) -> dict[int, Hashes]:
    """Return which hashes each file drops; `found` has the hashes by file.

    >>> one, two = array("Q", [3, 5, 9]).tobytes(), array("Q", [5, 7]).tobytes()
    >>> dropped = find_repeats([(1, two), (0, one)])
    >>> {file: array("Q", hashes).tolist() for file, hashes in dropped.items()}
    {1: [5]}
    """
    seen: set[int] = set()
    dropped: dict[int, Hashes] = {}
    for file, hashes in sorted(found):
        numbers = set(array("Q", hashes))
        if repeated := numbers & seen:
            dropped[file] = array("Q", sorted(repeated)).tobytes()
        seen |= numbers
    return dropped
