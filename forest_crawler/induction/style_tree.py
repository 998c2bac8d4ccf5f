"""SST: a site's pages merged into one style tree, whose unimportant nodes are noise.

From: Lan Yi, Bing Liu, Xiaoli Li, *Eliminating Noisy Information in Web Pages for Data Mining*
(2003). A baseline that learns from sibling pages, as Forest does, but induces no wrapper: what it
learns is the tree, and what is left of a page without its noise is the article.

Where the definition is silent:

- *Children* are elements and text leaves in document order. A text leaf is an element node of its
  own, so that text beside elements isn't lost.
- *Display attributes* are those in `DISPLAY_ATTRIBUTES`. The bodies of all pages are one node,
  whatever their attributes are: sites name the page there.
- *Features* are lower-case words with multiplicity, the target of the nearest link around them, and
  image files, as written. p_ij is the share of a feature's occurrences that are on page j.
- *Childless elements* that have children on other pages have the empty style, with the importance
  of a leaf. A leaf without features on several pages has importance 0.
- *The threshold* is one for all sites; the paper chooses one per site by looking at its pages.
- *Unseen styles* of a page are not noise, nor is anything below them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log
from typing import TypeAlias

from forest_crawler.page.selection import Selection, select_leaves
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.text.terms import tokenize

GAMMA = 0.9
"""How much an element's children count against its own styles: the paper's value."""

THRESHOLD = 0.9
"""Importance below which a node is noise: of nine values, the best on four labelled sets."""

DISPLAY_ATTRIBUTES = frozenset(
    "align background bgcolor border cellpadding cellspacing clear color colspan face height "
    "hspace nowrap rowspan size style valign vspace width".split()
)
"""Attributes that say how an element looks. `class` and `id` are not among them: they often name
one page (`post-4711`), and with `class` F1 is 0.1 to 2.0 points lower."""

TEXT = "#text"

Label: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]
"""An element's tag and display attributes; children with equal labels are one style."""


@dataclass(slots=True, eq=False, repr=False)
class StyleNode:
    """A sequence of children that pages have at one element node: S = (Es, n)."""

    elements: tuple[ElementNode, ...]
    pages: int = 0
    features: dict[str, _Spread] = field(default_factory=dict)  # of leaves, which have no children

    @property
    def importance(self) -> float:
        """CompImp(S): the mean of its elements', or of a leaf how much its features vary."""
        if self.elements:
            return sum(element.importance for element in self.elements) / len(self.elements)
        if self.pages == 1:
            return 1.0
        if not self.features:
            return 0.0
        spread = sum(found.entropy(self.pages) for found in self.features.values())
        return 1.0 - spread / len(self.features)

    def add_features(self, features: Counter[str]) -> None:
        """Add the features of one page's leaf."""
        for name, count in features.items():
            self.features.setdefault(name, _Spread()).add(count)


@dataclass(slots=True, eq=False, repr=False)
class ElementNode:
    """The elements at one position of the merged pages: E = (TAG, Attr, Ss)."""

    label: Label
    pages: int = 0
    styles: dict[tuple[Label, ...], StyleNode] = field(default_factory=dict)
    importance: float = 1.0  # CompImp(E)
    is_noisy: bool = False  # with all that is below it
    is_meaningful: bool = True  # nothing below it is noisy

    @property
    def node_importance(self) -> float:
        """NodeImp(E): how much the pages' styles vary here."""
        if self.pages == 1:
            return 1.0
        shares = [style.pages / self.pages for style in self.styles.values()]
        return -sum(share * log(share, self.pages) for share in shares)

    def weigh(self, threshold: float) -> None:
        """Compute its importance and whether it is noise; its children's are known."""
        styles = list(self.styles.values())
        mean = sum(style.pages / self.pages * style.importance for style in styles)
        if any(style.elements for style in styles):
            below = GAMMA ** len(styles)
            self.importance = (1 - below) * self.node_importance + below * mean
        else:
            self.importance = mean
        children = [element for style in styles for element in style.elements]
        self.is_noisy = self.importance < threshold and all(child.is_noisy for child in children)
        self.is_meaningful = not self.is_noisy and all(child.is_meaningful for child in children)


