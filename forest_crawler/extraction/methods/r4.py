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
from lxml.html import defs
from numpy.typing import NDArray

from forest_crawler.extraction.methods.explanation import ExplainedNode, Explanation, Figure
from forest_crawler.extraction.methods.options import option
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

COLUMNS = ("level", "word", "link", "child", "pos", "dist", "c-SET", "w/tag")
LEGEND = (
    "word: words outside links, each divided by its distance; link: 1 / links; child: 1 if there "
    "are more than two child nodes; pos: page depth / subtree depth - 1, or 1 up to half the page "
    "depth. dist: root of the sum of squares of (ratio - mean) / deviation. c-SET: `same` has the "
    "same text as an ancestor in the set. w/tag: words per tag."
)
"""What `explain` shows of a node: the four ratios of Def. 3.1, and the steps after them."""

HTML_TAGS = defs.tags | {"main"}
"""The elements of HTML; any other around a whole page is an envelope, not part of the page."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The rated nodes, and what is left of them after each step."""

    rated: Numbers
    ratios: Ratios  # a row per rated node
    distances: Ratios
    c_set: list[int]  # algorithm 2
    candidates: list[int]  # algorithm 3
    main: list[int]  # algorithm 4


@dataclass(frozen=True, slots=True)
class R4Extractor:
    """Selects the best of the `c` farthest nodes, without the groups of links in it.

    A group has more than `hr` links, and its text is more than `tr` times its text outside links.
    The defaults are the best values on the paper's training pages.
    """

    c: int = option(3, 1, "nodes in the c-SET")
    tr: float = option(1.5, 0, "text per text outside links, above which links are a group")
    hr: int = option(7, 0, "links above which they are a group")

    def extract(self, tree: PageTree) -> Selection:
        """Select the main content nodes."""
        outline = tree.outline
        counts = count_nodes(outline, tree.media)
        if not counts.words[0]:
            return Selection(tree)
        rated = find_rated(counts)
        if _is_wide(outline, rated):
            return select_elements(tree, [tree.body])
        main = self._choose(outline, counts, rated).main
        groups = [group for node in main for group in self._find_groups(outline, counts, node)]
        if counts.words[groups].sum() == counts.words[main].sum():
            groups = []  # on a page of links, the links are the content
        elements = outline.elements
        return select_elements(tree, [elements[i] for i in main], [elements[i] for i in groups])

    def explain(self, tree: PageTree) -> Explanation:
        """List the rated nodes by their distance from the centroid."""
        outline = tree.outline
        counts = count_nodes(outline)
        rated = find_rated(counts)
        if not counts.words[0]:
            return Explanation("no words, so nothing is selected", LEGEND, COLUMNS, [])
        if _is_wide(outline, rated):
            depth, width = _measure_shape(outline, rated)
            outcome = (
                f"the whole page: its depth, {depth}, is less than its width, {width} children "
                "of body (counting rated nodes)"
                if len(rated)
                else "the whole page: it has no node to rate"
            )
            return Explanation(outcome, LEGEND, COLUMNS, [])
        choice = self._choose(outline, counts, rated)
        ratios = zip(COLUMNS[1:5], choice.ratios.mean(0), choice.ratios.std(0), strict=True)
        outcome = (
            f"of the {self.c} farthest nodes (c-SET), the one with the highest w/tag, with its "
            "siblings in the c-SET, without groups of links; mean and deviation: "
            + ", ".join(f"{name} {mean:.2f} ± {deviation:.2f}" for name, mean, deviation in ratios)
        )
        return Explanation(outcome, LEGEND, COLUMNS, _explain_nodes(outline, counts, choice))

    def _choose(self, outline: Outline, counts: NodeCounts, rated: Numbers) -> Choice:
        ratios = rate_nodes(outline, counts)[rated]
        points = standardise(ratios)
        c_set = rated[find_farthest(points, self.c)].tolist()
        candidates = reduce_candidates(outline, c_set)
        main = choose_main(outline, counts, candidates)
        return Choice(rated, ratios, _distances(points), c_set, candidates, main)

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
    return np.sort(np.argsort(-_distances(points), kind="stable")[:c])


def _distances(points: Ratios) -> Ratios:
    return np.asarray(np.sqrt((points**2).sum(axis=1)))


