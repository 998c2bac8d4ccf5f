"""Metadata in the markup of a page's body: microdata, author links, times.

Weaker evidence than a page's head: neighbouring articles have their names and dates in the same
markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from itertools import chain

from forest_crawler.metadata.headlines import find_headline_leaf
from forest_crawler.metadata.shown_text import MAX_VALUE_LENGTH, read_shown
from forest_crawler.page.once_per_tree import once_per_tree
from forest_crawler.page.properties import StatedProperty
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import AttributePath, Element

PROPERTIES = frozenset("headline author datePublished dateModified description image".split())
"""The properties of microdata that are read."""

_MAX_AUTHORS = 50
# What these properties hold has authors, dates and pictures of its own.
_OTHER_ITEMS = frozenset(
    "author creator contributor editor publisher review reviews suggestedAnswer".split()
)
# These hold the names and dates of readers and other articles.
_ASIDE_TAGS = frozenset("nav aside footer".split())
_HOLDERS = frozenset("article main".split())
# libxml2 finds the few elements that have an attribute faster than a loop over all of them.
_WITH = {
    name: AttributePath(f"descendant-or-self::*/@{name}")
    for name in ("itemprop", "itemtype", "rel", "datetime")
}


def read_microdata(tree: PageTree) -> Mapping[str, str]:
    """Read the first value of each property, outside comments and the page's margins.

    What readers see comes before what `meta` elements state; what describes an author, a publisher
    or a review isn't read.
    """
    found: dict[str, str] = {}
    known = {tree.html: False, tree.body: False}
    for element, names in _own_values(tree, "itemprop"):
        wanted = PROPERTIES.intersection(names.split()) - found.keys()
        if wanted and not _is_inside(element.getparent(), known, _is_other_item):
            for name in wanted:
                found[name] = _property_value(tree, element)
    for stated in _own_properties(tree):
        wanted = PROPERTIES.intersection(stated.names.split()) - found.keys()
        if wanted and not _is_inside(stated.holder, known, _is_other_item):
            for name in wanted:
                found[name] = stated.value[:MAX_VALUE_LENGTH]
    return found


def read_author_links(tree: PageTree) -> list[str]:
    """Read the texts of the first author link and of those beside it."""
    texts: list[str] = []
    parent = None
    for element, kinds in _own_values(tree, "rel"):
        if element.tag == "a" and "author" in kinds.lower().split():
            if parent not in (None, element.getparent()) or len(texts) == _MAX_AUTHORS:
                break
            parent = element.getparent()
            texts.append(read_shown(element))
    return texts


def read_first_time(tree: PageTree) -> str | None:
    """Read the first `<time datetime>` after the headline, else of the page."""
    values = [it for it in _own_values(tree, "datetime") if it[0].tag == "time"]
    if not values:
        return None
    outline = tree.outline
    headline = find_headline_leaf(tree) or 0
    times = ((outline.positions[element], value) for element, value in values)
    return min((outline.leaf_starts[i] < headline, i, value) for i, value in times)[-1]


def own_elements(tree: PageTree, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Yield a range of elements, without the subtrees about readers or other pages."""
    return _without(_aside_positions(tree), tree, start, end)


def elements_beside(tree: PageTree, headline: int, start: int, end: int) -> Iterator[int]:
    """Yield a range of elements beside a text leaf, the headline.

    An `aside` after it is about the article, and so are any `aside` and `footer` of the same
    `article` or `main`; comments, navigation and the page's margins aren't, unless the headline is
    inside.
    """
    outline = tree.outline
    path = outline.path(outline.leaf_owners[headline])
    holder = next((it for it in path if outline.elements[it].tag in _HOLDERS), None)
    held = range(holder, outline.ends[holder]) if holder is not None else range(0)

    def is_foreign(index: int) -> bool:
        element = outline.elements[index]
        if element.tag not in ("aside", "footer") or _is_comment(element):
            return True
        return index not in held and (element.tag == "footer" or index < path[-1])

    others = (it for it in _aside_positions(tree) if is_foreign(it))
    return _without(frozenset(others).difference(path), tree, start, end)


def _without(asides: Set[int], tree: PageTree, start: int, end: int | None) -> Iterator[int]:
    outline, index = tree.outline, start
    end = len(outline.elements) if end is None else end
    for above in outline.path(start)[:-1] if asides and start < end else ():
        if above in asides:
            index = max(index, outline.ends[above])
    while index < end:
        if index in asides:
            index = outline.ends[index]
        else:
            yield index
            index += 1


@once_per_tree
def _aside_positions(tree: PageTree) -> frozenset[int]:
    """Return the positions of the elements about readers or other pages."""
    found = list(tree.body.iter(*_ASIDE_TAGS))
    found += [element for element in _WITH["itemtype"](tree.body) if _is_aside(element)]
    positions = tree.outline.positions if found else {}
    return frozenset(positions[element] for element in found)


def _is_aside(element: Element) -> bool:
    return element.tag in _ASIDE_TAGS or _is_comment(element)


def _is_comment(element: Element) -> bool:
    return "comment" in (element.get("itemtype") or "").lower()


def _own_properties(tree: PageTree) -> Iterator[StatedProperty]:
    """Yield what `meta` elements state, but not about readers or other pages."""
    known = _known_asides(tree) if tree.properties else {}
    return (it for it in tree.properties if not _is_in_aside(it.holder, known))


def _own_values(tree: PageTree, attribute: str) -> list[tuple[Element, str]]:
    """List the own elements with an attribute, and its values; most pages have none."""
    found = [(e, value) for e in _WITH[attribute](tree.body) if (value := e.get(attribute))]
    if not found:
        return []
    known = _known_asides(tree)
    return [(e, value) for e, value in found if not _is_in_aside(e, known)]


@once_per_tree
def _known_asides(tree: PageTree) -> dict[Element, bool]:
    """Keep for some elements whether they are in a subtree about readers or other pages."""
    return {tree.body: _is_aside(tree.body)}


def _is_other_item(element: Element) -> bool:
    """Whether an element is an item of its own beside the article, such as its publisher."""
    names = (element.get("itemprop") or "").split()
    is_item = element.get("itemscope") is not None or element.get("itemtype") is not None
    return is_item and not _OTHER_ITEMS.isdisjoint(names)


def _is_in_aside(element: Element, known: dict[Element, bool]) -> bool:
    return _is_inside(element, known, _is_aside)


def _is_inside(
    element: Element | None, known: dict[Element, bool], is_such: Callable[[Element], bool]
) -> bool:
    """Climb to the nearest known element; all on the way become known, so none is passed twice."""
    if element is None:
        return False
    way: list[Element] = []
    for above in chain((element,), element.iterancestors()):
        if above in known or is_such(above):
            break
        way.append(above)
    is_inside = known.setdefault(above, True)
    known.update(dict.fromkeys(way, is_inside))
    return is_inside


def _property_value(tree: PageTree, element: Element) -> str:
    """Read a property's value; for a person, the name inside it."""
    for inner in element.iter("*"):
        if "name" in (inner.get("itemprop") or "").split():
            element = inner
            break
    else:
        if name := _stated_name(tree, element):
            return name
    values = map(element.get, ("datetime", "content", "src"))
    return next(filter(None, values), None) or read_shown(element)


def _stated_name(tree: PageTree, element: Element) -> str | None:
    """Return the name that a `meta` element directly in an element states."""
    for stated in tree.properties:
        if stated.holder is element and "name" in stated.names.split():
            return stated.value
    return None