@dataclass(slots=True)
class _Spread:
    """How a feature's occurrences are spread over pages, as sums over the pages."""

    total: int = 0
    weighted: float = 0.0  # of count · ln(count)

    def add(self, count: int) -> None:
        self.total += count
        self.weighted += count * log(count)

    def entropy(self, pages: int) -> float:
        """H = -Σ p log p over the pages, to the base of their number."""
        return (log(self.total) - self.weighted / self.total) / log(pages)


@dataclass(frozen=True, slots=True)
class StyleTree:
    """A site's style tree, weighed; false if it has no pages."""

    nodes: Sequence[ElementNode]  # parents before children; the first is body

    def __bool__(self) -> bool:
        return self.nodes[0].pages > 0

    def select(self, tree: PageTree) -> Selection:
        """Map a page to the tree, and select what isn't noise."""
        page = _Page(tree)
        kept = [True] * len(tree.outline.leaf_texts)
        pairs = [(self.nodes[0], 0)]
        while pairs:
            element, index = pairs.pop()
            if element.is_noisy:
                leaves = page.leaves(index)
                kept[leaves.start : leaves.stop] = [False] * len(leaves)
            elif not element.is_meaningful and (style := element.styles.get(page.style(index))):
                pairs.extend(zip(style.elements, page.children[index], strict=True))
        return select_leaves(tree, (leaf for leaf, is_kept in enumerate(kept) if is_kept))


def build_style_tree(pages: Iterable[PageTree], threshold: float = THRESHOLD) -> StyleTree:
    """Merge a site's pages and find their noise; O(elements and words of all pages)."""
    nodes = [ElementNode(("body", ()))]
    for tree in pages:
        _merge(_Page(tree), nodes)
    if nodes[0].pages:
        for element in reversed(nodes):  # children first
            element.weigh(threshold)
    return StyleTree(nodes)


def _merge(page: _Page, nodes: list[ElementNode]) -> None:
    """Add a page to the style tree; `nodes` grows by what no other page has."""
    pairs = [(nodes[0], 0)]
    while pairs:
        element, index = pairs.pop()
        element.pages += 1
        labels = page.style(index)
        style = element.styles.get(labels)
        if style is None:
            style = StyleNode(tuple(ElementNode(label) for label in labels))
            element.styles[labels] = style
            nodes.extend(style.elements)
        style.pages += 1
        if not labels:
            style.add_features(page.features(index))
        pairs.extend(zip(style.elements, page.children[index], strict=True))


class _Page:
    """A page as the definition sees it: one tree of elements and text leaves.

    Element i has index i, text leaf k has index len(elements) + k.
    """

    def __init__(self, tree: PageTree) -> None:
        self._outline = tree.outline
        self._size = len(tree.outline.elements)
        self.children: list[list[int]] = [
            [] for _ in range(self._size + len(self._outline.leaf_texts))
        ]
        parents = self._outline.parents + self._outline.leaf_owners
        for index in self._outline.document_order():
            if index:
                self.children[parents[index]].append(index)
        self._labels = [_label(element) for element in self._outline.elements]
        self._labels += [(TEXT, ())] * len(self._outline.leaf_texts)

    def style(self, index: int) -> tuple[Label, ...]:
        """Return the labels of a node's children."""
        return tuple([self._labels[child] for child in self.children[index]])

    def leaves(self, index: int) -> range:
        """Return the text leaves in a node."""
        if index < self._size:
            return range(self._outline.leaf_starts[index], self._outline.leaf_ends[index])
        return range(index - self._size, index - self._size + 1)

    def features(self, index: int) -> Counter[str]:
        """Count the features of a node without children."""
        outline = self._outline
        if index < self._size:
            owner, found = index, Counter[str]()
            source = outline.elements[index].get("src")
            if source and outline.elements[index].tag == "img":
                found[f"src={source}"] = 1
        else:
            owner = outline.leaf_owners[index - self._size]
            found = Counter(tokenize(outline.leaf_texts[index - self._size]))
        if target := self._links[owner]:
            found[f"href={target}"] = 1
        return found

    @cached_property
    def _links(self) -> list[str | None]:
        """The target of the nearest link that each element is in, or is."""
        links: list[str | None] = []
        for element, parent in zip(self._outline.elements, self._outline.parents, strict=True):
            target = element.get("href") if element.tag == "a" else None
            links.append(target or (links[parent] if links else None))
        return links


def _label(element: Element) -> Label:
    found = sorted(DISPLAY_ATTRIBUTES.intersection(element.attrib))
    return element.tag, tuple((name, element.get(name, "")) for name in found)
