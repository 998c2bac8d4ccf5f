"""Select nodes by text density (Sun, Song, Liao): `cetd-ds`, `cectd-ds`, `cectd-s`.

A page-level method. Content is long and simply formatted; noise is short, highly formatted and
mostly links: a node's characters per tag distinguish them. Single nodes deviate, such as a short
paragraph or a long copyright notice; the sum over children, or smoothing over siblings, evens that
out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from forest_crawler.extraction.methods.explanation import ExplainedNode, Explanation
from forest_crawler.extraction.methods.options import option
from forest_crawler.extraction.methods.registry import register
from forest_crawler.page.outline import Outline
from forest_crawler.page.selection import Selection, select_elements, select_leaves
from forest_crawler.page.tree import PageTree

LINK_TAGS = frozenset({"a", "button", "select"})
"""According to the paper, buttons and drop-down lists act as links."""

COLUMNS = ("level", "C", "T", "LC", "LT", "density")
LEGEND = "C: characters, T: tags, LC: link characters, LT: link tags below the node."
"""What `explain` shows of a node, before what a method makes of it."""

SIBLING_WEIGHTS = (1, 2, 1)
"""Weights in smoothing: of the sibling before a node, of the node, of the sibling after it.

The paper only says "simply weighted averaging with sibling nodes"; these are the simplest weights.
"""


class Counts(NamedTuple):
    """What Definitions 1 and 2 count below a node."""

    chars: int
    tags: int
    link_chars: int
    link_tags: int


Density: TypeAlias = Callable[[Counts, float], float]
"""Computes a node's density from its counts and the share of link characters in the body."""


@dataclass(frozen=True, slots=True)
class PageCounts:
    """The counts of an outline's elements and of its text leaves."""

    elements: list[Counts]
    leaves: list[Counts]

    @property
    def link_share(self) -> float:
        """The share of link characters in the body."""
        return self.elements[0].link_chars / (self.elements[0].chars or 1)


@dataclass(frozen=True, slots=True)
class Densities:
    """The densities of an outline's elements and of its text leaves."""

    elements: list[float]
    leaves: list[float]


def text_density(counts: Counts, link_share: float = 0) -> float:
    """Compute characters per tag, Def. 1.

    >>> text_density(Counts(85, 4, 15, 1)), text_density(Counts(15, 0, 15, 0))
    (21.25, 15.0)
    """
    return counts.chars / (counts.tags or 1)


def composite_text_density(counts: Counts, link_share: float) -> float:
    """Compute characters per tag, reduced by links, Def. 2; 0 if there are links only.

    It is infinite if the body has no link text, so that such a page is content as a whole.
    """
    chars, tags, link_chars, link_tags = counts
    if not chars:
        return 0
    plainness = chars / (link_chars or 1) * (tags or 1) / (link_tags or 1)
    linkage = chars / (chars - link_chars or 1) * link_chars + link_share * chars
    if not linkage:
        return math.inf
    return text_density(counts) * math.log(plainness) / math.log(math.log(linkage + math.e))


def measure_densities(outline: Outline, density: Density) -> Densities:
    """Measure every element, and every text leaf as if it were an element."""
    return _apply_density(count_page(outline), density)


def count_page(outline: Outline) -> PageCounts:
    """Count the characters, tags and links below every element and in every text leaf."""
    in_link = _find_links(outline)
    chars = [len(" ".join(text.split())) for text in outline.leaf_texts]
    link_chars = [
        length if in_link[owner] else 0
        for length, owner in zip(chars, outline.leaf_owners, strict=True)
    ]
    chars_to, links_to = _running_sums(chars), _running_sums(link_chars)
    tags_to = _running_sums(in_link)
    ranges = zip(outline.leaf_starts, outline.leaf_ends, outline.ends, strict=True)
    elements = [
        Counts(
            chars_to[last] - chars_to[first],
            end - i - 1,
            links_to[last] - links_to[first],
            tags_to[end] - tags_to[i + 1],
        )
        for i, (first, last, end) in enumerate(ranges)
    ]
    lengths = zip(chars, link_chars, strict=True)
    return PageCounts(elements, [Counts(length, 0, links, 0) for length, links in lengths])


