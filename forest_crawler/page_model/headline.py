"""Where blocks are relative to the headline: in its article, or elsewhere.

Part of `features`. A page's article is near its title. Further articles, lists of recommendations
and readers' comments may be longer than the article and read as well, but their common ancestor
with the headline is far up in the tree.
"""

from __future__ import annotations

import numpy as np

from forest_crawler.page_model.division import Floats
from forest_crawler.page_model.layout import NOWHERE, Layout, write_ranges
from forest_crawler.page_model.vocabulary import CONCEPTS

MIN_SIMILARITY = 0.5
"""Min similarity of a headline to the stated title."""

HEADING_GAIN = 0.25
"""What a heading's tag adds to the similarity: breadcrumbs and menus repeat a title too."""

MAX_SHARE = 0.8
"""Max share of a part where no headline is found: a larger element is the page itself."""

AROUND = ("comment", "related", "side", "post", "card", "list", "article")
"""Concepts whose outermost element counts: it names the part of the page, and inner elements only
what the part consists of (`comments` around every `article`)."""

RELATION_COLUMNS = ("up from headline", "down to block", "share with headline", "alike headings")
AROUND_COLUMNS = tuple("around " + concept for concept in AROUND)


def find_title_block(like_title: Floats, heading: Floats) -> int | None:
    """Find the block most like the stated title, if any is like it."""
    score = np.where(like_title >= MIN_SIMILARITY, like_title + HEADING_GAIN * heading, 0.0)
    best = int(score.argmax()) if len(score) else 0
    return best if len(score) and score[best] > 0 else None


def relate_to_headline(layout: Layout, headline: int | None) -> Floats:
    """Relate each block to the headline, one line per column of `RELATION_COLUMNS`.

    Steps up from the headline to their common ancestor, steps down to the block, the ancestor's
    share of the page, and headings with the headline's tag since the headline.
    """
    size = len(layout.blocks)
    found = np.array([[-1.0], [-1.0], [NOWHERE], [-1.0]]).repeat(size, axis=1)
    if headline is None:
        return found
    owner = int(layout.blocks.owners[headline])
    met = np.zeros(size)
    for element in layout.blocks.outline.path(owner):
        inside = slice(layout.first[element], layout.last[element])
        met[inside] = layout.levels[element]
        found[2, inside] = layout.shares[element]
    found[0] = layout.levels[owner] - met
    found[1] = layout.levels[layout.blocks.owners] - met
    tag = layout.markup[owner].signature[0]
    alike = layout.markup.has_tag({tag})[layout.blocks.owners]
    alike[: headline + 1] = False
    found[3] = np.cumsum(alike)
    return found


def share_around(layout: Layout, headline: int | None) -> Floats:
    """Measure the parts around each block, one line per concept of `AROUND`.

    Share of the page's words in the outermost ancestor that carries the concept and excludes the
    headline.
    """
    size, first, last, shares = len(layout.blocks), layout.first, layout.last, layout.shares
    is_apart = shares <= MAX_SHARE
    if headline is not None:
        is_apart = (headline < first) | (headline >= last)
    elements, concepts = layout.named
    wanted = is_apart[elements] & (_ROWS[concepts] >= 0)
    elements, lines = elements[wanted], _ROWS[concepts[wanted]]
    found = np.full((len(AROUND), size), NOWHERE)
    ranges = (first[elements], last[elements])
    write_ranges(found, lines, ranges, shares[elements], outermost=True)
    return found


_ROWS = np.full(len(CONCEPTS), -1)
_ROWS[[CONCEPTS.index(concept) for concept in AROUND]] = np.arange(len(AROUND))
