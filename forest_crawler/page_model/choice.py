"""Which blocks are content: those that make the expected F1 greatest, and the headline.

Last station of the page model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from forest_crawler.page_model.division import Floats
from forest_crawler.page_model.model import Opinion, ScoredBlocks

MIN_THRESHOLD = 0.02
MAX_THRESHOLD = 0.5
"""Half of a perfect F1: no page needs more."""

TOGETHER = 0.5
"""How far a page's blocks hang together, from each for itself to all or none."""

_LEVELS = ((np.arange(10) + 0.5) / 10)[:, None]
_CASE_WEIGHTS = np.array([1 - TOGETHER] + [TOGETHER / len(_LEVELS)] * len(_LEVELS))

HEADLINE_WORDS = (2, 40)
MIN_LIKENESS = 0.5
"""How like the stated title a headline must be."""

HEADLINE_REACH = 6
"""Blocks behind the first content block in which a headline may still stand."""

MIN_HEADLINE = 0.3


def choose_blocks(scored: ScoredBlocks) -> npt.NDArray[np.bool_]:
    """Whether each block of a page is content."""
    features, likely = scored.features, scored.probabilities
    words = features.layout.blocks.words
    chosen = choose_jointly(scored.opinions, words)
    title, heading = features.column("like title"), features.column("heading")
    headline = choose_headline(likely, chosen, words, title.astype(float), heading.astype(float))
    if headline is not None:
        chosen[headline] = True
    return chosen


def choose_jointly(opinions: Sequence[Opinion], words: Floats) -> npt.NDArray[np.bool_]:
    """The blocks that make the expected F1 of words greatest, over all that the page may be.

    What a page is holds for all of its blocks: if it is an article, none of the comments is
    content, and if it is a thread, all of them are. So each choice is judged by each opinion, and
    the means by their weights decide; mixed probabilities would keep what is likely in neither.
    Choices are the likeliest blocks in the order of each opinion, and in that of their mixture.

    >>> article, thread = np.array([0.9, 0.03]), np.array([0.9, 0.9])
    >>> words = np.array([20.0, 90.0])
    >>> choose_jointly([Opinion(0.6, article), Opinion(0.4, thread)], words).tolist()
    [True, False]
    >>> best_threshold(0.6 * article + 0.4 * thread, words) < 0.6 * 0.03 + 0.4 * 0.9
    True
    """
    mixed = np.sum([weight * likely for weight, likely in opinions], axis=0)
    chosen = np.zeros(len(words), dtype=bool)
    hopeful = np.flatnonzero(mixed > MIN_THRESHOLD)
    if not len(hopeful):
        return chosen
    weights, content, totals = _imagine_cases(opinions, words)
    content = content[:, hopeful]
    orders = [likely[hopeful] for _, likely in opinions]
    if len(opinions) > 1:
        orders.append(mixed[hopeful])
    greatest = 0.0
    for likely in orders:
        order = np.argsort(-likely, kind="stable")
        taken = np.cumsum(words[hopeful[order]])
        words_of_both = np.maximum(taken + totals[:, None], 1e-9)
        expected = weights @ (np.cumsum(content[:, order], axis=1) / words_of_both)
        best = int(expected.argmax())
        if expected[best] > greatest:
            greatest = float(expected[best])
            chosen[:] = False
            chosen[hopeful[order[: best + 1]]] = True
    return chosen


def _imagine_cases(opinions: Sequence[Opinion], words: Floats) -> tuple[Floats, Floats, Floats]:
    """How likely each case is, a line of every block's words of content in it, and their sum.

    By each opinion, one case in which each block is content or not for itself, and those in which
    all hang together: at a level of strictness between 0 and 1, all that is likelier is content. A
    post of twenty words is lost to a hundred doubtful comments if each of these is a chance of its
    own.
    """
    weights = np.concatenate([weight * _CASE_WEIGHTS for weight, _ in opinions])
    content = np.concatenate(
        [case for _, likely in opinions for case in (likely[None, :], likely > _LEVELS)]
    )
    content = content * words
    return weights, content, content.sum(axis=1)


def best_threshold(likely: Floats, words: Floats) -> float:
    """The probability above which taking every block makes the expected F1 of words greatest.

    Where F is the greatest F1 to be had, a block is worth taking if its probability exceeds F / 2:
    on a page that says little for certain, more is taken.

    >>> best_threshold(np.array([1.0, 1.0, 0.0]), np.array([50.0, 50.0, 20.0]))
    0.5
    >>> best_threshold(np.array([0.5, 0.0]), np.array([10.0, 90.0])) # F = 2·5 / (10 + 5) = 2/3
    0.333...
    """
    if not len(likely) or not words.any():
        return MAX_THRESHOLD
    order = np.argsort(-likely, kind="stable")
    taken, right = np.cumsum(words[order]), np.cumsum((likely * words)[order])
    greatest = float((2 * right / np.maximum(taken + right[-1], 1e-9)).max())
    return min(max(greatest / 2, MIN_THRESHOLD), MAX_THRESHOLD)


def choose_headline(
    likely: Floats, chosen: npt.NDArray[np.bool_], words: Floats, title: Floats, heading: Floats
) -> int | None:
    """Choose the article's headline: like the title, and close to the content's start.

    `title` is each block's similarity to the stated title, `heading` 1 for h1 to h6.
    """
    text = np.flatnonzero(chosen & (words >= 8))
    if not len(text):
        return None
    least, most = HEADLINE_WORDS
    off = np.arange(len(words)) - text[0]
    score = title + 0.25 * heading + 0.2 * likely - 0.01 * np.abs(off)
    fits = (title >= MIN_LIKENESS) & (words >= least) & (words <= most) & (off <= HEADLINE_REACH)
    score = np.where(fits, score, 0)
    best = int(score.argmax())
    return best if score[best] > MIN_HEADLINE else None
