"""Measure how many of a page's text blocks are labelled right (Web2Text, Vogels et al. 2018).

A block is a text leaf with words. Blocks are labelled content or not in this way:

- The words of a text (the gold, or that of a method that returns no nodes) are aligned with those
  of the page (`word_alignment`); a block is content if the aligned words have more than two thirds
  of the characters in its words, which is Web2Text's threshold.
- The labelled nodes of a page, and the nodes that a method selects, need no alignment: a block is
  content if it is among them.

Differences from Web2Text: it aligns characters instead of words; its blocks without words count,
too; and it counts the blocks of all pages together, where we take the mean of the pages' scores.
Its published evaluation counts every block once, however short. So does `alignment`;
`alignment-words` counts the words of blocks instead, as a menu of fifty links would otherwise
outweigh the article.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from forest_crawler.evaluation.nodes import selected_leaves
from forest_crawler.evaluation.score import PERFECT, Score, score_overlap
from forest_crawler.evaluation.word_alignment import AlignedWords, align_page_words
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import PageTree

CONTENT_SHARE: Final = Fraction(2, 3)
"""A block is content above this share of aligned characters."""


@dataclass(frozen=True, slots=True)
class BlockLabels:
    """A page's blocks with their numbers of words, and which are content."""

    words: Counter[int]  # by the index of the block's text leaf
    gold: frozenset[int]
    extracted: frozenset[int]


def label_blocks(
    tree: PageTree,
    gold: str,
    extraction: Selection | str,
    gold_nodes: Container[int] | None = None,
) -> BlockLabels:
    """Label a page's blocks by its gold and by an extraction.

    `gold_nodes` are the dfs numbers of the content elements; without them, `gold` is aligned.

    >>> from forest_crawler.page.tree import parse_page
    >>> page = parse_page("<p>Home<p>The ferry is <b>back</b>")
    >>> labels = label_blocks(page, "The ferry is back", "Home")
    >>> sorted(labels.gold), sorted(labels.extracted)
    ([1, 2], [0])
    """
    aligned = align_page_words(tree, gold if gold_nodes is None else "")
    words = Counter(aligned.owners)
    if gold_nodes is None:
        wanted = _aligned_blocks(aligned)
    else:
        owners = enumerate(tree.outline.leaf_owners)
        wanted = (leaf for leaf, owner in owners if owner + 1 in gold_nodes)
    if isinstance(extraction, str):
        found = _aligned_blocks(align_page_words(tree, extraction))
    else:
        found = selected_leaves(extraction)
    return BlockLabels(words, *(frozenset(words.keys() & set(few)) for few in (wanted, found)))


def score_blocks(labels: BlockLabels) -> Score:
    """Compare the content blocks, each counted once."""
    gold, extracted = labels.gold, labels.extracted
    return score_overlap(len(gold & extracted), len(gold), len(extracted))


def score_block_words(labels: BlockLabels) -> Score:
    """Compare the content blocks, each counted by its number of words."""

    def count(blocks: Iterable[int]) -> int:
        return sum(labels.words[block] for block in blocks)

    gold, extracted = labels.gold, labels.extracted
    return score_overlap(count(gold & extracted), count(gold), count(extracted))


def score_block_accuracy(labels: BlockLabels) -> Score:
    """Return the share of blocks with the right label; precision, recall and F1 are equal."""
    if not labels.words:
        return PERFECT
    accuracy = 1 - len(labels.gold ^ labels.extracted) / len(labels.words)
    return Score(accuracy, accuracy, accuracy)


BLOCK_MEASURES: Final[dict[str, Callable[[BlockLabels], Score]]] = {
    "alignment": score_blocks,
    "alignment-words": score_block_words,
    "alignment-accuracy": score_block_accuracy,
}


def _aligned_blocks(found: AlignedWords) -> Iterable[int]:
    """Yield the blocks of which the text has more than two thirds of the characters."""
    totals: Counter[int] = Counter()
    aligned: Counter[int] = Counter()
    for word, block in zip(found.words, found.owners, strict=True):
        totals[block] += len(word)
    for position in found.aligned:
        aligned[found.owners[position]] += len(found.words[position])
    return (block for block in totals if aligned[block] > CONTENT_SHARE * totals[block])
