"""Main content by points in R4 (Alarte, Silva): `r4`.

A page-level method. Four ratios make a point of every element that could contain the main content.
Most of a page is template, whose points are close together; the content is among the few points far
from them. Sections, definitions and algorithms in the comments are the paper's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from forest_crawler.extraction.methods.registry import register
from forest_crawler.page.media import MediaNode
from forest_crawler.page.outline import Outline
from forest_crawler.page.selection import Selection, select_elements
from forest_crawler.page.tree import PageTree
from forest_crawler.text.terms import tokenize

Ratios: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]

UNRATED_TAGS = frozenset(
    "a nav undefined hr span em body script header h1 h2 h3 h4 h5 br iframe".split()
)
"""Section 3.1: these cannot be the main content, or an element around them is a better choice."""


@dataclass(frozen=True, slots=True, eq=False)
class NodeCounts:
    """Counts per element: its child nodes, and the rest over its whole subtree."""

    tags: list[str]
    leaf_words: Numbers  # of every text leaf
    child_nodes: Numbers  # elements and texts
    words: Numbers
    chars: Numbers
    link_chars: Numbers
    links: Numbers
    images: Numbers  # and other media


@dataclass(frozen=True, slots=True)
class R4Extractor:
    """Selects the best of the `c` farthest nodes, without the groups of links in it.

    A group has more than `hr` links, and its text is more than `tr` times its text outside links.
    The defaults are the best values on the paper's training pages.
    """

    c: int = 3
    tr: float = 1.5
    hr: int = 7

    def extract(self, tree: PageTree) -> Selection:
        """Select the main content nodes."""
        outline = tree.outline
        counts = count_nodes(outline, tree.media)
        if not counts.words[0]:
            return Selection(tree)
        rated = find_rated(counts)
        if _is_wide(outline, rated):
            return select_elements(tree, [tree.body])
        points = standardise(rate_nodes(outline, counts)[rated])
        candidates = reduce_candidates(outline, rated[find_farthest(points, self.c)].tolist())
        main = choose_main(outline, counts, candidates)
        groups = [group for node in main for group in self._find_groups(outline, counts, node)]
        if counts.words[groups].sum() == counts.words[main].sum():
            groups = []  # on a page of links, the links are the content
        elements = outline.elements
        return select_elements(tree, [elements[i] for i in main], [elements[i] for i in groups])

    def _find_groups(self, outline: Outline, counts: NodeCounts, node: int) -> Iterator[int]:
        """Find the highest groups of links below a main content node (algorithm 5).

        The paper removes main content nodes themselves. But removing the only one would leave
        nothing of a page, and what it wants removed, such as breadcrumbs, is inside.
        """
        i = node + 1
        while i < outline.ends[node]:
            if self._has_link_text(counts, i) or _is_link_list(outline, counts, i):
                yield i
                i = outline.ends[i]
            else:
                i += 1

    def _has_link_text(self, counts: NodeCounts, node: int) -> bool:
        plain_chars = counts.chars[node] - counts.link_chars[node]
        return bool(counts.links[node] > self.hr and counts.chars[node] > self.tr * plain_chars)


def count_nodes(outline: Outline, media: Iterable[MediaNode] = ()) -> NodeCounts:
    """Count what the ratios and the later steps need, in one pass each."""
    tags = [str(element.tag) for element in outline.elements]
    in_link: list[bool] = []
    for tag, parent in zip(tags, outline.parents, strict=True):
        in_link.append(tag == "a" or (parent >= 0 and in_link[parent]))
    words = np.array([len(tokenize(text)) for text in outline.leaf_texts], dtype=np.int64)
    chars = np.array([len(" ".join(text.split())) for text in outline.leaf_texts], dtype=np.int64)
    images = np.array([tag == "img" for tag in tags], dtype=np.int64)
    for node in media:
        images[outline.positions[node.parent]] += 1
    is_link = [element.tag == "a" and "href" in element.attrib for element in outline.elements]
    return NodeCounts(
        tags,
        words,
        np.bincount(outline.parents[1:] + outline.leaf_owners, minlength=len(tags)),
        _sum_leaves(outline, words),
        _sum_leaves(outline, chars),
        _sum_leaves(outline, chars * np.array(in_link)[outline.leaf_owners]),
        _sum_elements(outline, is_link),
        _sum_elements(outline, images),
    )


def find_rated(counts: NodeCounts) -> Numbers:
    """Find the elements to rate: with children, without an unrated tag (section 3.1)."""
    has_children = counts.child_nodes > 0
    is_rated = np.array([tag not in UNRATED_TAGS for tag in counts.tags])
    return np.flatnonzero(has_children & is_rated)


def rate_nodes(outline: Outline, counts: NodeCounts) -> Ratios:
    """Compute word, hyperlink, children and position ratio of every element, Def. 3.1."""
    hyperlink_ratios = 1 / np.maximum(counts.links, 1)
    children_ratios = np.where(counts.child_nodes > 2, 1.0, 0.0)
    word_ratios = _word_ratios(outline, counts)
    position_ratios = _position_ratios(outline)
    return np.column_stack([word_ratios, hyperlink_ratios, children_ratios, position_ratios])


def standardise(ratios: Ratios) -> Ratios:
    """Scale every ratio to mean 0 and standard deviation 1, Def. 3.2.

    A ratio that is the same for all nodes becomes 0.
    """
    deviations = ratios.std(axis=0)
    deviations[np.ptp(ratios, axis=0) == 0] = np.inf
    return np.asarray((ratios - ratios.mean(axis=0)) / deviations)


def find_farthest(points: Ratios, c: int) -> Numbers:
    """Find the c-SET, the points farthest from the centroid (algorithm 2).

    Ties go to the first.

    The centroid of standardised points is the origin, so this avoids the paper's O(n²).
    """
    distances = np.sqrt((points**2).sum(axis=1))
    return np.sort(np.argsort(-distances, kind="stable")[:c])


def reduce_candidates(outline: Outline, candidates: Sequence[int]) -> list[int]:
    """Drop candidates with the same texts as an ancestor, which may have images.

    Algorithm 3."""
    kept: list[int] = []
    for node in candidates:
        texts = outline.leaf_starts[node], outline.leaf_ends[node]
        above = (i for i in kept if node < outline.ends[i])
        if all((outline.leaf_starts[i], outline.leaf_ends[i]) != texts for i in above):
            kept.append(node)
    return kept


def choose_main(outline: Outline, counts: NodeCounts, candidates: Sequence[int]) -> list[int]:
    """Choose the candidates with most words per tag, and their siblings (algorithm 4).

    On a tie all are chosen; if no candidate has a word, none is.
    """
    ratios = {i: int(counts.words[i]) / (outline.ends[i] - i) for i in candidates}
    best = max(ratios.values(), default=0)
    parents = {outline.parents[i] for i, ratio in ratios.items() if ratio == best}
    return [i for i in candidates if best and outline.parents[i] in parents]


def _is_wide(outline: Outline, rated: Numbers) -> bool:
    """Return whether all is content: the tree of rated nodes is wider than deep.

    Its width is the number of body's rated children. It is also true without rated nodes, if all
    text is in body itself, or in headings and links.
    """
    is_rated = np.zeros(len(outline.elements), dtype=np.int64)
    is_rated[rated] = 1
    depths = [0]
    for i, parent in enumerate(outline.parents[1:], 1):
        depths.append(depths[parent] + int(is_rated[i]))
    return not len(rated) or max(depths) < sum(is_rated[i] for i in outline.children(0))


def _word_ratios(outline: Outline, counts: NodeCounts) -> Ratios:
    """Sum the words of texts outside links, each text divided by its distance.

    All texts move up together, one level per step, so texts that meet have the same distance. Takes
    O(texts · depth).
    """
    parents = np.array(outline.parents)
    is_counted = np.array([counts.tags[owner] != "a" for owner in outline.leaf_owners], dtype=bool)
    holders = np.array(outline.leaf_owners, dtype=np.int64)[is_counted]
    words = counts.leaf_words[is_counted].astype(float)
    ratios = np.zeros(len(parents))
    distance = 1
    while len(holders):
        holders, indices = np.unique(holders, return_inverse=True)
        words = np.bincount(indices, words)
        ratios[holders] += words / distance
        is_below = holders > 0
        holders, words = parents[holders[is_below]], words[is_below]
        distance += 1
    return ratios


def _position_ratios(outline: Outline) -> Ratios:
    """Compute the position ratio: 1 in the upper half, down to 0 at the deepest node.

    Section 2 defines depth(n) as the depth of n's subtree; but what section 3 says of this ratio
    is true only of the depth of n itself.
    """
    depths = np.array(outline.levels) - 1
    texts = [outline.levels[owner] for owner in outline.leaf_owners]
    deepest = max(int(depths.max()), max(texts, default=0))
    return np.where(depths <= deepest / 2, 1.0, deepest / np.maximum(depths, 1) - 1)


def _is_link_list(outline: Outline, counts: NodeCounts, node: int) -> bool:
    """Return whether all children have one tag, only a link as child, and no image.

    Other media count as images: the paper's content is of any type.
    """
    children = list(outline.children(node))
    if not children or counts.images[node] or len(children) < counts.child_nodes[node]:
        return False
    return all(
        counts.tags[i] == counts.tags[children[0]]
        and counts.child_nodes[i] == 1
        and outline.ends[i] > i + 1
        and counts.tags[i + 1] == "a"
        for i in children
    )


def _sum_leaves(outline: Outline, values: Numbers) -> Numbers:
    """Sum values over the text leaves of every element."""
    sums = np.concatenate(([0], np.cumsum(values)))
    return np.asarray(sums[outline.leaf_ends] - sums[outline.leaf_starts])


def _sum_elements(outline: Outline, counts: Sequence[int] | Numbers) -> Numbers:
    """Sum the counts in every element's subtree, its own included."""
    sums = np.concatenate(([0], np.cumsum(counts)))
    return np.asarray(sums[outline.ends] - sums[:-1])


register("r4", R4Extractor())
