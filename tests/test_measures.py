"""The measures, on cases counted by hand and by their properties."""

from __future__ import annotations

import pytest

from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.evaluation.score import Score

FIVE = "the cat sat on mats"  # four 2-grams: the cat, cat sat, sat on, on mats


@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        pytest.param(FIVE, "The cat -- sat\n ON mats.", Score(1, 1, 1), id="case-and-marks"),
        # 'the cat', 'cat sat' of four
        pytest.param(FIVE, "the cat sat", Score(1, 1 / 2, 2 / 3), id="half"),
        # found: the cat, cat sat, sat on, on mats, mats and, and more: 4 of 6
        pytest.param(FIVE, FIVE + " and more", Score(4 / 6, 1, 8 / 10), id="too-much"),
        pytest.param(FIVE, "on mats sat", Score(1 / 2, 1 / 4, 2 / 6), id="order-matters"),
        # a set: 'a a' once on both sides
        pytest.param("a a a a", "a a", Score(1, 1, 1), id="repeats-count-once"),
        pytest.param(FIVE, "dogs bark", Score(0, 0, 0), id="nothing-common"),
        pytest.param("one", "one", Score(1, 1, 1), id="one-word"),
        pytest.param("one", "two", Score(0, 0, 0), id="other-word"),
        pytest.param("", "", Score(1, 1, 1), id="both-empty"),
        pytest.param(" ...", "!", Score(1, 1, 1), id="both-without-words"),
        pytest.param("", FIVE, Score(0, 0, 0), id="empty-gold"),
        pytest.param(FIVE, "", Score(0, 0, 0), id="empty-extraction"),
    ],
)
def test_bigrams_are_compared_as_sets(gold: str, text: str, expected: Score) -> None:
    assert bigram_score(gold, text) == expected
