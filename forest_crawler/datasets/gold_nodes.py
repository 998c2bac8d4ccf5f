"""Read node-labelled gold: the elements of a page that a person marked as its content.

Marks are in the page's source, as the attribute `data-gold` or as the classes of the TECO benchmark
suite, or in its metadata, as a list of dfs numbers and XPaths. Either way a mark holds for an
element and all that is in it; `data-gold` with a value other than `content` ends it.

Marks are removed from the source, because methods would see them: element types are made of
attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from forest_crawler.errors import EmptyPageError, InputError, WrapperError
from forest_crawler.page.outline import Outline
from forest_crawler.page.selection import select_leaves
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath import Element, ElementPath

FIELD: Final = "gold_nodes"
"""The name of the list in a page's metadata."""

_ATTRIBUTE = "data-gold"
_CONTENT = "content"
_TECO_CONTENT = "TECO_mainContent"

# Most pages have no mark, and are searched only once. The patterns start with one blank, not a run
# of blanks: searching for a run takes quadratic time on a page with many of them.
_SOME_MARK = re.compile("data-gold|TECO_", re.IGNORECASE)
_SOME_MARK_IN_BYTES = re.compile(_SOME_MARK.pattern.encode(), re.IGNORECASE)
_VALUE = r"""\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)"""
_ATTRIBUTE_MARK = re.compile(rf"\s{_ATTRIBUTE}(?![\w-])(?:{_VALUE})?", re.IGNORECASE)
_CLASS = re.compile(rf"\sclass{_VALUE}", re.IGNORECASE)
_TECO_TOKEN = re.compile(r"TECO_(?:mainContent|notTemplate|mainMenu)\d*\s*")
_EMPTY_CLASS = re.compile(r"""\sclass\s*=\s*["'\s]*""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NodeGold:
    """The gold of a page whose nodes are labelled."""

    source: bytes | str  # the page without its marks
    elements: frozenset[int]  # dfs numbers of all content elements; text belongs to its element
    text: str  # of the content


def read_node_gold(source: bytes | str, listed: object, location: str) -> NodeGold | None:
    """Read a page's labelled nodes from its marks or from a list, which comes first.

    `None` if there is neither. Raises `InputError` for a list that doesn't fit the page.

    >>> gold = read_node_gold("<p>Home<p data-gold=content>Ferry <b>returns</b>", None, "a.html")
    >>> gold.source, sorted(gold.elements), gold.text
    ('<p>Home<p>Ferry <b>returns</b>', [3, 4], 'Ferry returns')
    """
    bare = _remove_marks(source)
    if listed is None and bare == source:
        return None
    try:
        tree = parse_page(source if listed is None else bare)
    except EmptyPageError:
        return NodeGold(bare, frozenset(), "")
    labels = _labels_of_marks(tree) if listed is None else _labels_of_list(tree, listed, location)
    outline = tree.outline
    elements = frozenset(i for i, is_content in enumerate(_inherit(outline, labels)) if is_content)
    leaves = (leaf for leaf, owner in enumerate(outline.leaf_owners) if owner in elements)
    text = select_leaves(tree, leaves).text
    return NodeGold(bare, frozenset(i + 1 for i in elements), text)


def _remove_marks(source: bytes | str) -> bytes | str:
    if isinstance(source, str):
        return _remove_marks_from_text(source) if _SOME_MARK.search(source) else source
    if not _SOME_MARK_IN_BYTES.search(source):
        return source
    # In Latin-1, every byte is a character.
    return _remove_marks_from_text(source.decode("latin-1")).encode("latin-1")


def _remove_marks_from_text(source: str) -> str:
    return _CLASS.sub(_remove_teco_classes, _ATTRIBUTE_MARK.sub("", source))


def _remove_teco_classes(attribute: re.Match[str]) -> str:
    """Remove the benchmark's classes, and the attribute if they were all of it."""
    bare = _TECO_TOKEN.sub("", attribute[0])
    return "" if bare != attribute[0] and _EMPTY_CLASS.fullmatch(bare) else bare


def _labels_of_marks(tree: PageTree) -> dict[int, bool]:
    labels = ((i, _label(element)) for i, element in enumerate(tree.outline.elements))
    return {i: label for i, label in labels if label is not None}


def _label(element: Element) -> bool | None:
    """Return whether an element is marked as content, or `None` if it has no mark."""
    if (mark := element.get(_ATTRIBUTE)) is not None:
        return mark.strip().lower() == _CONTENT
    return True if _TECO_CONTENT in (element.get("class") or "").split() else None


def _labels_of_list(tree: PageTree, listed: object, location: str) -> dict[int, bool]:
    if not isinstance(listed, list):
        raise InputError(f"field {FIELD!r} isn't a list but {type(listed).__name__}", location)
    return {i: True for item in listed for i in _find_elements(tree, item, location)}


def _find_elements(tree: PageTree, item: object, location: str) -> Iterable[int]:
    outline = tree.outline
    if isinstance(item, int) and not isinstance(item, bool):
        if not 1 <= item <= len(outline.elements):
            raise InputError(
                f"{FIELD!r} names element {item}, but dfs numbers of this page are 1 to "
                f"{len(outline.elements)}; `forest tree` shows them",
                location,
            )
        return [item - 1]
    if not isinstance(item, str):
        raise InputError(f"{FIELD!r} has neither a dfs number nor an XPath: {item!r}", location)
    try:
        found = ElementPath(item)(tree.html)
    except WrapperError as err:
        raise InputError(f"{FIELD!r}: {err}", location) from err
    inside = [outline.positions[element] for element in found if element in outline.positions]
    if not inside:
        raise InputError(f"{FIELD!r}: {item!r} selects nothing in this page's body", location)
    return inside


def _inherit(outline: Outline, labels: dict[int, bool]) -> Sequence[bool]:
    """Label every element: by its own label, or else as the element that it is in."""
    inherited: list[bool] = []
    for i, parent in enumerate(outline.parents):
        above = inherited[parent] if parent >= 0 else False
        inherited.append(labels.get(i, above))
    return inherited
