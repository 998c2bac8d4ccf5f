"""Select stretches with few tags: the document slope curve.

Pinto et al.; Gottron, section 5.3.

d(k) counts the tags among the first k tokens. Where the curve is flat there is text. Unlike BTE,
this method may find several stretches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from forest_crawler.extraction.methods.registry import register
from forest_crawler.extraction.methods.token_stream import Flags, read_tokens
from forest_crawler.page.selection import Selection, select_leaves
from forest_crawler.page.tree import PageTree

WINDOW = 30
"""Tokens in a window (l), about two lines of text. The paper gives no number; on labelled news
pages F1 is the same from 20 to 50 and falls above 70."""

LOW_SLOPE = 0.5
"""A window's slope is low if it is below this share of the whole document's slope."""

TURN = 3
"""This many low windows in a row open an area, and this many others close it."""


@dataclass(frozen=True, slots=True)
class DocumentSlopeExtractor:
    """Selects the leaves in low-slope areas."""

    window: int = WINDOW

    def extract(self, tree: PageTree) -> Selection:
        """Select the leaves with at least half of their words in a low-slope area."""
        stream = read_tokens(tree)
        return select_leaves(tree, stream.leaves_of(low_slope_tokens(stream.is_tag, self.window)))


def low_slope_tokens(is_tag: Flags, window: int) -> Flags:
    """Flag the tokens in low-slope areas.

    An area reaches from the start of the first window that opens it to the end of the last window
    before those that close it. The document's last window may be shorter; its slope is over the
    tokens that it has. A slope that equals half the document's isn't low.
    """
    chosen = np.zeros(len(is_tag), dtype=np.bool_)
    step = max(window // 2, 1)
    curve = np.concatenate(([0], np.cumsum(is_tag)))  # d(k)
    starts = np.arange(0, max(len(is_tag) - step, 1), step)
    ends = np.minimum(starts + window, len(is_tag))
    slopes = (curve[ends] - curve[starts]) / (ends - starts)
    is_low = slopes < LOW_SLOPE * curve[-1] / len(is_tag)
    for first, last in _areas(is_low.tolist()):
        chosen[starts[first] : ends[last]] = True
    return chosen


def _areas(is_low: list[bool]) -> Iterator[tuple[int, int]]:
    """Yield the first and last window of each area."""
    first: int | None = None
    run = 0  # number of windows in a row that contradict the present state
    for index, low in enumerate(is_low):
        run = run + 1 if low == (first is None) else 0
        if run == TURN:
            begin = index - TURN + 1
            if first is None:
                first = begin
            else:
                yield first, begin - 1
                first = None
            run = 0
    if first is not None:
        yield first, len(is_low) - 1


register("dsc", DocumentSlopeExtractor())
