"""Select lines with much text per tag: content extraction via tag ratios.

CETR; Weninger, Hsu, Han 2010.

A line's ratio is its characters divided by its tags. The smoothed ratio and its steepness make a
line a point in the plane; the points near the origin are not content.

The paper takes the lines of the source, but some pages have only one line. Here the lines are those
of a pretty printer: a new line before the start tag of a block element, after its end tag, and
after `br` and `hr`. So a paragraph is a line with its inline tags, and a tag that only contains
other blocks is a line without text (ratio 0), as in hand-written source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from forest_crawler.extraction.methods.registry import register
from forest_crawler.extraction.methods.token_stream import VOID_TAGS
from forest_crawler.page.selection import Selection, select_leaves
from forest_crawler.page.tree import INLINE_TAGS, PageTree

Vector: TypeAlias = NDArray[np.float64]

CLUSTERS = 3
"""k of the k-means, as in the paper; one of the clusters is fixed at the origin."""

AHEAD = 3
"""Number of following lines that the steepness compares with (the paper's alpha)."""

KERNEL = np.exp(-0.5 * np.arange(-2, 3) ** 2) / np.exp(-0.5 * np.arange(-2, 3) ** 2).sum()
"""A Gaussian with a standard deviation of one line, cut after two lines."""

MAX_ROUNDS = 100
"""Bounds the rounds of k-means, so that the time is linear in the lines."""


@dataclass(slots=True)
class Lines:
    """The page's lines: their characters, tags, and the leaf at which each line ends."""

    chars: list[int] = field(default_factory=lambda: [0])
    tags: list[int] = field(default_factory=lambda: [0])
    leaf_ends: list[int] = field(default_factory=lambda: [0])

    def break_line(self) -> None:
        """Start a new line, unless the current one is empty."""
        if self.tags[-1] or self.chars[-1]:
            self.chars.append(0)
            self.tags.append(0)
            self.leaf_ends.append(self.leaf_ends[-1])

    def add_leaf(self, text: str) -> None:
        """Add a leaf's text to the current line."""
        self.chars[-1] += len(" ".join(text.split()))
        self.leaf_ends[-1] += 1


@dataclass(frozen=True, slots=True)
class TagRatioExtractor:
    """Selects the lines outside the cluster at the origin."""

    clusters: int = CLUSTERS

    def extract(self, tree: PageTree) -> Selection:
        """Select the leaves of content lines."""
        lines = read_lines(tree)
        ratios = smooth(np.array(lines.chars) / np.maximum(lines.tags, 1))
        points = np.column_stack((ratios, steepness(ratios)))
        is_content = cluster(points, self.clusters) > 0
        sizes = np.diff(lines.leaf_ends, prepend=0)
        return select_leaves(tree, np.flatnonzero(np.repeat(is_content, sizes)).tolist())


def read_lines(tree: PageTree) -> Lines:
    """Break the page into lines at its block elements."""
    lines = Lines()
    for event, element in etree.iterwalk(tree.body, events=("start", "end")):
        is_block, is_void = element.tag not in INLINE_TAGS, element.tag in VOID_TAGS
        if event == "start":
            if is_block and not is_void:
                lines.break_line()
            lines.tags[-1] += 1
            text = element.text
        else:
            lines.tags[-1] += not is_void
            if element is tree.body:
                break
            if is_block:
                lines.break_line()
            text = element.tail
        if text and not text.isspace():
            lines.add_leaf(text)
    return lines


def smooth(values: Vector) -> Vector:
    """Blur the values; before the first and after the last they count as 0."""
    return np.convolve(values, KERNEL)[2:-2]


def steepness(ratios: Vector) -> Vector:
    """Measure how far each line is from the mean of the following ones, smoothed."""
    padded = np.concatenate((ratios, np.zeros(AHEAD)))
    ahead = np.mean([padded[i : i + len(ratios)] for i in range(1, AHEAD + 1)], axis=0)
    return smooth(np.abs(ahead - ratios))


def cluster(points: Vector, count: int) -> NDArray[np.int64]:
    """Label each point by k-means; the centre of cluster 0 stays at the origin.

    The other centres start at the points farthest from all centres so far, so the result is
    deterministic.
    """
    centres = np.zeros((1, points.shape[1]))
    for _ in range(count - 1):
        farthest = points[_distances(points, centres).min(axis=1).argmax()]
        centres = np.vstack((centres, farthest))
    labels = np.zeros(len(points), dtype=np.int64)
    for _ in range(MAX_ROUNDS):
        nearest = _distances(points, centres).argmin(axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        for label in np.unique(labels[labels > 0]):
            centres[label] = points[labels == label].mean(axis=0)
    return labels


def _distances(points: Vector, centres: Vector) -> Vector:
    return np.asarray(((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2))


register("cetr", TagRatioExtractor())
