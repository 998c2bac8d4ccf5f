"""`Marks`: which elements and texts of a page get which colour.

Between a wrapper or any other selection and the document of `overlay`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from forest_crawler.page.outline import TextLeaf
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.wrapper.wrapper import Field, Wrapper

Mark = Literal[
    "forest-body",
    "forest-strip",
    "forest-title",
    "forest-author",
    "forest-date",
    "forest-signifier",
]
MARKS: tuple[Mark, ...] = get_args(Mark)
"""The classes in a marked page; the last one is that of words."""

_FIELD_MARKS: Mapping[Field, Mark] = {
    "title": "forest-title",
    "author": "forest-author",
    "date": "forest-date",
}


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of a page's elements, and the texts that are body on their own."""

    elements: Mapping[Element, tuple[Mark, ...]]
    leaves: frozenset[tuple[Element, bool]] = frozenset()  # element, and whether its tail

    def classes(self, element: Element) -> tuple[Mark, ...]:
        """Return the marks of an element; none for most."""
        return self.elements.get(element, ())


NO_MARKS = Marks({})


def mark_wrapper(tree: PageTree, wrapper: Wrapper) -> Marks:
    """Mark what a wrapper selects, strips and locates on a page."""
    located = {
        mark: wrapper.locate(tree, field)[:1]  # the first element shows the field
        for field, mark in _FIELD_MARKS.items()
    }
    return mark_selection(wrapper.select(tree), located)


def mark_selection(
    selection: Selection, located: Mapping[Mark, Iterable[Element]] | None = None
) -> Marks:
    """Mark the body that any method selected, and further elements.

    Stripped elements are marked inside the body only: elsewhere they change nothing.
    """
    nodes = [node for node in selection.nodes if not isinstance(node, TextLeaf)]
    body = frozenset(nodes)
    found: dict[Element, tuple[Mark, ...]] = dict.fromkeys(nodes, ("forest-body",))
    for element in selection.stripped:
        if any(above in body for above in element.iterancestors()):
            found[element] = (*found.get(element, ()), "forest-strip")
    for mark, elements in (located or {}).items():
        for element in elements:
            found[element] = (*found.get(element, ()), mark)
    leaves = (node for node in selection.nodes if isinstance(node, TextLeaf))
    return Marks(found, frozenset((leaf.element, leaf.is_tail) for leaf in leaves))
