"""Choose a page's content: the blocks of greatest expected F1, the headline, terms, code.

The last stage of the page model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from forest_crawler.page_model.division import Floats, Ints
from forest_crawler.page_model.layout import Layout
from forest_crawler.page_model.model import Opinion, ScoredBlocks, mix_opinions

MIN_THRESHOLD = 0.02
MAX_THRESHOLD = 0.5
"""Half of a perfect F1: no page has a higher threshold."""

TOGETHER = 0.5
"""How far a page's blocks are content together: 0 for each by itself, 1 for all or none."""

_LEVELS = ((np.arange(10) + 0.5) / 10)[:, None]
_CASE_WEIGHTS = np.array([1 - TOGETHER] + [TOGETHER / len(_LEVELS)] * len(_LEVELS))

HEADLINE_WORDS = (2, 40)
MIN_SIMILARITY = 0.5
"""Min similarity of a headline to the stated title."""

HEADLINE_REACH = 6
"""Max blocks from the first content block to a headline after it."""

MIN_HEADLINE = 0.3

CODE_LEVELS = 3
"""Elements above code of which one holds the text that it belongs to: highlighters add some."""

CODE_REACH = 25
"""Max blocks from chosen text to the code after it: other code may be in between."""

MAX_CODE_LABEL = 5
"""Max words beside code in the elements around it that aren't content: a language, or "Copy". More
are a reader's comment, whose code isn't the article's."""

_CODE_TAGS = frozenset({"pre"})
_TERM_TAGS = frozenset({"dt"})
_LIST_TAGS = frozenset({"dt", "dd"})


def choose_blocks(scored: ScoredBlocks) -> npt.NDArray[np.bool_]:
    """Decide for each block of a page whether it is content."""
    features, likely = scored.features, scored.probabilities
    words = features.layout.blocks.words
    chosen = choose_jointly(scored.opinions, words)
    title, heading = features.column("like title"), features.column("heading")
    headline = choose_headline(likely, chosen, words, title.astype(float), heading.astype(float))
    if headline is not None:
        chosen[headline] = True
    add_terms(features.layout, chosen)
    add_code(features.layout, chosen)
    return chosen


def add_code(layout: Layout, chosen: npt.NDArray[np.bool_]) -> None:
    """Choose the code that follows chosen text in a container around both.

    The trees were trained on gold that has code only now and then; an article about a command says
    nothing without it.
    """
    code = layout.markup.has_tag(_CODE_TAGS).nonzero()[0]
    if not len(code) or not len(chosen):
        return
    starts, ends = layout.first.take(code), layout.last.take(code)
    last_chosen = np.maximum.accumulate(np.where(chosen, np.arange(len(chosen)), -1))
    before = np.where(starts > 0, last_chosen.take(np.maximum(starts - 1, 0)), -1)
    sought = (before >= 0) & (starts - before <= CODE_REACH)
    follows = np.zeros(len(code), dtype=bool)
    other_words = _count_other_words(layout, chosen, starts, ends)
    part = code  # of the container, with the code
    for _ in range(CODE_LEVELS):
        around = layout.parents.take(part)
        sought &= around != 0  # body itself is around everything
        is_found = sought & (before >= layout.first.take(around))
        beside = other_words[layout.last.take(part)] - other_words[layout.first.take(part)]
        follows |= is_found & (beside <= MAX_CODE_LABEL)
        sought &= ~is_found
        part = around
    for start, end in zip(starts[follows].tolist(), ends[follows].tolist(), strict=True):
        chosen[start:end] = True


def _count_other_words(
    layout: Layout, chosen: npt.NDArray[np.bool_], starts: Ints, ends: Ints
) -> Floats:
    """Count the words before each block, and at the end, that are neither chosen nor code."""
    size = len(chosen)
    depth = np.bincount(starts, minlength=size + 1) - np.bincount(ends, minlength=size + 1)
    is_other = (np.cumsum(depth)[:size] == 0) & ~chosen
    return np.concatenate(([0.0], np.cumsum(np.where(is_other, layout.blocks.words, 0.0))))


