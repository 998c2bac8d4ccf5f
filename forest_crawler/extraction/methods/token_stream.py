"""`TokenStream`: a page as a sequence of tags and words in document order.

Shared by the token-based methods (`bte`, `dsc`, `ccb`). The stream is stored as runs, so its size
is that of the page's leaves, not of its words. `leaves_of` turns chosen words into leaves again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from forest_crawler.page.outline import Outline
from forest_crawler.page.tree import PageTree

Numbers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

VOID_TAGS = frozenset(
    "area base basefont br col command embed frame hr img input keygen link meta param source "
    "spacer track wbr".split()
)
"""Elements without an end tag: one token, not two."""

_IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_IDEOGRAPHS}]|[^\W_{_IDEOGRAPHS}][^\s{_IDEOGRAPHS}]*")
"""A word is what blanks separate, if it starts with a letter or digit; an ideograph is a word."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenStream:
    """`tags[0]` tags, then the `words[0]` words of leaf 0, `tags[1]` tags, and so on.

    `tags` is one longer than `words`: its last entry counts the tags after the last leaf.
    """

    words: Numbers
    tags: Numbers

    @property
    def is_tag(self) -> Flags:
        """A flag per token: whether it is a tag (the papers' 1) or a word (0)."""
        runs = np.empty(2 * len(self.words) + 1, dtype=np.int64)
        runs[0::2] = self.tags
        runs[1::2] = self.words
        return np.repeat(np.arange(len(runs)) % 2 == 0, runs)

    def leaves_of(self, chosen: Flags) -> list[int]:
        """List the leaves with at least half of their words chosen (one flag per token).

        A leaf without words, such as a bullet, is chosen if both its neighbours are.
        """
        sums = np.concatenate(([0], np.cumsum(chosen[~self.is_tag])))
        ends = np.cumsum(self.words)
        taken = sums[ends] - sums[ends - self.words]
        has_words = np.flatnonzero(self.words)
        if not len(has_words):
            return []
        is_chosen = 2 * taken >= self.words
        after = np.searchsorted(has_words, np.arange(len(self.words)))
        before = np.searchsorted(has_words, np.arange(len(self.words)), side="right") - 1
        is_inside = (before >= 0) & (after < len(has_words))
        last = len(has_words) - 1
        both = is_chosen[has_words[np.clip(before, 0, last)]]
        both &= is_chosen[has_words[np.clip(after, 0, last)]]
        return [int(leaf) for leaf in np.flatnonzero(is_inside & both)]


def read_tokens(tree: PageTree) -> TokenStream:
    """Make the token stream of a page's body, including the body's own two tags.

    The tags are those of the cleaned tree: hidden elements have none, and an end tag that the page
    omits counts nevertheless.

    >>> from forest_crawler.page.tree import parse_page
    >>> stream = read_tokens(parse_page("<body><p>Two words<br>and <i>three</i> more"))
    >>> stream.tags.tolist(), stream.words.tolist()  # </p></body> at the end
    ([2, 1, 1, 1, 2], [2, 1, 1, 1])
    """
    outline = tree.outline
    voids = np.concatenate(([0], np.cumsum([e.tag in VOID_TAGS for e in outline.elements])))
    before = [0]
    for leaf in range(len(outline.leaf_texts)):
        seen, still_open = _position(outline, leaf)
        # Every element so far has a start tag, and an end tag unless it is void or still open.
        before.append(2 * seen - still_open - int(voids[seen]))
    before.append(2 * len(outline.elements) - int(voids[-1]))
    words = [len(_WORD.findall(text)) for text in outline.leaf_texts]
    tags = [after - here for here, after in pairwise(before)]
    return TokenStream(np.array(words, dtype=np.int64), np.array(tags, dtype=np.int64))


def _position(outline: Outline, index: int) -> tuple[int, int]:
    """Count the elements that start before a leaf, and those that also end after it."""
    leaf, owner = outline.leaves[index], outline.leaf_owners[index]
    last = outline.positions[leaf.element]
    return (outline.ends[last] if leaf.is_tail else last + 1), outline.levels[owner]
