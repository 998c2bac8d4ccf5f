"""Content extraction via tag ratios (CETR; Weninger, Hsu, Han 2010), on lines made from the tree.

Each line has a ratio, its characters by its tags. The ratios are smoothed; smoothed ratio and
steepness make a line a point in the plane, and the points around the origin are not content.

The paper takes the lines of the source, which a page on one line does not have. Here they are the
ones that a pretty printer would make: a new line before the start tag of a block element, after
its end tag, and after `br` and `hr`. So a paragraph is a line with its inline tags, and a tag
that only holds other blocks is a line without text (ratio 0), as in hand-written source.
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
"""k of the k-means: the paper's choice, one cluster of it held at the origin."""

AHEAD = 3
"""How many of the following lines the steepness looks at (the paper's alpha)."""

KERNEL = np.exp(-0.5 * np.arange(-2, 3) ** 2) / np.exp(-0.5 * np.arange(-2, 3) ** 2).sum()
"""A Gaussian of standard deviation one line, cut at two."""

MAX_ROUNDS = 100
"""A bound on the rounds of k-means, so that the time is linear in the lines."""


@dataclass(slots=True)
class Lines:
    """The page's lines: characters, tags, and the leaf at which each line ends."""

    chars: list[int] = field(default_factory=lambda: [0])
    tags: list[int] = field(default_factory=lambda: [0])
    leaf_ends: list[int] = field(default_factory=lambda: [0])

    def break_line(self) -> None:
        """Start a new line, unless the present one is still empty."""
        if self.tags[-1] or self.chars[-1]:
            self.chars.append(0)
            self.tags.append(0)
            self.leaf_ends.append(self.leaf_ends[-1])

    def add_leaf(self, text: str) -> None:
        """Put a leaf's text at the end of the present line."""
        self.chars[-1] += len(" ".join(text.split()))
        self.leaf_ends[-1] += 1


@dataclass(frozen=True, slots=True)
class TagRatioExtractor:
    """Takes the lines outside the cluster at the origin."""

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
    """Blur the values; past either end they count as 0."""
    return np.convolve(values, KERNEL)[2:-2]


def steepness(ratios: Vector) -> Vector:
    """How far the mean of the following lines lies from each line, smoothed."""
    padded = np.concatenate((ratios, np.zeros(AHEAD)))
    ahead = np.mean([padded[i : i + len(ratios)] for i in range(1, AHEAD + 1)], axis=0)
    return smooth(np.abs(ahead - ratios))


def cluster(points: Vector, count: int) -> NDArray[np.int64]:
    """Label each point by k-means; cluster 0 stays at the origin whatever falls into it.

    The others start at the points farthest from all centres so far, so nothing is left to chance.
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
