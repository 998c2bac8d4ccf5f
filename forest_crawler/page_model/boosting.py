"""Boosted trees as plain arrays: read from JSON, evaluated with numpy.

Using them needs no training library, and they contain nothing executable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from forest_crawler.page_model.division import Floats, Ints

Leaves: TypeAlias = npt.NDArray[np.uint8] | npt.NDArray[np.uint32]

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

        A single row passes all trees; of several, hopeless rows skip most of them. Fastest if the
        rows are stored by columns.
        """
        if len(rows) == 1:
            odds = self.base + self.value.take(self._descend_alone(rows[0])).sum(axis=0)
        else:
            odds = self._sum_early(rows)
        return np.asarray(1 / (1 + np.exp(-odds)))

    def _sum_early(self, rows: npt.NDArray[np.float32]) -> Floats:
        first, others = split_trees(self)
        columns = rows.T
        odds = self.base + first.sum_values(columns)
        still = np.flatnonzero(odds >= MIN_ODDS)
        more = others.sum_values(columns.take(still, axis=1)) if len(still) else 0.0
        whole = odds[still] + more
        odds *= EXTRAPOLATION
        odds[still] = whole
        return odds

    def _descend_alone(self, row: npt.NDArray[np.float32]) -> Ints:
        """Find the leaf of each tree for a single row, as a column.

        Testing all nodes at once takes a sixth of the time.
        """
        following = self.left + (row.take(self.feature) > self.threshold)
        at = self.roots
        for _ in range(self.depth):
            at = following.take(at)
        return at[:, None]

    def reading(self, known: tuple[str, ...]) -> BoostedTrees:
        """Return the same trees for rows that have all known columns, in that order."""
        positions = np.array([known.index(name) for name in self.columns], dtype=np.int64)
        return replace(self, columns=known, feature=positions[self.feature])

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


@dataclass(frozen=True, slots=True, eq=False)
class CompleteTrees:
    """Trees whose branches all have the same depth: a leaf above it is split into equal ones.

    So the way to a leaf is the answers to one test per level, read as a binary number. All tests of
    all trees are made for all rows, but only once where trees share them: comparing is so much
    faster than looking up the next node that this takes two thirds of the time of a descent.
    """

    tested: Ints  # per distinct test: the column, and above which value the answer is 1
    thresholds: npt.NDArray[np.float32]
    levels: list[Ints]  # from the roots down: the nodes' tests, one column per tree
    values: Floats  # of the leaves, one tree after the other
    first_leaves: Ints

    def sum_values(self, columns: npt.NDArray[np.float32]) -> Floats:
        """Sum the values of the leaves that each row reaches, given the rows' columns."""
        size = columns.shape[1]
        if not size:
            return np.zeros(0)
        bytes_per_test = -(-size // 8)
        answers = np.zeros((len(self.tested), 8 * bytes_per_test), dtype=bool)
        np.greater(columns.take(self.tested, axis=0), self.thresholds, out=answers[:, :size])
        # Eight rows per byte, so the ways from each node cost little.
        packed = np.packbits(answers.ravel()).reshape(-1, bytes_per_test)
        leaves = self._find_leaves(packed).reshape(-1, answers.shape[1])
        found: Floats = self.values.take(leaves + self.first_leaves).sum(axis=0)[:size]
        return found

    def _find_leaves(self, answers: npt.NDArray[np.uint8]) -> Leaves:
        """Find which leaf of each tree each row reaches, from the bits of all answers."""
        ways = answers.take(self.levels[-1], axis=0)[None]  # bit, node, tree, rows
        for level in self.levels[-2::-1]:
            answer = answers.take(level, axis=0)
            longer = np.empty((len(ways) + 1, *answer.shape), dtype=np.uint8)
            longer[0] = answer
            left, right = ways[:, ::2], ways[:, 1::2]
            np.bitwise_xor(left, (left ^ right) & answer, out=longer[1:])
            ways = longer
        bits = np.unpackbits(ways.reshape(len(ways), -1), axis=1)
        # A byte numbers the leaves of eight levels.
        leaves: Leaves = bits[0] if len(bits) <= 8 else bits[0].astype(np.uint32)
        for bit in bits[1:]:
            leaves += leaves
            leaves += bit
        return leaves


@lru_cache(maxsize=16)
def split_trees(trees: BoostedTrees) -> tuple[CompleteTrees, CompleteTrees]:
    """Complete the first share of the trees, and the others."""
    first = ceil(len(trees.roots) * FIRST_SHARE)
    return _complete(trees, trees.roots[:first]), _complete(trees, trees.roots[first:])


def _complete(trees: BoostedTrees, roots: Ints) -> CompleteTrees:
    at, levels = roots[None, :], []
    for _ in range(trees.depth):
        levels.append(at)
        left = trees.left[at]
        right = np.where(left == at, at, left + 1)  # a leaf leads to itself
        at = np.stack((left, right), axis=1).reshape(2 * len(at), len(roots))
    nodes = np.concatenate([level.ravel() for level in levels])
    tests = np.stack((trees.feature[nodes], trees.threshold[nodes].view(np.int32)))
    distinct, numbers = np.unique(tests, axis=1, return_inverse=True)
    ends = np.cumsum([level.size for level in levels])
    return CompleteTrees(
        distinct[0],
        distinct[1].astype(np.int32).view(np.float32)[:, None],
        [
            part.reshape(level.shape)
            for part, level in zip(np.split(numbers.ravel(), ends[:-1]), levels, strict=True)
        ],
        trees.value[at].T.ravel(),
        (len(at) * np.arange(len(roots)))[:, None],
    )


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
