"""Select long stretches of text as bright areas: content code blurring.

Gottron 2008.

This is the token variant (TCCB): the content code vector has 1 for a word and 0 for a tag. It is
blurred with a Gaussian until it is stable; then words with high values are content.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from forest_crawler.extraction.methods.registry import register
from forest_crawler.extraction.methods.token_stream import read_tokens
from forest_crawler.page.selection import Selection, select_leaves
from forest_crawler.page.tree import PageTree

Vector: TypeAlias = NDArray[np.float64]

RADIUS = 25
"""Tokens on each side that contribute to a blurred value: about two lines of text."""

THRESHOLD = 0.75
"""Min content code ratio of content: at most one token in four around a word is a tag."""

MAX_STABLE_CHANGE = 0.05
"""The vector is stable when a round changes no value by more than this.

Endless blurring would even out every page: the smaller this bound, the more of a short article
fades into its surroundings.
"""

MAX_ROUNDS = 50
"""Bounds the rounds, so that the time is linear in the tokens."""


@dataclass(frozen=True, slots=True)
class ContentCodeBlurring:
    """Selects the leaves whose words have high values after blurring."""

    radius: int = RADIUS
    threshold: float = THRESHOLD

    def extract(self, tree: PageTree) -> Selection:
        """Select the leaves with at least half of their words above the threshold."""
        stream = read_tokens(tree)
        ratios = blur_until_stable((~stream.is_tag).astype(np.float64), self.radius)
        return select_leaves(tree, stream.leaves_of(ratios >= self.threshold))


def blur_until_stable(vector: Vector, radius: int) -> Vector:
    """Blur until no value changes by more than `MAX_STABLE_CHANGE`.

    At the ends of the page a value is the weighted mean of its existing neighbours.
    """
    kernel = _gaussian(radius)
    weights = _blur(np.ones_like(vector), kernel)
    for _ in range(MAX_ROUNDS):
        blurred = _blur(vector, kernel) / weights
        change = np.abs(blurred - vector).max(initial=0.0)
        vector = blurred
        if change <= MAX_STABLE_CHANGE:
            break
    return vector


def _gaussian(radius: int) -> Vector:
    """Make a bell curve of sum 1 over -radius..radius, three deviations to each side."""
    offsets = np.arange(-radius, radius + 1)
    bell = np.exp(-0.5 * (3.0 * offsets / max(radius, 1)) ** 2)
    return np.asarray(bell / bell.sum())


def _blur(vector: Vector, kernel: Vector) -> Vector:
    # Mode "full", then cut: mode "same" returns the kernel's length if the kernel is longer.
    radius = len(kernel) // 2
    return np.convolve(vector, kernel)[radius : radius + len(vector)]


register("ccb", ContentCodeBlurring())
