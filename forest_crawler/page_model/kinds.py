"""What sort of page it is, in one row: an article, or a forum, listing, product, manual.

Readers' comments under an article are not content, a forum's posts are: the kind decides.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from forest_crawler.page_model.features import Features
from forest_crawler.page_model.vocabulary import CONCEPTS

LENGTHS = (5, 10, 20, 40, 80)
"""Words of a block: what share of the page is in blocks at least so long."""


def summarise_page(features: Features) -> tuple[tuple[str, ...], npt.NDArray[np.float32]]:
    """Columns and row of what is said of the page as a whole; the page has at least a block."""
    layout = features.layout
    words = layout.blocks.words
    total = max(words.sum(), 1)
    places, names = _page_columns(features.columns)
    row = [
        features.rows[0, places],
        layout.concept_words / total,
        layout.concept_text / max(layout.long.sum(), 1),
        (words >= _MIN_LENGTHS) @ words / total,
        [
            np.count_nonzero(layout.long),
            features.column("date").sum(),
            features.column("alike 2 up").max(),
            features.column("like title").max(),
        ],
    ]
    return names, np.concatenate(row, dtype=np.float32, casting="unsafe")


_MIN_LENGTHS = np.array(LENGTHS)[:, None]


@cache
def _page_columns(known: tuple[str, ...]) -> tuple[list[int], tuple[str, ...]]:
    """Which of the known columns are of the page as a whole, and the names of a page's columns."""
    places = [
        place
        for place, name in enumerate(known)
        if name.startswith(("page ", "stated ")) or name == "share of best"
    ]
    names = [known[place] for place in places]
    names += [f"{where} in {concept}" for where in ("words", "text") for concept in CONCEPTS]
    names += [f"in blocks of {length}" for length in LENGTHS]
    return places, (*names, "text blocks", "dates", "most alike", "like title")
