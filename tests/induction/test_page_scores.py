"""Score the blocks of a sample; the page type is decided per site, not per page."""

from __future__ import annotations

import numpy as np
import pytest

from forest_crawler.induction import page_scores
from forest_crawler.induction.page_scores import score_sample
from forest_crawler.page.tree import parse_page
from forest_crawler.page_model.model import bundled_model, compute_page_features, score_features

STORY = "<h1>Ferry returns</h1><p>" + "The ferry came back to the old pier on Monday. " * 6
OTHER_STORY = "<h1>Bridge opens</h1><p>" + "The bridge was opened by the mayor at noon. " * 6


@pytest.mark.parametrize(
    ("likely", "expected"),
    [
        pytest.param([0.7, 0.88], 0.0, id="articles-if-in-doubt"),  # mean 0.79
        pytest.param([0.78, 0.88], 0.83, id="surely-others"),
    ],
)
def test_the_page_type_is_decided_for_the_whole_sample(
    likely: list[float], expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(likely)
    monkeypatch.setattr(page_scores, "other_probability", lambda model, page: next(answers))
    trees = [parse_page(STORY), parse_page(OTHER_STORY)]
    for tree, scores in zip(trees, score_sample(trees), strict=True):
        alone = score_features(compute_page_features(tree), bundled_model(), expected).probabilities
        # The first block is the headline, which is content whatever the page model says.
        np.testing.assert_allclose(scores.content[1:], alone[1:])


def test_pages_without_text_have_no_blocks() -> None:
    scores = score_sample([parse_page("<img src=a.png>"), parse_page("<img src=b.png>")])
    assert [len(page.content) for page in scores] == [0, 0]


def test_features_computed_before_are_not_computed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trees = [parse_page(STORY), parse_page(OTHER_STORY)]
    expected = [scores.content.tolist() for scores in score_sample(trees)]
    known = compute_page_features(trees[0])
    again = [trees[1]]  # the only page without features
    monkeypatch.setattr(
        page_scores, "compute_page_features", lambda tree: compute_page_features(again.pop())
    )
    found = score_sample(trees, [known, None])
    assert [scores.content.tolist() for scores in found] == expected
    assert not again
