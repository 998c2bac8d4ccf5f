"""Which blocks of a labelled page are content, by the words of its gold text.

For training the page model: gold is text, the model judges blocks.
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
"""Up to so many words a block's bigrams may be in gold by chance: their place must fit, too."""

DOUBT = 0.5
"""Difference between the two ways of comparing from which a label is hardly believed."""

DOUBTFUL_WEIGHT = 0.1

MAX_WORDS = 200
"""A block's words count up to here, so that one page of law or code does not outweigh the rest."""

CONTENT_WORDS = (100, 3000)
"""A page's content words, within these bounds, are what its blocks' weights are relative to."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """For each block, how much of it is content (0 to 1), and what that counts in training."""

    content: Floats
    weights: Floats

    @property
    def is_content(self) -> npt.NDArray[np.bool_]:
        """Blocks of which more than half is content."""
        return self.content > 0.5


def label_blocks(blocks: Blocks, gold: str) -> Labels:
    """Compare each block with the gold text: by its bigrams, and by where it stands."""
    wanted = split_words(gold)
    found = [split_words(text) for text in blocks.texts]
    known = set(pairwise(wanted))
    placed = _placed_shares(found, wanted)
    content, trust = np.zeros(len(found)), np.zeros(len(found))
    for i, words in enumerate(found):
        if len(words) == 1:
            content[i], trust[i] = placed[i], 1
        elif words:
            bigrams = list(pairwise(words))
            share = sum(bigram in known for bigram in bigrams) / len(bigrams)
            content[i] = share if len(words) > SHORT_WORDS else min(share, placed[i])
            trust[i] = DOUBTFUL_WEIGHT if abs(share - placed[i]) > DOUBT else 1
    sizes = np.array([len(words) for words in found], dtype=np.float64)
    total = float(np.clip((sizes * (content > 0.5)).sum(), *CONTENT_WORDS))
    clarity = np.maximum(np.abs(2 * content - 1), 0.05)
    return Labels(content, np.minimum(sizes, MAX_WORDS) / total * trust * clarity)


def _placed_shares(found: Sequence[Sequence[str]], wanted: Sequence[str]) -> Floats:
    """The share of each block's words that a longest common subsequence with gold takes."""
    words = [word for block in found for word in block]
    taken = np.zeros(len(words) + 1)
    for step in LCSseq.opcodes(words, wanted):
        if step.tag == "equal":
            taken[step.src_start + 1 : step.src_end + 1] = 1
    sums = np.cumsum(taken)
    ends = np.cumsum([len(block) for block in found], dtype=np.int64)
    starts = np.concatenate(([0], ends[:-1])) if len(ends) else ends
    return np.asarray((sums[ends] - sums[starts]) / np.maximum(ends - starts, 1))
