"""The lines of a selection's text with the elements that hold them, and how to leave lines out.

A wrapper knows lines that repeat on its sample's pages, such as "Share this story". Its strip rules
can name elements, but not all such lines have one that differs from a paragraph's.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from itertools import chain, compress, zip_longest
from typing import NamedTuple, TypeAlias

from lxml import etree

from forest_crawler.page.outline import Outline, TextLeaf
from forest_crawler.page.pictures import IMAGE_TAGS
from forest_crawler.page.selection import Node, Selection, fold_line, line_gap
from forest_crawler.page.tree import INLINE_TAGS
from forest_crawler.page.xpath import Element

Piece: TypeAlias = tuple[Element, bool]
"""A piece of text: an element's own, or if true, the tail after it."""


MAX_ROUNDS = 4
"""Times that a line which stays may keep others: longer chains are no page that people wrote."""


class Line(NamedTuple):
    """A line of a text, blanks folded, and its pieces that have more than blanks."""

    text: str
    pieces: tuple[Piece, ...]


def find_lines(selection: Selection) -> Iterator[Line]:
    """Yield the lines of a selection's text, as `Selection.lines` does.

    >>> from forest_crawler.page.tree import parse_page
    >>> from forest_crawler.page.selection import select_elements
    >>> tree = parse_page("<p>A <b>wet</b> cat<p>Share")
    >>> [line.text for line in find_lines(select_elements(tree, [tree.body]))]
    ['A wet cat', 'Share']
    """
    words: list[str] = []
    pieces: list[Piece] = []
    for node, following in zip_longest(selection.nodes, selection.nodes[1:]):
        yield from _read_lines(node, selection.stripped, words, pieces)
        gap = line_gap(node, following)
        if gap is not None:
            words.append(gap)
        elif words:
            yield from _end_line(words, pieces)


def drop_lines(selection: Selection, unwanted: frozenset[str]) -> Selection:
    """Leave out the lines with these texts, where whole elements hold nothing else.

    A line beside other text or a picture in one element stays, and so does the last line.

    >>> from forest_crawler.page.tree import parse_page
    >>> from forest_crawler.page.selection import select_elements
    >>> tree = parse_page("<p>A wet cat<div><p>Share</div>")
    >>> drop_lines(select_elements(tree, [tree.body]), frozenset({"Share"})).text
    'A wet cat'
    """
    lines = list(find_lines(selection))
    selection.keep_lines(line.text for line in lines)
    dropped = [line for line in lines if line.text in unwanted]
    kept = [piece for line in lines if line.text not in unwanted for piece in line.pieces]
    if not dropped or not kept:
        return selection
    marked: set[Element] = set()
    _mark_holders(chain(kept, _pictures(selection)), marked)
    for _ in range(MAX_ROUNDS):
        stays = [any(_owner(piece) in marked for piece in line.pieces) for line in dropped]
        if not any(stays):
            break
        for line in compress(dropped, stays):
            _mark_holders(line.pieces, marked)
        dropped = [line for line, it in zip(dropped, stays, strict=True) if not it]
    else:
        return selection
    nodes = frozenset(selection.nodes)
    owners = {_owner(piece) for line in dropped for piece in line.pieces}
    boxes = {_box(owner, marked, nodes) for owner in owners}
    left = tuple(node for node in selection.nodes if node not in boxes)
    found = replace(selection, nodes=left, stripped=selection.stripped | boxes)
    if not any(map(_hides_boundary, boxes)):
        gone = set(map(id, dropped))
        found.keep_lines(line.text for line in lines if id(line) not in gone)
    return found


def number_leaves(outline: Outline) -> dict[Piece, int]:
    """Return the number of the text leaf that each piece of a page is."""
    owners = (outline.elements[owner] for owner in outline.leaf_owners)
    pairs = zip(outline.leaf_elements, owners, strict=True)
    return {(element, element is not owner): leaf for leaf, (element, owner) in enumerate(pairs)}


def _box(element: Element, marked: set[Element], nodes: Container[Node]) -> Element:
    """Return the outermost unmarked element around an inline one, up to its block or node."""
    while element.tag in INLINE_TAGS and element not in nodes:
        above = element.getparent()
        if above is None or above in marked:
            break
        element = above
    return element


def _pictures(selection: Selection) -> Iterator[Piece]:
    elements = (node for node in selection.nodes if not isinstance(node, TextLeaf))
    images = chain.from_iterable(element.iter(*IMAGE_TAGS) for element in elements)
    return ((it, False) for it in chain(images, (node.parent for node in selection.tree.media)))


def _mark_holders(pieces: Iterable[Piece], marked: set[Element]) -> None:
    """Mark all elements that hold one of the pieces; none is visited twice."""
    for piece in pieces:
        element: Element | None = _owner(piece)
        while element is not None and element not in marked:
            marked.add(element)
            element = element.getparent()


def _owner(piece: Piece) -> Element:
    """Return the element that directly contains a piece."""
    element, is_tail = piece
    above = element.getparent() if is_tail else element
    return element if above is None else above


def _hides_boundary(box: Element) -> bool:
    """Whether lines around an inline element are one line if the element isn't read."""
    if box.tag not in INLINE_TAGS:
        return False
    return any(element.tag not in INLINE_TAGS for element in box.iterdescendants())


def _read_lines(
    node: Node, stripped: frozenset[Element], words: list[str], pieces: list[Piece]
) -> Iterator[Line]:
    """Yield the lines that end in a node, as `Selection.lines` reads them."""
    if isinstance(node, TextLeaf):
        words.append(node.text)
        pieces.append((node.element, node.is_tail))
        return
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, element in walk:
        if words and element.tag not in INLINE_TAGS:
            yield from _end_line(words, pieces)
        is_start = event == "start"
        if is_start and element in stripped:
            walk.skip_subtree()
            continue
        text = element.text if is_start else element.tail if element is not node else None
        if text and not text.isspace():
            words.append(text)
            pieces.append((element, not is_start))
        elif text and words:
            words.append(text)


def _end_line(words: list[str], pieces: list[Piece]) -> Iterator[Line]:
    if folded := fold_line(words):
        yield Line(folded, tuple(pieces))
    words.clear()
    pieces.clear()
