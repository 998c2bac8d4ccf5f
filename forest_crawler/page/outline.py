"""`Outline`: a page's elements and pieces of text, numbered in depth-first order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from forest_crawler.page.xpath import Element


@dataclass(frozen=True, slots=True)
class TextLeaf:
    """A non-blank piece of text: an element's own text, or the tail after it."""

    element: Element
    is_tail: bool
    text: str = field(compare=False)


@dataclass(frozen=True, eq=False)
class Outline:
    """The body's elements in depth-first order, as parallel sequences.

    Element i has dfs i + 1. Its subtree is `elements[i:ends[i]]`, its text
    `leaves[leaf_starts[i]:leaf_ends[i]]`: any sum over a subtree is a difference of prefix sums.
    """

    elements: list[Element]
    parents: list[int]  # -1 for body
    levels: list[int]  # body is level 1
    ends: list[int]
    leaf_texts: list[str]
    leaf_elements: list[Element]  # whose text or tail the leaf is
    leaf_owners: list[int]  # the element that directly contains the leaf
    leaf_starts: list[int]
    leaf_ends: list[int]

    @cached_property
    def leaves(self) -> list[TextLeaf]:
        """The text leaves as nodes; `leaf_texts` has their text alone, and is cheaper."""
        return [self.leaf(index) for index in range(len(self.leaf_texts))]

    def leaf(self, index: int) -> TextLeaf:
        """Return one text leaf as a node; cheaper than `leaves` if only a few are needed."""
        element = self.leaf_elements[index]
        is_tail = element is not self.elements[self.leaf_owners[index]]
        return TextLeaf(element, is_tail, self.leaf_texts[index])

    @cached_property
    def positions(self) -> dict[Element, int]:
        """The index of every element."""
        return {element: i for i, element in enumerate(self.elements)}

    def path(self, index: int) -> list[int]:
        """Return the indices from body down to an element, both included."""
        found = []
        while index >= 0:
            found.append(index)
            index = self.parents[index]
        return found[::-1]

    def children(self, index: int) -> Iterator[int]:
        """Yield the indices of an element's children, in order."""
        child, end = index + 1, self.ends[index]
        while child < end:
            yield child
            child = self.ends[child]

    def document_order(self) -> Iterator[int]:
        """Yield elements and text leaves in order; leaf k is len(elements) + k."""
        size, leaf = len(self.elements), 0
        for element, start in enumerate(self.leaf_starts):
            yield from range(size + leaf, size + start)
            yield element
            leaf = start
        yield from range(size + leaf, size + len(self.leaf_texts))


def number_elements(body: Element) -> Outline:
    """Number the body in one walk; a hot loop, so it avoids every needless call."""
    elements = list(body.iter("*"))
    size = len(elements)
    parents, levels, starts = [-1] * size, [1] * size, [0] * size
    ends, leaf_ends = [size] * size, [0] * size
    texts: list[str] = []
    leaf_elements: list[Element] = []
    owners: list[int] = []
    above = [element.getparent() for element in elements]
    parent, level, last_open = -1, 0, above[0]
    for index, holder in enumerate([*above, body]):  # the last one closes all but body
        while last_open is not holder:
            closed, parent, level = parent, parents[parent], level - 1
            ends[closed], leaf_ends[closed] = index, len(texts)
            text, last_open = elements[closed].tail, elements[parent]
            if text and not text.isspace():
                texts.append(text)
                leaf_elements.append(elements[closed])
                owners.append(parent)
        if index == size:
            break
        level += 1
        parents[index], levels[index], starts[index] = parent, level, len(texts)
        parent, last_open = index, elements[index]
        text = last_open.text
        if text and not text.isspace():
            texts.append(text)
            leaf_elements.append(last_open)
            owners.append(index)
    leaf_ends[0] = len(texts)
    return Outline(elements, parents, levels, ends, texts, leaf_elements, owners, starts, leaf_ends)