def _apply_density(counts: PageCounts, density: Density) -> Densities:
    share = counts.link_share
    return Densities(
        [density(element, share) for element in counts.elements],
        [density(leaf, share) for leaf in counts.leaves],
    )


@dataclass(frozen=True, slots=True)
class DensitySumExtractor:
    """Selects the nodes with the greatest sums of child densities (section 4.2).

    `threshold_factor` is the paper's coefficient (figure 5): the lower it is, the higher is recall
    and the lower precision; with 0 everything is content.
    """

    density: Density
    threshold_factor: float = option(1.0, 0, "factor on the threshold; lower keeps more")

    def extract(self, tree: PageTree) -> Selection:
        """Select the content blocks."""
        outline = tree.outline
        densities = measure_densities(outline, self.density)
        _, marked = self._mark(outline, densities, _density_sums(outline, densities))
        return select_elements(tree, [outline.elements[i] for i in sorted(marked)])

    def explain(self, tree: PageTree) -> Explanation:
        """List the elements by DensitySum."""
        outline = tree.outline
        counts = count_page(outline)
        densities = _apply_density(counts, self.density)
        sums = _density_sums(outline, densities)
        threshold, marked = self._mark(outline, densities, sums)
        outcome = (
            "below each element whose density reaches the threshold, like its ancestors', the one "
            f"with the highest sum; threshold {threshold:.2f}: the lowest density from the highest "
            f"sum up to body, times {self.threshold_factor:g}"
        )
        rows = zip(outline.levels, counts.elements, densities.elements, sums, strict=True)
        nodes = [
            ExplainedNode(i, i in marked, (level, *counted, density, total))
            for i, (level, counted, density, total) in enumerate(rows)
        ]
        legend = f"{LEGEND} sum: DensitySum, of the children's densities and of own texts'."
        nodes.sort(key=lambda node: -sums[node.number])
        return Explanation(outcome, legend, (*COLUMNS, "sum"), nodes)

    def _mark(
        self, outline: Outline, densities: Densities, sums: list[float]
    ) -> tuple[float, set[int]]:
        """Compute the threshold and mark the content; none if all densities are 0."""
        peaks = _find_peaks(outline, sums)
        if not sums[peaks[0]]:
            return 0, set()
        # The lowest density on the path to the best block, so that no node above it fails; on a
        # page without links that is infinite.
        lowest = min(densities.elements[i] for i in outline.path(peaks[0]))
        threshold = lowest * self.threshold_factor if self.threshold_factor else 0
        return threshold, _mark_content(outline, densities.elements, peaks, threshold)


@dataclass(frozen=True, slots=True)
class SmoothingExtractor:
    """Selects the text whose smoothed density is at least the body's (section 4.1).

    Each text leaf is judged by itself; its ancestors need not be content. Otherwise the column with
    the article would fail, because smoothing averages it with its neighbours, which are noise.
    """

    density: Density

    def extract(self, tree: PageTree) -> Selection:
        """Select the content leaves."""
        densities = measure_densities(tree.outline, self.density)
        threshold = densities.elements[0]
        if not threshold:  # nothing but links
            return Selection(tree)
        smoothed = _smooth_leaves(tree.outline, densities)
        return select_leaves(tree, (i for i, value in enumerate(smoothed) if value >= threshold))

    def explain(self, tree: PageTree) -> Explanation:
        """List the text leaves by smoothed density."""
        outline = tree.outline
        counts = count_page(outline)
        densities = _apply_density(counts, self.density)
        threshold, smoothed = densities.elements[0], _smooth_leaves(outline, densities)
        outcome = (
            f"texts whose smoothed density reaches the threshold {threshold:.2f}, body's density"
        )
        levels = [outline.levels[owner] + 1 for owner in outline.leaf_owners]
        rows = zip(levels, counts.leaves, densities.leaves, smoothed, strict=True)
        size = len(outline.elements)
        nodes = [
            ExplainedNode(size + i, 0 < threshold <= value, (level, *counted, density, value))
            for i, (level, counted, density, value) in enumerate(rows)
        ]
        nodes.sort(key=lambda node: -smoothed[node.number - size])
        legend = f"{LEGEND} smooth: density averaged with the siblings before and after."
        return Explanation(outcome, legend, (*COLUMNS, "smooth"), nodes)


