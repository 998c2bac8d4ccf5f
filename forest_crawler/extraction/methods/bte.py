"""Select the run of most words and fewest tags: Body Text Extraction.

Finn et al.; Gottron, section 5.2.

The page is a sequence of tokens B, 1 for a tag and 0 for a word. The method finds the i and j with
the greatest T(i, j) = tags before i + words from i to j + tags after j.
"""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.extraction.methods.registry import register
from forest_crawler.extraction.methods.token_stream import TokenStream, read_tokens
from forest_crawler.page.selection import Selection, select_leaves
from forest_crawler.page.tree import PageTree


@dataclass(frozen=True, slots=True)
class BodyTextExtractor:
    """Selects the leaves of one continuous run of tokens."""

    def extract(self, tree: PageTree) -> Selection:
        """Select the leaves in the page's best run."""
        return select_leaves(tree, best_run(read_tokens(tree)))


def best_run(stream: TokenStream) -> range:
    """Find the leaves between the tokens i and j of greatest T; none without words.

    With K tags in all, T(i, j) = K - (tags inside) + (words inside) = K + Σ (1 - 2B) over i..j.
    K is the same for every i and j, so the greatest T is the greatest sum of a run in which a
    word counts +1 and a tag -1: one pass with a running sum (Kadane) instead of trying all pairs.
    A best run starts and ends at the border of a leaf, because further words of a leaf only add to
    it; so whole leaves, each with the tags before it, are enough. Of equally good runs the result
    is the one that starts first, then the one that ends first, as if all pairs were tried in order.
    """
    best_sum, best = 0, range(0)
    running, start = 0, 0
    runs = zip(stream.words.tolist(), stream.tags[:-1].tolist(), strict=True)
    for leaf, (words, tags) in enumerate(runs):
        running -= tags
        if running < 0:
            running, start = 0, leaf
        running += words
        if running > best_sum:
            best_sum, best = running, range(start, leaf + 1)
    return best


register("bte", BodyTextExtractor())
