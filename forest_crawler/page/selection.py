"""`Selection`: the nodes of a page that are the article, as text and HTML.

Every method (wrapper or page-level extractor) returns one; articles are made of it.
"""

from __future__ import annotations

import copy
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from html import escape
from itertools import accumulate, chain, zip_longest
from typing import TypeAlias

from lxml import etree

from forest_crawler.page.media import MediaNode
from forest_crawler.page.outline import Outline, TextLeaf
from forest_crawler.page.tree import INLINE_TAGS, PageTree
from forest_crawler.page.visibility import drop_elements
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import SOFT_HYPHEN, UNSEEN

Node: TypeAlias = Element | TextLeaf


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Nodes of one page in document order, none inside another; may be empty.

    A node is an element with its content except for `stripped` elements, or a single text leaf if
    a method selects only part of an element's text.
    """

    tree: PageTree
    nodes: tuple[Node, ...] = ()
    stripped: frozenset[Element] = frozenset()
    # Media that are in no node, but between two; each with the index of the second.
    between: tuple[tuple[int, MediaNode], ...] = ()
    _kept: list[tuple[str, ...]] = field(default_factory=list, init=False, repr=False)

    def __bool__(self) -> bool:
        return bool(self.nodes)

    @property
    def text(self) -> str:
        """The selected text: one line per block, blanks inside a line folded."""
        return "\n".join(self.lines())

    def lines(self) -> Iterable[str]:
        """Return the lines of the text, one after the other."""
        return self._kept[0] if self._kept else self._walk_lines()

    def keep_lines(self, lines: Iterable[str] | None = None) -> tuple[str, ...]:
        """Return the lines of the text, and keep them for who reads it next.

        Whoever has read them already gives them as `lines`.
        """
        if not self._kept:
            self._kept.append(tuple(self._walk_lines() if lines is None else lines))
        return self._kept[0]

    def _walk_lines(self) -> Iterator[str]:
        line: list[str] = []
        for node, following in zip_longest(self.nodes, self.nodes[1:]):
            yield from _read_lines(node, self.stripped, line)
            gap = line_gap(node, following)
            if gap is not None:
                line.append(gap)
            elif line:
                if folded := fold_line(line):
                    yield folded
                line.clear()

    @property
    def html(self) -> str:
        """The selected nodes as HTML, a line for those of one line; links and images unchanged."""
        pieces: list[str] = []
        for node, following in zip_longest(self.nodes, self.nodes[1:]):
            gap = line_gap(node, following)
            pieces += (_node_html(node, self.stripped), "\n" if gap is None else gap)
        return "".join(pieces[:-1])

    @property
    def media(self) -> tuple[MediaNode, ...]:
        """The media in and between the nodes, in document order; `html` is without them."""
        if not self.tree.media:
            return ()
        between = {node for _, node in self.between}
        leaves = {(it.element, it.is_tail) for it in self.nodes if isinstance(it, TextLeaf)}
        elements = (it for it in self.nodes if not isinstance(it, TextLeaf))
        is_selected = dict.fromkeys(elements, True) | dict.fromkeys(self.stripped, False)
        return tuple(
            node
            for node in self.tree.media
            if node in between
            or (node.anchor, node.is_tail) in leaves
            or _is_within(node.parent, is_selected)
        )


def fold_line(pieces: Iterable[str]) -> str:
    """Join the pieces of a line, and fold its blanks.

    Most lines have single blanks already; splitting them into words takes half of a text's time.

    >>> fold_line(["See the ferry ", "sail"]), fold_line([" See\\n", "the\\xa0 ferry "])
    ('See the ferry sail', 'See the ferry')

    A line without a visible character is empty, as readers see it, and so is a soft hyphen.

    >>> fold_line(["\\u200d", " "]), fold_line(["Light\\xadhouse"])
    ('', 'Lighthouse')
    """
    line = "".join(pieces)
    if "  " in line or not line.isprintable():  # no blank but the simple one is printable
        return " ".join(line.replace(SOFT_HYPHEN, "").split()) if line.strip(UNSEEN) else ""
    return line.strip()


def line_gap(node: Node, following: Node | None) -> str | None:
    """Return the blanks between two nodes of one line; `None` if a new line begins.

    A method that selects a part of an element's text selects a sentence with a link as three nodes.

    >>> from forest_crawler.page.tree import parse_page
    >>> tree = parse_page("<div>Menu<br>See <a>the ferry</a> <b>sail</b>.</div>")
    >>> select_leaves(tree, [1, 2, 3, 4]).text
    'See the ferry sail.'
    """
    if following is None:
        return None
    is_leaf = isinstance(node, TextLeaf)
    element = node.element if isinstance(node, TextLeaf) else node
    if isinstance(following, TextLeaf):
        is_next = not is_leaf and following.is_tail and following.element is element
        return "" if is_next and element.tag in INLINE_TAGS else None
    if isinstance(node, TextLeaf):
        after = element.getnext() if node.is_tail else next(iter(element), None)
        return "" if after is following and following.tag in INLINE_TAGS else None
    is_next = element.getnext() is following and not (element.tail or "").strip()
    both = is_next and element.tag in INLINE_TAGS and following.tag in INLINE_TAGS
    return (element.tail or "").replace("\n", " ") if both else None


def select_elements(
    tree: PageTree, elements: Iterable[Element], stripped: Iterable[Element] = ()
) -> Selection:
    """Select elements of a page's body, given in any order.

    Drops elements inside another selected or a stripped one, and those outside body, which are
    never content.
    """
    outline = tree.outline
    positions = outline.positions
    chosen = sorted({positions[element] for element in elements if element in positions})
    return select_in_order(tree, (outline.elements[index] for index in chosen), stripped)


def select_in_order(
    tree: PageTree, elements: Iterable[Element], stripped: Iterable[Element] = ()
) -> Selection:
    """Select elements of a page's body, given in document order (as by XPath).

    Like `select_elements`, but without numbering the page: it checks the ancestors of the few
    elements that a wrapper selects.
    """
    dropped = frozenset(stripped)
    kept: dict[Element, None] = {}
    for element in elements:
        if element not in kept and _is_selectable(element, tree.body, kept, dropped):
            kept[element] = None
    return Selection(tree, tuple(kept), dropped)


def _is_selectable(
    element: Element, body: Element, kept: Container[Element], dropped: Container[Element]
) -> bool:
    """Whether an element is in the body, and not in a kept or dropped element."""
    if element in dropped:
        return False
    if element is body:
        return True
    for above in element.iterancestors():
        if above in kept or above in dropped:
            return False
        if above is body:
            return True
    return False


def select_leaves(tree: PageTree, leaves: Iterable[int]) -> Selection:
    """Select text leaves by their index in the outline.

    The nodes are the outermost elements whose leaves are all chosen, and single leaves elsewhere.
    Media between two chosen leaves are selected, too. O(elements): prefix sums over the leaves.
    """
    outline = tree.outline
    is_chosen = [0] * (len(outline.leaf_texts) + 1)
    for leaf in leaves:
        is_chosen[leaf + 1] = 1
    chosen = list(accumulate(is_chosen))
    covering = list(_covering_nodes(outline, chosen))
    found = Selection(tree, tuple(node for _, node in covering))
    if not tree.media:
        return found
    starts, inside = [start for start, _ in covering], set(found.media)
    return replace(
        found,
        between=tuple(
            (bisect_left(starts, leaf), node)
            for leaf, node in _media_between(tree, chosen)
            if node not in inside
        ),
    )


def _media_between(tree: PageTree, chosen: list[int]) -> Iterator[tuple[int, MediaNode]]:
    """Yield the media between two chosen leaves, with the index of the second."""
    outline = tree.outline
    for node in tree.media:
        index = outline.positions[node.anchor]
        leaf = outline.leaf_ends[index] if node.is_tail else outline.leaf_starts[index]
        if 0 < leaf < len(outline.leaf_texts) and chosen[leaf + 1] - chosen[leaf - 1] == 2:
            yield leaf, node


def _covering_nodes(outline: Outline, chosen: list[int]) -> Iterator[tuple[int, Node]]:
    """Walk down from body; stop at elements that are chosen completely or not at all.

    Yield each node with the index of its first leaf.
    """
    starts, ends, following = outline.leaf_starts, outline.leaf_ends, outline.ends
    index, leaf = 0, 0
    while index < len(starts):
        start, end = starts[index], ends[index]
        if leaf < start:
            yield from _single_leaves(outline, chosen, leaf, start)
            leaf = start
        count = chosen[end] - chosen[start]
        if 0 < count < end - start:
            index += 1
            continue
        if count:
            yield start, outline.elements[index]
        index, leaf = following[index], end
    yield from _single_leaves(outline, chosen, leaf, len(outline.leaf_texts))


def _single_leaves(
    outline: Outline, chosen: list[int], start: int, end: int
) -> Iterator[tuple[int, Node]]:
    for leaf in range(start, end):
        if chosen[leaf + 1] > chosen[leaf]:
            yield leaf, outline.leaf(leaf)


def _is_within(element: Element, is_selected: dict[Element, bool]) -> bool:
    """Whether the nearest known element at or above an element is selected.

    All elements on the way become known, so that no part of a deep tree is climbed twice.
    """
    way: list[Element] = []
    found = False
    for above in chain((element,), element.iterancestors()):
        if above in is_selected:
            found = is_selected[above]
            break
        way.append(above)
    is_selected.update(dict.fromkeys(way, found))
    return found


def _read_lines(node: Node, stripped: frozenset[Element], line: list[str]) -> Iterator[str]:
    """Yield the lines that end in a node; `line` is the one before it, and then its last one.

    A hot loop, so it avoids every needless call: no line begins with the blanks between blocks.
    """
    if isinstance(node, TextLeaf):
        line.append(node.text)
        return
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, element in walk:
        if line and element.tag not in INLINE_TAGS:
            if folded := fold_line(line):
                yield folded
            line.clear()
        if event == "start":
            if stripped and element in stripped:
                walk.skip_subtree()
            elif (text := element.text) and (line or not text.isspace()):
                line.append(text)
        elif element is not node and (text := element.tail) and (line or not text.isspace()):
            line.append(text)


def _node_html(node: Node, stripped: frozenset[Element]) -> str:
    if isinstance(node, TextLeaf):
        return escape(node.text, quote=False)
    duplicate = copy.deepcopy(node)
    if stripped:
        pairs = zip(node.iter(), list(duplicate.iter()), strict=True)
        dropped = [new for old, new in pairs if old in stripped]
        for element in dropped:
            if element.tag not in INLINE_TAGS:  # else the words around a block would run together
                element.tail = "\n" + (element.tail or "")
        drop_elements(duplicate, dropped)
    return etree.tostring(duplicate, method="html", encoding="unicode", with_tail=False)