def _find_links(outline: Outline) -> list[bool]:
    """Flag the elements that are links or inside one.

    An `a` without `href` isn't a link: an `<a name>` that is never closed may contain half a page.
    """
    found: list[bool] = []
    for element, parent in zip(outline.elements, outline.parents, strict=True):
        is_link = element.tag in LINK_TAGS and (element.tag != "a" or "href" in element.attrib)
        found.append(is_link or (parent >= 0 and found[parent]))
    return found


def _running_sums(values: list[int] | list[bool]) -> list[int]:
    return list(accumulate(values, initial=0))


def _density_sums(outline: Outline, densities: Densities) -> list[float]:
    """Compute the DensitySum of every element, Def. 3, including its own text.

    Without that text, an article of text and `br` in one element would have the sum 0.
    """
    sums = [0.0] * len(outline.elements)
    for parent, density in zip(outline.parents[1:], densities.elements[1:], strict=True):
        sums[parent] += density
    for owner, density in zip(outline.leaf_owners, densities.leaves, strict=True):
        sums[owner] += density
    return sums


def _find_peaks(outline: Outline, sums: list[float]) -> list[int]:
    """Find the element of greatest DensitySum in every subtree, its root included.

    Ties go to the first in document order: of an element and its only child, to the element.
    """
    peaks = list(range(len(sums)))
    for i in range(len(sums) - 1, 0, -1):
        here, above = peaks[i], outline.parents[i]
        there = peaks[above]
        if sums[here] > sums[there] or (sums[here] == sums[there] and here < there):
            peaks[above] = here
    return peaks


def _mark_content(
    outline: Outline, densities: list[float], peaks: list[int], threshold: float
) -> set[int]:
    """Mark the peak below every node that is dense, like all its ancestors (alg. 2)."""
    marked: set[int] = set()
    i = 0
    while i < len(densities):
        is_dense = densities[i] >= threshold
        if is_dense:
            marked.add(peaks[i])
        # Skip the subtree of a node that fails or is marked: it has no further content.
        i = i + 1 if is_dense and i not in marked else outline.ends[i]
    return marked


def _smooth_leaves(outline: Outline, densities: Densities) -> list[float]:
    """Smooth the density of every text leaf over its siblings, elements included.

    So a link within a sentence gains from the text around it. A text that is alone in its element
    gets the element's smoothed density: a short paragraph gains from the paragraphs around it.
    """
    size = len(outline.elements)
    raw = densities.elements + densities.leaves
    smoothed = raw.copy()
    for parent, nodes in enumerate(_child_nodes(outline)):
        if len(nodes) == 1 and nodes[0] >= size:
            smoothed[nodes[0]] = smoothed[parent]
        elif nodes:
            for node, value in zip(nodes, _smooth([raw[n] for n in nodes]), strict=True):
                smoothed[node] = value
    return smoothed[size:]


def _child_nodes(outline: Outline) -> list[list[int]]:
    """List the child nodes of every element, numbered as in `document_order`."""
    parents = outline.parents + outline.leaf_owners
    found: list[list[int]] = [[] for _ in outline.elements]
    for node in outline.document_order():
        if node:
            found[parents[node]].append(node)
    return found


def _smooth(values: list[float]) -> list[float]:
    """Average every value with its neighbours, by `SIBLING_WEIGHTS`."""
    before, own, after = SIBLING_WEIGHTS
    sums = [own * value for value in values]
    weights = [own] * len(values)
    for i in range(1, len(values)):
        sums[i] += before * values[i - 1]
        weights[i] += before
        sums[i - 1] += after * values[i]
        weights[i - 1] += after
    return [total / weight for total, weight in zip(sums, weights, strict=True)]


register("cetd-ds", DensitySumExtractor(text_density))
register("cectd-ds", DensitySumExtractor(composite_text_density))
register("cectd-s", SmoothingExtractor(composite_text_density))
