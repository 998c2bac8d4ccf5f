"""Convert an ensemble of scikit-learn to the plain lists that the library reads."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from forest_crawler.page_model.boosting import TreesRecord

ENDLESS = 1e30
"""A leaf's threshold: it leads every row to the leaf itself."""


def record_trees(model: HistGradientBoostingClassifier, columns: list[str]) -> TreesRecord:
    """Number the nodes of all trees breadth-first, each pair of children adjacent.

    Only the columns that some node uses are kept. The trees are read through attributes that
    scikit-learn does not document; a test compares the probabilities of both.
    """
    trees = [trees_of_step[0].nodes for trees_of_step in model._predictors]
    used = sorted({int(n["feature_idx"]) for nodes in trees for n in nodes if not n["is_leaf"]})
    record: TreesRecord = {
        "columns": [columns[i] for i in used],
        "base": float(model._baseline_prediction.ravel()[0]),
        "depth": max(int(nodes["depth"].max()) for nodes in trees),
        "roots": [],
        "feature": [],
        "threshold": [],
        "left": [],
        "value": [],
    }
    for nodes in trees:
        _add_tree(record, nodes, {column: index for index, column in enumerate(used)})
    return record


def _add_tree(record: TreesRecord, nodes: list[dict[str, float]], indices: dict[int, int]) -> None:
    root = len(record["left"])
    record["roots"].append(root)
    queue = [0]
    for index in queue:  # grows during the loop
        node = nodes[index]
        if node["is_leaf"]:
            _add_node(record, 0, ENDLESS, len(record["left"]), float(node["value"]))
        else:
            left = root + len(queue)
            queue += [int(node["left"]), int(node["right"])]
            _add_node(
                record, indices[int(node["feature_idx"])], float(node["num_threshold"]), left, 0.0
            )


def _add_node(record: TreesRecord, feature: int, threshold: float, left: int, value: float) -> None:
    record["feature"].append(feature)
    record["threshold"].append(_round_down(threshold))
    record["left"].append(left)
    record["value"].append(round(value, 5))


def _round_down(threshold: float) -> float:
    """Return the greatest 32-bit number that is not above, in as few digits as needed.

    Rows have 32 bits and often contain exactly a threshold's value: rounded up, it would be on the
    other side.
    """
    rounded = np.float32(threshold)
    if float(rounded) > threshold:
        rounded = np.nextafter(rounded, np.float32(-np.inf))
    return float(str(rounded))
