"""Label the blocks of a page as content or not, by the words of its gold text.

This is for training the page model: gold is text, but the model judges blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq

from forest_crawler.evaluation.measures import split_words
from forest_crawler.page_model.division import Blocks, Floats

SHORT_WORDS = 3
"""Up to this many words, a block's bigrams may be in gold by chance: their order must fit too."""

DOUBT = 0.5
"""Difference between the two comparisons from which a label is doubtful."""

DOUBTFUL_WEIGHT = 0.1

MAX_WORDS = 200
"""Words of a block that count, so that one page of law or code does not outweigh the rest."""

CONTENT_WORDS = (100, 3000)
"""Bounds of a page's content words, to which its blocks' weights are relative."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """For each block, the share of it that is content, and its weight in training."""

    content: Floats
    weights: Floats

    @property
    def is_content(self) -> npt.NDArray[np.bool_]:
        """A flag per block: whether more than half of it is content."""
        return self.content > 0.5


def label_blocks(blocks: Blocks, gold: str) -> Labels:
    """Compare each block with the gold text, by its bigrams and by its order."""
    wanted = split_words(gold)
    found = [split_words(text) for text in blocks.texts]
    known = set(pairwise(wanted))
    in_order = _shares_in_order(found, wanted)
    content, trust = np.zeros(len(found)), np.zeros(len(found))
    for i, words in enumerate(found):
        if len(words) == 1:
            content[i], trust[i] = in_order[i], 1
        elif words:
            bigrams = list(pairwise(words))
            share = sum(bigram in known for bigram in bigrams) / len(bigrams)
            content[i] = share if len(words) > SHORT_WORDS else min(share, in_order[i])
            trust[i] = DOUBTFUL_WEIGHT if abs(share - in_order[i]) > DOUBT else 1
    sizes = np.array([len(words) for words in found], dtype=np.float64)
    total = float(np.clip((sizes * (content > 0.5)).sum(), *CONTENT_WORDS))
    clarity = np.maximum(np.abs(2 * content - 1), 0.05)
    return Labels(content, np.minimum(sizes, MAX_WORDS) / total * trust * clarity)


def _shares_in_order(found: Sequence[Sequence[str]], wanted: Sequence[str]) -> Floats:
    """Compute the share of each block's words that are in gold, in the same order."""
    words = [word for block in found for word in block]
    taken = np.zeros(len(words) + 1)
    for step in LCSseq.opcodes(words, wanted):
        if step.tag == "equal":
            taken[step.src_start + 1 : step.src_end + 1] = 1
    sums = np.cumsum(taken)
    ends = np.cumsum([len(block) for block in found], dtype=np.int64)
    starts = np.concatenate(([0], ends[:-1])) if len(ends) else ends
    return np.asarray((sums[ends] - sums[starts]) / np.maximum(ends - starts, 1))
