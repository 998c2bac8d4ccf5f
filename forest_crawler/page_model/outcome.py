"""Whether a page has an article: "no article" is an outcome, not an empty text.

Follows `choice`: on a home page, a listing, a login or consent wall or an error page, `choice`
chooses blocks too, but they differ from an article's.
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
"""Min words of running text: error pages, and frames that scripts fill, have fewer."""

WALL_TEXT = 150
"""Max words of running text on a wall."""

WALL_SHARE = 0.5
"""Min share of a wall's chosen words that are in forms and dialogues."""

_FORM_TAGS = frozenset({"form", "dialog"})
# Stricter than the vocabulary of the model, whose trees can weigh it: blogs name a post
# `format-standard`, councils theirs `notice`, and neither is a wall.
_FORM_NAMES = re.compile(
    r"newsletter|subscri|sign[_-]?(?:up|in)(?![a-z])|log[_-]?in(?![a-z])|registration|cookie"
    r"|consent|gdpr|paywall|modal|pop-?up|overlay|dialog|(?<!plat)form(?![a-z])"
)

WRAPPER_SHARE = 0.9
"""Max share of a form or dialogue: some servers wrap the whole page in a form."""

LISTING_LINKS = 0.4
LISTING_TEXT = 0.35
"""A listing has a larger share of its words in links than the one, or a smaller share in running
text than the other.

Of the training set's articles, one in a hundred is beyond either; of its listings and collections
one in seven, and one in five has too little text. This rule takes the rest for articles.
"""


MIN_ARTICLE = 0.5
"""Min probability that a page is an article, if it looks like a listing and states that it is one:
"ten things to read today"."""

LISTED_WORDS = 100
"""Min words of such an article if nearly all of them are links."""

MIN_PICTURES = 3
"""Min images of a picture story, which may have no more text than their captions."""

_IMAGE_TAGS = frozenset({"img", "amp-img"})


class Outcome(Enum):
    """What a page holds."""

    ARTICLE = "article"
    LISTING = "listing"
    WALL = "wall"
    NO_TEXT = "no text"


def judge_page(scored: ScoredBlocks, chosen: npt.NDArray[np.bool_]) -> Outcome:
    """Judge from the chosen blocks what a page holds."""
    layout = scored.features.layout
    words = layout.blocks.words * chosen
    total, text = words.sum(), layout.long[chosen].sum()
    if text < MIN_TEXT:
        is_story = _count_pictures(layout, chosen) >= MIN_PICTURES or total >= LISTED_WORDS
        return Outcome.ARTICLE if is_story and _states_article(scored) else Outcome.NO_TEXT
    if text < WALL_TEXT and words[_in_forms(layout)].sum() >= WALL_SHARE * total:
        return Outcome.WALL
    if (words * layout.links).sum() > LISTING_LINKS * total or text < LISTING_TEXT * total:
        return Outcome.ARTICLE if _states_article(scored) else Outcome.LISTING
    return Outcome.ARTICLE


def _states_article(scored: ScoredBlocks) -> bool:
    """Whether a page states that it is an article, not a listing, and is laid out as one."""
    if not len(scored.probabilities) or scored.article < MIN_ARTICLE:
        return False
    stated = (scored.features.column(f"stated {kind}")[0] for kind in ("article", "listing"))
    is_article, is_listing = map(bool, stated)
    return is_article and not is_listing


def _count_pictures(layout: Layout, chosen: npt.NDArray[np.bool_]) -> int:
    """Count the images between the first and the last chosen block."""
    blocks = np.flatnonzero(chosen)
    if not len(blocks):
        return 0
    first = layout.first[layout.markup.has_tag(_IMAGE_TAGS)]
    return int(np.count_nonzero((first >= blocks[0]) & (first <= blocks[-1])))


def _in_forms(layout: Layout) -> npt.NDArray[np.bool_]:
    """Find the blocks in a form or dialogue that isn't around the whole page."""
    held, max_words = layout.held.words, WRAPPER_SHARE * layout.sums.words[-1]
    found = np.zeros(len(layout.blocks), dtype=bool)
    for element in np.flatnonzero((held > 0) & (held < max_words)).tolist():
        if _is_form(layout.markup[element].markup):
            found[layout.first[element] : layout.last[element]] = True
    return found


@lru_cache(maxsize=10_000)
def _is_form(markup: Markup) -> bool:
    names = " ".join(name for name in markup[1:] if name)[:MAX_NAME_CHARACTERS]
    return markup.tag in _FORM_TAGS or bool(_FORM_NAMES.search(names.lower()))
