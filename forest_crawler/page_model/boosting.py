"""Boosted trees as plain arrays: read from JSON, evaluated with numpy.

Using them needs no training library, and they contain nothing executable.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from forest_crawler.page_model.division import Floats, Ints

_CACHED_ENTRIES = 16_000
"""Rows times trees evaluated together: a few arrays of 128 kB each."""

_MIN_TREES = 8  # evaluated together; with fewer, numpy's overhead dominates

FIRST_SHARE = 0.2
MIN_ODDS = -2.25
EXTRAPOLATION = 1.6
"""Early stop: a row with log-odds below `MIN_ODDS` after the first share of the trees skips the
rest. `EXTRAPOLATION` multiplies its log-odds instead, as boosting goes on as it began.

The article trees skip four in five blocks so, most of them menus. Of 82,000 blocks, three would
have reached a probability above 0.3, the highest 0.33; with the other trees, one."""


class TreesRecord(TypedDict):
    """Boosted trees as in JSON: one list entry per node, one tree after the other.

    At node i, go to `left[i]` if the row's `columns[feature[i]]` is at most `threshold[i]`, else to
    `left[i] + 1`. A leaf leads to itself, and has the value to add.
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
    """An ensemble whose trees' values sum to the log-odds that a block is content."""

    columns: tuple[str, ...]
    base: float
    depth: int
    roots: Ints
    feature: Ints
    threshold: npt.NDArray[np.float32]
    left: Ints
    value: Floats

    def probabilities(self, rows: npt.NDArray[np.float32]) -> Floats:
        """Evaluate the trees on rows with these `columns`.

        A single row passes all trees; of several, hopeless rows skip most of them.
        """
        if len(rows) == 1:
            odds = self.base + self.value.take(self._descend_alone(rows[0])).sum(axis=0)
        else:
            odds = self._sum_early(rows)
        return np.asarray(1 / (1 + np.exp(-odds)))

    def _sum_early(self, rows: npt.NDArray[np.float32]) -> Floats:
        first = ceil(len(self.roots) * FIRST_SHARE)
        odds = self.base + self._sum_leaves(rows, self.roots[:first])
        still = np.flatnonzero(odds >= MIN_ODDS)
        more = self._sum_leaves(rows[still], self.roots[first:]) if len(still) else 0.0
        whole = odds[still] + more
        odds *= EXTRAPOLATION
        odds[still] = whole
        return odds

    def _sum_leaves(self, rows: npt.NDArray[np.float32], roots: Ints) -> Floats:
        """Sum the values of the leaves that each row reaches from some trees' roots.

        Descends one level at a time, with as many trees as fit into a processor's cache with all
        rows: half the time of all trees at once.
        """
        # One line per tree, so that the values read are adjacent; `take` is twice as fast as [].
        columns = np.ascontiguousarray(rows.T)
        flat, block = columns.ravel(), np.arange(len(rows))
        first_entry = self.feature * len(rows)
        together = max(_MIN_TREES, _CACHED_ENTRIES // max(len(rows), 1))
        sums = np.zeros(len(rows))
        for start in range(0, len(roots), together):
            some = roots[start : start + together]
            values, thresholds = columns[self.feature[some]], self.threshold[some]
            at = self.left[some][:, None] + (values > thresholds[:, None])
            for _ in range(self.depth - 1):
                values = flat.take(first_entry.take(at) + block)
                at = self.left.take(at) + (values > self.threshold.take(at))
            sums += self.value.take(at).sum(axis=0)
        return sums

    def _descend_alone(self, row: npt.NDArray[np.float32]) -> Ints:
        """Find the leaf of each tree for a single row, as a column.

        Testing all nodes at once takes a sixth of the time.
        """
        following = self.left + (row.take(self.feature) > self.threshold)
        at = self.roots
        for _ in range(self.depth):
            at = following.take(at)
        return at[:, None]

    def contributions(self, rows: npt.NDArray[np.float32]) -> Floats:
        """Compute how far each column moves each row's log-odds from `bias`.

        A row's sum with `bias` is its log-odds. A node's value is the mean of its children's, so a
        step down moves the sum by the difference, which is credited to the column that the node
        tests.
        """
        means = self._node_means()
        found = np.zeros(rows.shape)
        block = np.arange(len(rows))
        for at in np.repeat(self.roots[:, None], len(rows), axis=1):
            for _ in range(self.depth):
                tested = self.feature[at]
                step = self.left[at] + (rows[block, tested] > self.threshold[at])
                np.add.at(found, (block, tested), means[step] - means[at])
                at = step
        return found

    @property
    def bias(self) -> float:
        """The log-odds before any column is tested."""
        return self.base + float(self._node_means()[self.roots].sum())

    def _node_means(self) -> Floats:
        means = self.value.copy()
        for node in range(len(means) - 1, -1, -1):  # children come after their parents
            left = self.left[node]
            if left != node:
                means[node] = (means[left] + means[left + 1]) / 2
        return means


def read_trees(record: TreesRecord) -> BoostedTrees:
    """Convert a record's lists to arrays."""
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
