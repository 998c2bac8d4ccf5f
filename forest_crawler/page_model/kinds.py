"""One row of features for a whole page, from which trees derive its kind.

The kind decides what is content: readers' comments under an article aren't, a forum's posts are.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from forest_crawler.page_model.features import Features
from forest_crawler.page_model.vocabulary import CONCEPTS

LENGTHS = (5, 10, 20, 40, 80)
"""Min words of a block; a feature each: the share of the page in blocks at least so long."""


def summarise_page(features: Features) -> tuple[tuple[str, ...], npt.NDArray[np.float32]]:
    """Return the names and values of a page's features, given at least one block."""
    layout = features.layout
    words = layout.blocks.words
    total = max(words.sum(), 1)
    positions, names = _page_columns(features.columns)
    row = [
        features.rows[0].take(positions),
        layout.concept_words / total,
        layout.concept_text / max(layout.long.sum(), 1),
        (words >= _MIN_LENGTHS) @ words / total,
        [
            np.count_nonzero(layout.long),
            layout.marks.dates.sum(),
            features.column("alike 2 up").max(),
            features.column("like title").max(),
        ],
    ]
    return names, np.concatenate(row, dtype=np.float32, casting="unsafe")


_MIN_LENGTHS = np.array(LENGTHS)[:, None]


@cache
def _page_columns(known: tuple[str, ...]) -> tuple[list[int], tuple[str, ...]]:
    """Find the page-wide columns' positions, and name all columns of a page's row."""
    positions = [
        position
        for position, name in enumerate(known)
        if name.startswith(("page ", "stated ")) or name == "share of best"
    ]
    names = [known[position] for position in positions]
    names += [f"{where} in {concept}" for where in ("words", "text") for concept in CONCEPTS]
    names += [f"in blocks of {length}" for length in LENGTHS]
    return positions, (*names, "text blocks", "dates", "most alike", "like title")