def reduce_candidates(outline: Outline, candidates: Sequence[int]) -> list[int]:
    """Drop candidates with the same texts as an ancestor, which may have images.

    This is algorithm 3.
    """
    kept: list[int] = []
    for node in candidates:
        texts = _leaf_span(outline, node)
        above = (i for i in kept if node < outline.ends[i])
        if all(_leaf_span(outline, i) != texts for i in above):
            kept.append(node)
    return kept


def choose_main(outline: Outline, counts: NodeCounts, candidates: Sequence[int]) -> list[int]:
    """Choose the candidates with most words per tag, and their siblings (algorithm 4).

    On a tie all are chosen; if no candidate has a word, none is.
    """
    ratios = {i: _words_per_tag(outline, counts, i) for i in candidates}
    best = max(ratios.values(), default=0)
    parents = {outline.parents[i] for i, ratio in ratios.items() if ratio == best}
    return [i for i in candidates if best and outline.parents[i] in parents]


def _words_per_tag(outline: Outline, counts: NodeCounts, node: int) -> float:
    return int(counts.words[node]) / (outline.ends[node] - node)


def _explain_nodes(outline: Outline, counts: NodeCounts, choice: Choice) -> list[ExplainedNode]:
    """List the figures of the rated nodes, the farthest first."""
    found = []
    for row in np.argsort(-choice.distances, kind="stable"):
        node = int(choice.rated[row])
        is_dropped = node in choice.c_set and node not in choice.candidates
        membership = "same" if is_dropped else "yes" if node in choice.c_set else ""
        figures: tuple[Figure, ...] = (
            outline.levels[node],
            *map(float, choice.ratios[row]),
            float(choice.distances[row]),
            membership,
            _words_per_tag(outline, counts, node),
        )
        found.append(ExplainedNode(node, node in choice.main, figures))
    return found


def _is_wide(outline: Outline, rated: Numbers) -> bool:
    """Return whether all is content: the tree of rated nodes is wider than deep.

    Its width is the number of body's rated children. It is also true without rated nodes, if all
    text is in body itself, or in headings and links.
    """
    depth, width = _measure_shape(outline, rated)
    return not len(rated) or depth < width


def _measure_shape(outline: Outline, rated: Numbers) -> tuple[int, int]:
    """Count the rated nodes on the longest path from the root, and the root's children."""
    root = _find_root(outline)
    is_rated = np.zeros(len(outline.elements), dtype=np.int64)
    is_rated[rated] = 1
    depths = [0] * (root + 1)
    for i in range(root + 1, outline.ends[root]):
        depths.append(depths[outline.parents[i]] + int(is_rated[i]))
    return max(depths), sum(int(is_rated[i]) for i in outline.children(root))


def _find_root(outline: Outline) -> int:
    """Find the page's root: body, or the innermost envelope around all that body contains.

    The files of CleanEval are pages in a `<text>` element. With it, no page of the set would be
    wider than deep; in the paper 11 of 65 are.
    """
    root = 0
    while True:
        child, end = root + 1, outline.ends[root]
        is_only_child = child < end == outline.ends[child]
        has_all_text = is_only_child and _leaf_span(outline, child) == _leaf_span(outline, root)
        if not has_all_text or outline.elements[child].tag in HTML_TAGS:
            return root
        root = child


def _leaf_span(outline: Outline, node: int) -> tuple[int, int]:
    return outline.leaf_starts[node], outline.leaf_ends[node]


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
    """Compute the position ratio: 1 up to half the page's depth, down to 0 for body.

    depth(n) is the depth of n's subtree, as section 2 defines it; section 3 comments on the ratio
    as if it were n's own. With the definition, the few elements around much of a page differ from
    the rest and become candidates, and recall on CleanEval is closer to the published one.
    """
    depths = [0] * len(outline.elements)
    for owner in outline.leaf_owners:
        depths[owner] = 1
    for i in range(len(depths) - 1, 0, -1):
        above = outline.parents[i]
        depths[above] = max(depths[above], depths[i] + 1)
    limit, deepest = depths[0] / 2, depths[0]
    return np.array([1.0 if depth <= limit else deepest / depth - 1 for depth in depths])


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
