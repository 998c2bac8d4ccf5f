"""Boosted trees as plain arrays: read from JSON, evaluated with numpy, written after training.

Nothing of the library that trained them is needed to use them, and nothing in them can be run.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from forest_crawler.page_model.division import Floats, Ints

_CACHED_ENTRIES = 16_000
"""Rows times trees that are worked on at a time: some arrays of 128 kB each."""

_MIN_TREES = 8  # but no fewer trees, or the steps between them take longer

FIRST_SHARE = 0.2
SETTLED = -2.25
GOES_ON = 1.6
"""Log-odds below which, after the first share of the trees, a row needs no others, and what they
are multiplied with instead: boosting goes on as it began. By the article trees four in five blocks,
most of them menus, are settled so; of 82,000 three would have come to a probability above 0.3, the
greatest 0.33, and one by the other trees."""


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
        """Evaluate the trees on every row; columns as in `columns`.

        All trees on a row alone, or on one that may come to something.
        """
        if len(rows) == 1:
            odds = self.base + self.value.take(self._descend_alone(rows[0])).sum(axis=0)
        else:
            odds = self._sum_early(rows)
        return np.asarray(1 / (1 + np.exp(-odds)))

    def _sum_early(self, rows: npt.NDArray[np.float32]) -> Floats:
        first = ceil(len(self.roots) * FIRST_SHARE)
        odds = self.base + self._sum_leaves(rows, self.roots[:first])
        still = np.flatnonzero(odds >= SETTLED)
        more = self._sum_leaves(rows[still], self.roots[first:]) if len(still) else 0.0
        whole = odds[still] + more
        odds *= GOES_ON
        odds[still] = whole
        return odds

    def _sum_leaves(self, rows: npt.NDArray[np.float32], roots: Ints) -> Floats:
        """The sum of the values of the leaves that each row comes to from some trees' roots.

        A level at a time for as many trees as fit into a processor's cache with all rows: half the
        time of all trees at once.
        """
        # A tree a line, so that the nodes asked for lie together; `take` is half the time of [].
        columns = np.ascontiguousarray(rows.T)
        flat, block = columns.ravel(), np.arange(len(rows))
        first_entry = self.feature * len(rows)
        together = max(_MIN_TREES, _CACHED_ENTRIES // max(len(rows), 1))
        sums = np.zeros(len(rows))
        for start in range(0, len(roots), together):
            some = roots[start : start + together]
            asked, least = columns[self.feature[some]], self.threshold[some]
            at = self.left[some][:, None] + (asked > least[:, None])
            for _ in range(self.depth - 1):
                asked = flat.take(first_entry.take(at) + block)
                at = self.left.take(at) + (asked > self.threshold.take(at))
            sums += self.value.take(at).sum(axis=0)
        return sums

    def _descend_alone(self, row: npt.NDArray[np.float32]) -> Ints:
        """The leaf of each tree for a single row: to ask all nodes at once is a sixth of the time.

        As a column, like that of a row among others.
        """
        following = self.left + (row.take(self.feature) > self.threshold)
        at = self.roots
        for _ in range(self.depth):
            at = following.take(at)
        return at[:, None]

    def contributions(self, rows: npt.NDArray[np.float32]) -> Floats:
        """How far each column moved each row's log-odds; a row's sum, with `bias`, is all of it.

        A node stands for the mean of its children, so a step down moves the sum by the difference,
        and the column asked at the node is what moved it.
        """
        means = self._node_means()
        found = np.zeros(rows.shape)
        block = np.arange(len(rows))
        for at in np.repeat(self.roots[:, None], len(rows), axis=1):
            for _ in range(self.depth):
                asked = self.feature[at]
                step = self.left[at] + (rows[block, asked] > self.threshold[at])
                np.add.at(found, (block, asked), means[step] - means[at])
                at = step
        return found

    @property
    def bias(self) -> float:
        """The log-odds before any column is looked at."""
        return self.base + float(self._node_means()[self.roots].sum())

    def _node_means(self) -> Floats:
        means = self.value.copy()
        for node in range(len(means) - 1, -1, -1):  # children stand behind their parents
            left = self.left[node]
            if left != node:
                means[node] = (means[left] + means[left + 1]) / 2
        return means


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
