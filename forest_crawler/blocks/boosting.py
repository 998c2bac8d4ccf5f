"""Boosted trees as plain arrays: read from JSON, evaluated with numpy, written after training.

Nothing of the library that trained them is needed to use them, and nothing in them can be run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from forest_crawler.blocks.division import Floats, Ints


class TreesRecord(TypedDict):
    """Boosted trees as JSON has them: one list entry a node, the trees one behind the other.

    At node i: to `left[i]` if the row's `columns[feature[i]]` is at most `threshold[i]`, else to
    the node behind that. A leaf leads to itself, and has the value to add.
    """

    columns: list[str]
    base: float
    depth: int
    roots: list[int]
    feature: list[int]
    threshold: list[float]
    left: list[int]
    value: list[float]


@dataclass(frozen=True, slots=True, eq=False)
class BoostedTrees:
    """An ensemble whose trees' values add up to the log-odds of a block's being content."""

    columns: tuple[str, ...]
    base: float
    depth: int
    roots: Ints
    feature: Ints
    threshold: npt.NDArray[np.float32]
    left: Ints
    value: Floats

    def probabilities(self, rows: npt.NDArray[np.float32]) -> Floats:
        """Evaluate every tree on every row, a level at a time; columns as in `columns`."""
        flat = np.ascontiguousarray(rows).ravel()
        offsets = (np.arange(len(rows)) * len(self.columns))[:, None]
        at = np.repeat(self.roots[None, :], len(rows), axis=0)
        for _ in range(self.depth):
            right = flat[offsets + self.feature[at]] > self.threshold[at]
            at = self.left[at] + right
        return np.asarray(1 / (1 + np.exp(-(self.base + self.value[at].sum(axis=1)))))


def read_trees(record: TreesRecord) -> BoostedTrees:
    """Make the arrays of a record."""
    return BoostedTrees(
        tuple(record["columns"]),
        record["base"],
        record["depth"],
        np.array(record["roots"], dtype=np.int64),
        np.array(record["feature"], dtype=np.int64),
        np.array(record["threshold"], dtype=np.float32),
        np.array(record["left"], dtype=np.int64),
        np.array(record["value"], dtype=np.float64),
    )
