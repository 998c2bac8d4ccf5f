"""Find structural patterns on significant paths (section 3.2 of the paper).

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
# "Attributes other than dfs": the annotation overwrites a page's own before the XPath runs.
_ANNOTATIONS = frozenset({"dfs", "level"})


@dataclass(frozen=True, slots=True, order=True)
class ElementType:
    """The type by which an element is recognised on other pages (Definition 2).

    Tag and attributes; for an element without attributes, tag and dfs position.
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
    """An element on a significant path: its page, dfs position and term counts.

    It holds x signifiers, counted with multiplicity, and y other terms; `covered` is the sum of the
    weights of its distinct signifiers.
    """

    page: int
    dfs: int
    x: int
    y: int
    covered: float


TypeOf = Callable[[Element, int], ElementType]


def tolerant_form(value: str) -> str:
    """Return the first token of an attribute's value without its digits.

    >>> tolerant_form("post wrapper-02"), tolerant_form("story-4711"), tolerant_form(" ")
    ('post', 'story-', '')
    """
    tokens = value.split(maxsplit=1)
    return _DIGITS.sub("", tokens[0]) if tokens else ""


def tolerant_type(element: Element, dfs: int) -> ElementType:
    """Return the element type with attribute values in tolerant form."""
    return _element_type(element, dfs, tolerant_form)


def exact_type(element: Element, dfs: int) -> ElementType:
    """Return the element type with unchanged attribute values."""
    return _element_type(element, dfs, str)


def find_patterns(
    pages: Iterable[SignificantPage], type_of: TypeOf = tolerant_type
) -> dict[StructuralPattern, list[Occurrence]]:
    """Find all structural patterns of a sample, each with all its occurrences."""
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
    # Sorted, because the order of attributes in the source has no meaning.
    attributes = tuple(
        sorted((str(k), form(str(v))) for k, v in element.attrib.items() if k not in _ANNOTATIONS)
    )
    tag = str(element.tag)
    return ElementType(tag, attributes) if attributes else ElementType(tag, dfs=dfs)


def _covered_weights(page: SignificantPage) -> dict[int, float]:
    """Sum the weights of distinct signifiers per element on a significant path.

    Each leaf passes its signifiers up to its ancestors, at most k each: O(n · depth).
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
