"""Document slope curve (Pinto et al.; Gottron, section 5.3): the stretches with few tags.

d(k) counts the tags among the first k tokens. Where the curve is flat there is text; unlike BTE
it may be flat in several places.
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
pages F1 is flat from 20 to 50 and falls beyond 70."""

LOW_SLOPE = 0.5
"""A window is low below this share of the whole document's slope."""

TURN = 3
"""So many low windows in a row open an area, so many others close it."""


@dataclass(frozen=True, slots=True)
class DocumentSlopeExtractor:
    """Takes the leaves in low-slope areas."""

    window: int = WINDOW

    def extract(self, tree: PageTree) -> Selection:
        """Select the leaves of which at least half lies in a low-slope area."""
        stream = read_tokens(tree)
        return select_leaves(tree, stream.leaves_of(low_slope_tokens(stream.is_tag, self.window)))


def low_slope_tokens(is_tag: Flags, window: int) -> Flags:
    """Flag the tokens that lie in a low-slope area.

    An area reaches from the start of the first of the windows that open it to the end of the last
    window before those that close it. The last window may be shorter, its slope is over what it
    has. A slope that equals half the document's is not low.
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
    """The first and last window of each area."""
    first: int | None = None
    run = 0  # how many windows in a row have spoken against the present state
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
