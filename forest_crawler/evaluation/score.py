"""`Score`: precision, recall and F1 of one extraction, as every measure returns it.

Empty texts are handled here, for all measures: an empty extraction of an empty gold is right
(1, 1, 1); if only one of the two is empty, it is wrong (0, 0, 0). So F1 is 1 exactly if the measure
sees no difference between gold and extraction.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """How well an extraction agrees with the gold; each number is from 0 to 1."""

    precision: float
    recall: float
    f1: float


PERFECT = Score(1.0, 1.0, 1.0)
ZERO = Score(0.0, 0.0, 0.0)


def score_overlap(common: int, wanted: int, extracted: int) -> Score:
    """Compute a score from counts of items: in both, in the gold, in the extraction.

    F1 is 2·common / (wanted + extracted): the harmonic mean, without its division by zero.

    >>> score_overlap(2, wanted=4, extracted=2)
    Score(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    if wanted == extracted == 0:
        return PERFECT
    if common == 0:
        return ZERO
    return Score(common / extracted, common / wanted, 2 * common / (wanted + extracted))
