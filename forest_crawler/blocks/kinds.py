"""What sort of page it is, in one row: an article, or a forum, listing, product, manual.

Readers' comments under an article are not content, a forum's posts are: the kind decides.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from forest_crawler.blocks.evidence import Evidence
from forest_crawler.blocks.layout import NOWHERE
from forest_crawler.blocks.vocabulary import CONCEPTS

LENGTHS = (5, 10, 20, 40, 80)
"""Words of a block: what share of the page is in blocks at least so long."""


def summarise_page(evidence: Evidence) -> tuple[tuple[str, ...], npt.NDArray[np.float32]]:
    """Columns and row of what is said of the page as a whole; the page has at least a block."""
    layout = evidence.layout
    words = layout.blocks.words
    found: dict[str, float] = {
        name: float(value)
        for name, value in zip(evidence.columns, evidence.rows[0], strict=True)
        if name.startswith(("page ", "stated ")) or name == "share of best"
    }
    under = layout.concepts < NOWHERE
    for where, weights in (("words", words), ("text", layout.long)):
        shares = under @ weights / max(weights.sum(), 1)
        found |= {f"{where} in {c}": float(s) for c, s in zip(CONCEPTS, shares, strict=True)}
    for length in LENGTHS:
        found[f"in blocks of {length}"] = float(words[words >= length].sum() / max(words.sum(), 1))
    found["text blocks"] = float(np.count_nonzero(layout.long))
    found["dates"] = float(evidence.column("date").sum())
    found["most alike"] = float(evidence.column("alike 2 up").max())
    found["like title"] = float(evidence.column("like title").max())
    return tuple(found), np.array(list(found.values()), dtype=np.float32)