def choose_jointly(opinions: Sequence[Opinion], words: Floats) -> npt.NDArray[np.bool_]:
    """Choose the blocks with the greatest expected F1 of words, over all kinds.

    A page's kind decides about all of its blocks: in an article no comment is content, in a thread
    all are. So every choice is judged by every opinion, and the weighted mean decides; mixed
    probabilities would keep blocks that are likely in neither case. The choices are the most likely
    blocks in the order of each opinion, and in the order of their mixture.

    >>> article, thread = np.array([0.9, 0.03]), np.array([0.9, 0.9])
    >>> words = np.array([20.0, 90.0])
    >>> choose_jointly([Opinion(0.6, article), Opinion(0.4, thread)], words).tolist()
    [True, False]
    >>> best_threshold(0.6 * article + 0.4 * thread, words) < 0.6 * 0.03 + 0.4 * 0.9
    True
    """
    mixed = mix_opinions(opinions, len(words))
    chosen = np.zeros(len(words), dtype=bool)
    hopeful = (mixed > MIN_THRESHOLD).nonzero()[0]
    if not len(hopeful):
        return chosen
    weights, content, totals = _imagine_cases(opinions, words)
    content, hopeful_words = content.take(hopeful, axis=1), words.take(hopeful)
    orders = [likely.take(hopeful) for _, likely in opinions]
    if len(opinions) > 1:
        orders.append(mixed.take(hopeful))
    greatest = 0.0
    for likely in orders:
        order = (-likely).argsort(kind="stable")
        words_of_both = hopeful_words.take(order).cumsum() + totals[:, None]
        np.maximum(words_of_both, 1e-9, out=words_of_both)
        expected = weights @ (content.take(order, axis=1).cumsum(axis=1) / words_of_both)
        best = int(expected.argmax())
        if expected[best] > greatest:
            greatest = float(expected[best])
            chosen[:] = False
            chosen[hopeful[order[: best + 1]]] = True
    return chosen


def _imagine_cases(opinions: Sequence[Opinion], words: Floats) -> tuple[Floats, Floats, Floats]:
    """List possible cases: weights, each block's content words, and their sums.

    Each opinion gives one case in which every block is content independently, and several in which
    the blocks depend on each other: at a level of strictness between 0 and 1, all more likely
    blocks are content. With independent blocks only, a hundred doubtful comments would outweigh a
    post of twenty words.
    """
    weights = np.concatenate([weight * _CASE_WEIGHTS for weight, _ in opinions])
    content = np.concatenate(
        [case for _, likely in opinions for case in (likely[None, :], likely > _LEVELS)]
    )
    content = content * words
    return weights, content, content.sum(axis=1)


def best_threshold(likely: Floats, words: Floats) -> float:
    """Find the probability threshold that maximises the expected F1 of words.

    If F is the greatest expected F1, taking a block pays if its probability exceeds F / 2: on a
    page of doubtful blocks, more are taken.

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


def add_terms(layout: Layout, chosen: npt.NDArray[np.bool_]) -> None:
    """Choose the terms of chosen descriptions as well: terms are short, often links, like a menu.

    "The address that it connects to." says nothing without the `url` before it.
    """
    words, ends = layout.blocks.words, layout.ends
    is_term, is_listed = (layout.markup.has_tag(tags) for tags in (_TERM_TAGS, _LIST_TAGS))
    # Several terms may share a description, so the last comes first.
    for term in is_term.nonzero()[0][::-1].tolist():
        following = ends[term]
        if following == len(is_listed) or not is_listed[following]:
            continue
        described = slice(layout.first[following], layout.last[following])
        if words[described][chosen[described]].sum() > layout.held.words[following] / 2:
            chosen[layout.first[term] : layout.last[term]] = True


def choose_headline(
    likely: Floats, chosen: npt.NDArray[np.bool_], words: Floats, title: Floats, heading: Floats
) -> int | None:
    """Choose a headline that is like the title and near the content's start.

    `title` is each block's similarity to the stated title, `heading` 1 for h1 to h6.
    """
    text = np.flatnonzero(chosen & (words >= 8))
    if not len(text):
        return None
    min_words, max_words = HEADLINE_WORDS
    off = np.arange(len(words)) - text[0]
    score = title + 0.25 * heading + 0.2 * likely - 0.01 * np.abs(off)
    fits = (
        (title >= MIN_SIMILARITY)
        & (words >= min_words)
        & (words <= max_words)
        & (off <= HEADLINE_REACH)
    )
    score = np.where(fits, score, 0)
    best = int(score.argmax())
    return best if score[best] > MIN_HEADLINE else None
