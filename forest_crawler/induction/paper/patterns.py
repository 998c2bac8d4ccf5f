"""Element types and structural patterns on significant paths (section 3.2 of the paper).

Third stage of the published method: which elements with signifiers recur on sibling pages?
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate

from forest_crawler.induction.significant_paths import SignificantPage, significant_elements
from forest_crawler.page.xpath import Element

_DIGITS = re.compile(r"[0-9]+")
# "Attributes other than dfs": a page's own ones are overwritten where the XPath is run.
_ANNOTATIONS = frozenset({"dfs", "level"})


@dataclass(frozen=True, slots=True, order=True)
class ElementType:
    """What is taken for the same element on another page (Definition 2).

    Tag and attributes; where an element has none, tag and dfs position.
    """

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()
    dfs: int | None = None


@dataclass(frozen=True, slots=True, order=True)
class StructuralPattern:
    """An element type on a level of the tree (Definition 3)."""

    type: ElementType
    level: int


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An element on a significant path: where it stands, and the terms it holds.

    x signifiers, counted with multiplicity, and y other terms; `covered` is the sum of the weights
    of the distinct signifiers in it.
    """

    page: int
    dfs: int
    x: int
    y: int
    covered: float


TypeOf = Callable[[Element, int], ElementType]


def tolerant_form(value: str) -> str:
    """The first token of an attribute's value, digits removed.

    >>> tolerant_form("post wrapper-02"), tolerant_form("story-4711"), tolerant_form(" ")
    ('post', 'story-', '')
    """
    tokens = value.split(maxsplit=1)
    return _DIGITS.sub("", tokens[0]) if tokens else ""


def tolerant_type(element: Element, dfs: int) -> ElementType:
    """The element type with attribute values in tolerant form."""
    return _element_type(element, dfs, tolerant_form)


def exact_type(element: Element, dfs: int) -> ElementType:
    """The element type with attribute values as they stand."""
    return _element_type(element, dfs, str)


def find_patterns(
    pages: Iterable[SignificantPage], type_of: TypeOf = tolerant_type
) -> dict[StructuralPattern, list[Occurrence]]:
    """All structural patterns of a sample, with every occurrence where they occur."""
    found: dict[StructuralPattern, list[Occurrence]] = {}
    for number, page in enumerate(pages):
        outline = page.terms.tree.outline
        xs = [0, *accumulate(page.hits)]
        sizes = [0, *accumulate(len(leaf) for leaf in page.terms.leaves)]
        covered = _covered_weights(page)
        for index in significant_elements(page):
            start, end = outline.leaf_starts[index], outline.leaf_ends[index]
            x = xs[end] - xs[start]
            y = sizes[end] - sizes[start] - x
            element_type = type_of(outline.elements[index], index + 1)
            pattern = StructuralPattern(element_type, outline.levels[index])
            occurrence = Occurrence(number, index + 1, x, y, covered[index])
            found.setdefault(pattern, []).append(occurrence)
    return found


def _element_type(element: Element, dfs: int, form: Callable[[str], str]) -> ElementType:
    # Sorted: the order in which a page writes its attributes says nothing.
    attributes = tuple(
        sorted((str(k), form(str(v))) for k, v in element.attrib.items() if k not in _ANNOTATIONS)
    )
    tag = str(element.tag)
    return ElementType(tag, attributes) if attributes else ElementType(tag, dfs=dfs)


def _covered_weights(page: SignificantPage) -> dict[int, float]:
    """For each element on a significant path, the weight of the distinct signifiers in it.

    Each leaf hands its signifiers to its ancestors: n · depth, with at most k signifiers each.
    """
    outline = page.terms.tree.outline
    holds: dict[int, set[str]] = {}
    for leaf, count in enumerate(page.hits):
        index = outline.leaf_owners[leaf] if count else -1
        names = {term for term in page.terms.leaves[leaf] if term in page.signifiers}
        while index >= 0 and not names <= holds.setdefault(index, set()):
            holds[index] |= names
            index = outline.parents[index]
    weights = page.signifiers.weights
    return {index: sum(weights[n] for n in sorted(names)) for index, names in holds.items()}
