"""What sibling pages say of their blocks: the sort of page is the site's, not the page's."""

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
        pytest.param([0.7, 0.88], 0.0, id="in-doubt-articles"),  # mean 0.79
        pytest.param([0.78, 0.88], 0.83, id="surely-others"),
    ],
)
def test_the_pages_of_a_site_are_of_one_sort(
    likely: list[float], expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(likely)
    monkeypatch.setattr(page_scores, "other_probability", lambda model, page: next(answers))
    trees = [parse_page(STORY), parse_page(OTHER_STORY)]
    for tree, scores in zip(trees, score_sample(trees), strict=True):
        alone = score_features(compute_page_features(tree), bundled_model(), expected).probabilities
        # The headline is the first block, and taken for content whatever the trees say.
        np.testing.assert_allclose(scores.content[1:], alone[1:])


def test_pages_without_text_have_no_blocks() -> None:
    scores = score_sample([parse_page("<img src=a.png>"), parse_page("<img src=b.png>")])
    assert [len(page.content) for page in scores] == [0, 0]


def test_evidence_that_was_gathered_before_is_not_gathered_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trees = [parse_page(STORY), parse_page(OTHER_STORY)]
    expected = [scores.content.tolist() for scores in score_sample(trees)]
    known = compute_page_features(trees[0])
    again = [trees[1]]  # the only one that nobody has gathered
    monkeypatch.setattr(
        page_scores, "compute_page_features", lambda tree: compute_page_features(again.pop())
    )
    found = score_sample(trees, [known, None])
    assert [scores.content.tolist() for scores in found] == expected
    assert not again
