"""Blocks at one position of a page are judged together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from forest_crawler.page.tree import parse_page
from forest_crawler.page_model.explanation import explain_page
from forest_crawler.page_model.model import bundled_model, score_blocks, score_features
from forest_crawler.page_model.odds import log_odds
from forest_crawler.page_model.positions import (
    MIN_ODDS,
    SHARE,
    number_positions,
    pool_positions,
)

SENTENCE = "The chain ferry carried its first passengers across the narrows on Wednesday morning."


def positions_of(html: str) -> list[int]:
    return list(number_positions(score_blocks(parse_page(html)).features.layout))


@pytest.mark.parametrize(
    ("html", "is_same"),
    [
        pytest.param("<div class=a><p>x</p></div><div class=a><p>y</p></div>", True, id="siblings"),
        pytest.param("<p class='a b'>x</p><p class='a c'>y</p>", True, id="first-class"),
        pytest.param("<div class=a><p>x</p></div><div class=b><p>y</p></div>", False, id="class"),
        pytest.param("<div><p>x</p><li>y</li></div>", False, id="tag"),
        pytest.param("<div><p>x</p></div><p>y</p>", False, id="depth"),
        pytest.param("<ul><li><b>x</b></li><li>y</li></ul>", True, id="inline-elements"),
    ],
)  # fmt: skip
def test_a_position_is_a_path_of_tags_and_first_classes(html: str, is_same: bool) -> None:
    first, second = positions_of(html)
    assert (first == second) == is_same


def test_long_blocks_weigh_more_than_short_ones_but_not_without_bound() -> None:
    likely = np.array([0.8, 0.2])
    # Log odds of 1.386 and -1.386; of 50 and 10 words, their mean is 2/3 of the first.
    mean = math.log(4) * (50 - 10) / 60
    expected = [1 / (1 + math.exp(-(x + SHARE * (mean - x)))) for x in (math.log(4), -math.log(4))]
    for words in (50.0, 5000.0):
        found = pool_positions(likely, np.array([0, 0]), np.array([words, 10.0]))
        assert found == pytest.approx(expected)


@pytest.mark.parametrize("likely", [[0.0, 1.0], [0.5], []], ids=len)
def test_any_probabilities_can_be_pooled(likely: list[float]) -> None:
    size = len(likely)
    found = pool_positions(np.array(likely), np.zeros(size, dtype=int), np.zeros(size))
    assert len(found) == size
    assert np.isfinite(found).all()


def test_a_paragraph_is_likelier_among_those_that_are_content() -> None:
    story = f"<div class=story>{f'<p>{SENTENCE}</p>' * 6}<p>Fog.</p></div>"
    tree = parse_page(f"<title>Ferry</title><h1>Ferry</h1>{story}<ul><li><a href=/x>More</a></ul>")
    alone = score_features(score_blocks(tree).features, bundled_model())
    together = score_blocks(tree)
    index = together.features.layout.blocks.texts.index("Fog.")
    assert together.probabilities[index] > alone.probabilities[index]
    assert together.probabilities[-1] == pytest.approx(alone.probabilities[-1])  # one of its own


def test_an_explanation_says_how_far_its_position_moved_a_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("forest_crawler.page_model.explanation.MAX_REASONS", 1000)
    story = f"<div>{f'<p>{SENTENCE}</p>' * 6}<p>Fog.</p></div>"
    tree = parse_page(f"<title>Ferry</title><h1>Ferry</h1>{story}")
    *_, block = explain_page(tree)
    together = score_blocks(tree)
    alone = score_features(together.features, bundled_model())
    kind = 0 if together.article >= 0.5 else -1  # the likelier one, articles being the first
    before, after = (
        log_odds(it.opinions[kind].probabilities, MIN_ODDS)[-1] for it in (alone, together)
    )
    (reason,) = (it for it in block.reasons if it.column == "position")
    assert reason.weight == pytest.approx(after - before)
    assert reason.weight > 0
