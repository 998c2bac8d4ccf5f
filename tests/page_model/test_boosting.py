"""Trees of a model give each row the value of the leaf that its tests lead to."""

from __future__ import annotations

import numpy as np
import pytest

from forest_crawler.page_model.boosting import BoostedTrees, TreesRecord, read_trees


def chain(depth: int) -> BoostedTrees:
    """Make a tree whose nodes test for 0, 1, 2 …: it gives a row the number of tests it passes."""
    record: TreesRecord = {
        "columns": ["x"],
        "base": 0.0,
        "depth": depth,
        "roots": [0],
        "feature": [0] * (2 * depth + 1),
        "threshold": [np.inf] * (2 * depth + 1),
        "left": list(range(2 * depth + 1)),
        "value": [0.0] * (2 * depth + 1),
    }
    node = 0
    for test in range(depth):  # the left child is a leaf, the right one the next test
        left = 2 * test + 1
        record["threshold"][node], record["left"][node] = test, left
        record["value"][left], record["value"][left + 1] = test, test + 1
        node = left + 1
    return read_trees(record)


@pytest.mark.parametrize("depth", [1, 3, 8, 9, 11])
def test_rows_reach_the_leaf_of_their_tests(depth: int) -> None:
    passed = np.arange(depth + 1)
    rows = (passed - 0.5).astype(np.float32)[:, None]
    assert chain(depth).probabilities(rows) == pytest.approx(1 / (1 + np.exp(-passed)))


def test_no_rows_have_no_probabilities() -> None:
    assert chain(3).probabilities(np.zeros((0, 1), dtype=np.float32)).tolist() == []
