"""Align the words of a text with those of a page's text leaves.

First at groups of three words that occur once in each (the longest chain of them that keeps the
order), then by longest common subsequence between these anchors. So the time is n·log n, unless
page and text hardly agree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forest_crawler.evaluation.lcs import lcs_positions
from forest_crawler.evaluation.measures import split_words
from forest_crawler.page.tree import PageTree

ANCHOR_WORDS = 3
"""Two words in a row occur in two texts by chance, three hardly ever."""

MAX_ALIGNED_PAIRS = 2**31
"""Longest common subsequences take a bit per pair of words: 256 MB at most.

Only texts of some 46,000 words with hardly a phrase in common have more pairs between two anchors;
these words count as not aligned.
"""


@dataclass(frozen=True, slots=True)
class AlignedWords:
    """The words of a page, the text leaf of each, and which of them a text has."""

    words: Sequence[str]
    owners: Sequence[int]  # of every word: the index of its text leaf
    aligned: Sequence[int]  # positions of words, ascending


def align_page_words(tree: PageTree, text: str) -> AlignedWords:
    """Align a text with a page.

    >>> from forest_crawler.page.tree import parse_page
    >>> found = align_page_words(parse_page("<p>Home<p>Ferry is back"), "The ferry is back")
    >>> found.owners, found.aligned
    ([0, 1, 1, 1], [1, 2, 3])
    """
    owners: list[int] = []
    words: list[str] = []
    for i, leaf_text in enumerate(tree.outline.leaf_texts):
        own = split_words(leaf_text)
        words += own
        owners += [i] * len(own)
    return AlignedWords(words, owners, list(align_words(words, split_words(text))))


def align_words(page: Sequence[str], text: Sequence[str]) -> Iterator[int]:
    """Yield the positions in the page's words that align with the text's, ascending."""
    page_start, text_start = 0, 0
    for page_end, text_end in [*_anchors(page, text), (len(page), len(text))]:
        gap, piece = page[page_start:page_end], text[text_start:text_end]
        if len(gap) * len(piece) <= MAX_ALIGNED_PAIRS:
            for i in lcs_positions(gap, piece):
                yield page_start + i
        if page_end < len(page):
            yield page_end
        page_start, text_start = page_end + 1, text_end + 1


def _anchors(page: Sequence[str], text: Sequence[str]) -> list[tuple[int, int]]:
    """Pair the positions of groups of words that each side has once, both ascending."""
    in_page, in_text = _unique_groups(page), _unique_groups(text)
    pairs = [(i, in_text[group]) for group, i in in_page.items() if group in in_text]
    return _longest_chain(sorted(pairs))


def _unique_groups(words: Sequence[str]) -> dict[tuple[str, ...], int]:
    groups = list(zip(*(words[i:] for i in range(ANCHOR_WORDS)), strict=False))
    counts = Counter(groups)
    return {group: i for i, group in enumerate(groups) if counts[group] == 1}


def _longest_chain(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Find the longest subsequence with ascending second numbers, in O(n log n).

    This is patience sorting.
    """
    ends: list[int] = []  # the lowest second number that ends a chain of each length
    end_pairs: list[int] = []  # the index of its pair
    previous: list[int] = []  # for every pair, the index of the one before it in its chain
    for index, (_, position) in enumerate(pairs):
        length = bisect_left(ends, position)
        previous.append(end_pairs[length - 1] if length else -1)
        ends[length : length + 1] = [position]
        end_pairs[length : length + 1] = [index]
    chain = []
    index = end_pairs[-1] if end_pairs else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]
