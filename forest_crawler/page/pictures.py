"""Find the pictures of an article that are beside its selected nodes.

A method that selects text leaves, or a wrapper that selects paragraphs, leaves the elements without
text between them out: pictures, galleries, and figures whose caption isn't running text. Whether
such a picture belongs to the article depends on the text around it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from forest_crawler.page.neighbours import comes_before_text
from forest_crawler.page.outline import Outline, TextLeaf
from forest_crawler.page.selection import Node, Selection
from forest_crawler.page.tree import INLINE_TAGS
from forest_crawler.page.xpath import Element

IMAGE_TAGS = ("img", "amp-img", "picture")
FIGURE = "figure"

_PICTURES = frozenset([*IMAGE_TAGS, FIGURE])

MAX_WALKS = 20
"""Max selected elements whose neighbours are looked at; for more, numbering the page is faster."""

MIN_SHARE = 0.8
"""Min share of the text around a picture that is selected, if the text on one side of it isn't."""

MAX_CAPTION = 600
"""Max characters of a figure's text: a longer one is a box with a picture."""


@dataclass(frozen=True, eq=False)
class PicturesBeside:
    """The pictures that belong to a selection, but are in none of its nodes.

    `elements` are pictures or whole figures, each with the index of the node that it precedes.
    """

    selection: Selection

    @cached_property
    def elements(self) -> tuple[tuple[int, Element], ...]:
        """The outermost elements, in document order."""
        tree = self.selection.tree
        if not self.selection.nodes or not self.has_pictures or self._are_apart():
            return ()
        outline = tree.outline
        starts = [self._first_leaf(node) for node in self.selection.nodes]
        found: list[tuple[int, Element]] = []
        end = -1
        for image in tree.body.iter(*IMAGE_TAGS):
            index = outline.positions[image]
            if index < end or self._covered[index]:
                continue
            figure = self._figure(index)
            if self._is_inside(figure):
                found.append(
                    (bisect_left(starts, outline.leaf_starts[figure]), outline.elements[figure])
                )
                end = outline.ends[figure]
        return tuple(found)

    def _are_apart(self) -> bool:
        """Whether texts are between all pictures and the few selected elements."""
        body, nodes = self.selection.tree.body, self.selection.nodes
        elements = [node for node in nodes if not isinstance(node, TextLeaf)]
        if len(elements) < len(nodes) or len(nodes) > MAX_WALKS:
            return False
        return not any(comes_before_text(it, body, _PICTURES) for it in elements)

    @cached_property
    def has_pictures(self) -> bool:
        """Whether the page has any picture."""
        return next(self.selection.tree.body.iter(*IMAGE_TAGS), None) is not None

    def near_headline(
        self, headline: int | None, max_leaves: int
    ) -> Iterator[tuple[Element, bool]]:
        """Yield the pictures and figures before the body, and whether they are at the headline.

        The body begins with the first selected leaf after the headline, which is a leaf, too. If
        that is a lead of one block, a picture between it and the rest is before the body as well.
        At the headline is what comes after it, or directly before it.
        """
        outline = self._outline
        lead = self._selected.find(1, 1 if headline is None else headline + 2) - 1
        rest = self._second_block(lead) if lead >= 0 else -1
        end = -1
        for image in self.selection.tree.body.iter(*IMAGE_TAGS) if lead >= 0 else ():
            index = outline.positions[image]
            leaf = outline.leaf_starts[index]
            if leaf > rest:
                return
            if rest - leaf <= max_leaves and index >= end and not self._covered[index]:
                figure = self._figure(index)
                end = outline.ends[figure]
                if leaf <= lead or self._is_alone(figure):
                    yield outline.elements[figure], self._is_at_headline(figure, headline)

    def _second_block(self, leaf: int) -> int:
        """Return the first selected leaf after the block of a leaf; the leaf if there is none."""
        outline = self._outline
        index = outline.leaf_owners[leaf]
        while outline.elements[index].tag in INLINE_TAGS and outline.parents[index] > 0:
            index = outline.parents[index]
        found = self._selected.find(1, max(outline.leaf_ends[index], leaf + 1) + 1) - 1
        return found if found >= 0 else leaf

    def _is_at_headline(self, figure: int, headline: int | None) -> bool:
        if headline is None:
            return False
        outline = self._outline
        start, end = outline.leaf_starts[figure], outline.leaf_ends[figure]
        return start > headline or (end == headline and not self._is_linked_whole(figure))

    def _is_alone(self, figure: int) -> bool:
        """Whether no box with other text of its own is around a figure in unselected text."""
        outline = self._outline
        letters, chosen = self._letters
        start, end = outline.leaf_starts[figure], outline.leaf_ends[figure]
        own = letters[end] - letters[start]
        for above in self._above(figure):
            start, end = outline.leaf_starts[above], outline.leaf_ends[above]
            if chosen[end] > chosen[start]:
                return True
            if letters[end] - letters[start] > own:
                return False
        return True

    def _is_linked_whole(self, figure: int) -> bool:
        elements = self._outline.elements
        return any(elements[above].tag == "a" for above in self._above(figure))

    @cached_property
    def _outline(self) -> Outline:
        return self.selection.tree.outline

    @cached_property
    def _leaf_numbers(self) -> dict[tuple[Element, bool], int]:
        leaves = enumerate(self._outline.leaves)
        return {(leaf.element, leaf.is_tail): number for number, leaf in leaves}

    def _first_leaf(self, node: Node) -> int:
        if isinstance(node, TextLeaf):
            return self._leaf_numbers[node.element, node.is_tail]
        return self._outline.leaf_starts[self._outline.positions[node]]

    @cached_property
    def _covered(self) -> bytearray:
        """For every element, whether a node has it, or a strip rule removes it."""
        outline, covered = self._outline, bytearray(len(self._outline.elements))
        for element in (*self.selection.nodes, *self.selection.stripped):
            if not isinstance(element, TextLeaf) and element in outline.positions:
                index = outline.positions[element]
                covered[index : outline.ends[index]] = b"\1" * (outline.ends[index] - index)
        return covered

    @cached_property
    def _selected(self) -> bytearray:
        """For every leaf, whether it is selected; with one more at either end."""
        outline = self._outline
        selected = bytearray(len(outline.leaf_texts) + 2)
        for node in self.selection.nodes:
            if isinstance(node, TextLeaf):
                selected[self._first_leaf(node) + 1] = 1
            else:
                self._mark(selected, node, b"\1")
        for element in self.selection.stripped:
            self._mark(selected, element, b"\0")
        return selected

    def _mark(self, selected: bytearray, element: Element, mark: bytes) -> None:
        outline = self._outline
        if (index := outline.positions.get(element)) is not None:
            start, end = outline.leaf_starts[index] + 1, outline.leaf_ends[index] + 1
            selected[start:end] = mark * (end - start)

    @cached_property
    def _letters(self) -> tuple[list[int], list[int]]:
        """Prefix sums of the characters of all leaves, and of selected ones."""
        lengths = [len(text.strip()) for text in self._outline.leaf_texts]
        marks = self._selected[1:-1]
        chosen = [length * mark for length, mark in zip(lengths, marks, strict=True)]
        return list(accumulate(lengths, initial=0)), list(accumulate(chosen, initial=0))

    def _figure(self, index: int) -> int:
        """Return the index of the figure around a picture; its own if there is none."""
        outline = self._outline
        if next(outline.elements[index].iterancestors(FIGURE), None) is None:
            return index
        letters, _ = self._letters
        best = index
        for above in self._above(index):
            start, end = outline.leaf_starts[above], outline.leaf_ends[above]
            if letters[end] - letters[start] > MAX_CAPTION:
                break
            if outline.elements[above].tag == FIGURE:
                best = above
        return best

    def _above(self, index: int) -> Iterator[int]:
        while (index := self._outline.parents[index]) > 0:
            yield index

    def _is_inside(self, index: int) -> bool:
        """Whether the text before and after is selected, or most text around it."""
        outline = self._outline
        start, end = outline.leaf_starts[index], outline.leaf_ends[index]
        before, after = self._selected[start], self._selected[end + 1]
        if not (before or after) or self._is_card(index):
            return False
        return bool(before and after) or self._share_around(index) >= MIN_SHARE

    def _is_card(self, index: int) -> bool:
        """Whether all text of a figure is linked: a bookmark of another page."""
        outline = self._outline
        leaves = range(outline.leaf_starts[index], outline.leaf_ends[index])
        return bool(leaves) and all(self._is_linked(leaf, index) for leaf in leaves)

    def _is_linked(self, leaf: int, top: int) -> bool:
        """Whether a leaf is in a link, other than one in a caption, which leads to a source."""
        owner, is_linked = self._outline.leaf_owners[leaf], False
        while owner > top:
            tag = self._outline.elements[owner].tag
            if tag == "figcaption":
                return False
            is_linked = is_linked or tag == "a"
            owner = self._outline.parents[owner]
        return is_linked

    def _share_around(self, index: int) -> float:
        """Return the selected share of the smallest element with other text around it."""
        outline = self._outline
        letters, chosen = self._letters
        start, end = outline.leaf_starts[index], outline.leaf_ends[index]
        own = letters[end] - letters[start]
        own_chosen = chosen[end] - chosen[start]
        for above in self._above(index):
            start, end = outline.leaf_starts[above], outline.leaf_ends[above]
            others = letters[end] - letters[start] - own
            if others:
                return (chosen[end] - chosen[start] - own_chosen) / others
        return 0.0
