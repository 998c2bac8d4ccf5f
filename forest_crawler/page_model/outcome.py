"""Whether a page has an article at all: "no article here" is a typed outcome, not an empty text.

Behind `choice`: a home page or listing, a login or consent wall and an error page have chosen
blocks, too, but not of the sort that an article has.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from forest_crawler.page_model.layout import Layout
from forest_crawler.page_model.model import ScoredBlocks
from forest_crawler.page_model.vocabulary import MAX_NAME_CHARACTERS, Markup

MIN_TEXT = 25
"""Words of running text below which there is nothing: error pages, frames that scripts fill."""

WALL_TEXT = 150
"""Words of running text up to which a page can be a wall: they ask, they do not tell."""

WALL_SHARE = 0.5
"""Of the chosen words, how many stand in forms and dialogues on a wall."""

_ASKING_TAGS = frozenset({"form", "dialog"})
# Stricter than the model's vocabulary, whose trees can weigh it: blogs call a post
# `format-standard`, councils theirs a `notice`, and either would be lost for it.
_ASKING = re.compile(
    r"newsletter|subscri|sign[_-]?(?:up|in)(?![a-z])|log[_-]?in(?![a-z])|registration|cookie"
    r"|consent|gdpr|paywall|modal|pop-?up|overlay|dialog|(?<!plat)form(?![a-z])"
)

WRAPPER_SHARE = 0.9
"""A form around more of the page than this is the page's own wrapper, as some servers write it."""

LISTING_LINKS = 0.4
LISTING_TEXT = 0.35
"""More of a listing is in links than the one, less in running text than the other.

Of the training set's articles, one in a hundred is beyond either; of its listings and collections
one in seven, and one in five has too little text. The rest reads like an article to this rule.
"""


class Outcome(Enum):
    """What a page turned out to hold."""

    ARTICLE = "article"
    LISTING = "listing"
    WALL = "wall"
    NO_TEXT = "no text"


def judge_page(scored: ScoredBlocks, chosen: npt.NDArray[np.bool_]) -> Outcome:
    """Tell from the chosen blocks what a page holds."""
    layout = scored.features.layout
    words = layout.blocks.words * chosen
    total, text = words.sum(), layout.long[chosen].sum()
    if text < MIN_TEXT:
        return Outcome.NO_TEXT
    if text < WALL_TEXT and words[_asks(layout)].sum() >= WALL_SHARE * total:
        return Outcome.WALL
    if (words * layout.links).sum() > LISTING_LINKS * total or text < LISTING_TEXT * total:
        return Outcome.LISTING
    return Outcome.ARTICLE


def _asks(layout: Layout) -> npt.NDArray[np.bool_]:
    """Whether each block stands in a form or dialogue that is not around the whole page."""
    words = layout.sums.words
    most = WRAPPER_SHARE * words[-1]
    found = np.zeros(len(layout.blocks), dtype=bool)
    held = layout.inside(words)
    for element in np.flatnonzero((held > 0) & (held < most)).tolist():
        if _is_asking(layout.markup[element].markup):
            found[layout.first[element] : layout.last[element]] = True
    return found


@lru_cache(maxsize=10_000)
def _is_asking(markup: Markup) -> bool:
    names = " ".join(name for name in markup[1:] if name)[:MAX_NAME_CHARACTERS]
    return markup.tag in _ASKING_TAGS or bool(_ASKING.search(names.lower()))
