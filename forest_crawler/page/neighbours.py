"""Look at what is next to an element, without numbering the page.

For `forest_crawler.page.pictures`: most selections are one element with texts around it.
"""

from __future__ import annotations

from collections.abc import Container

from lxml import etree

from forest_crawler.page.xpath import Element


def comes_before_text(element: Element, body: Element, tags: Container[object]) -> bool:
    """Whether an element with one of the tags is next to an element, before any text.

    >>> from forest_crawler.page.tree import parse_page
    >>> body = parse_page("<div>Menu<img></div><p>It rained.<p>Read on<img>").body
    >>> [comes_before_text(part, body, {"img"}) for part in body]
    [False, True, False]
    """
    return bool(_first_after(element, body, tags) or _first_before(element, body, tags))


def _first_after(element: Element, body: Element, tags: Container[object]) -> bool | None:
    """Return whether a tag (`True`) or a text (`False`) comes first after an element."""
    while element is not body:
        if _is_shown(element.tail):
            return False
        for sibling in element.itersiblings():
            found = _first_in(sibling, tags)
            if found is None and _is_shown(sibling.tail):
                return False
            if found is not None:
                return found
        element = _parent(element)
    return None


def _first_before(element: Element, body: Element, tags: Container[object]) -> bool | None:
    while element is not body:
        for sibling in element.itersiblings(preceding=True):
            if _is_shown(sibling.tail):
                return False
            if (found := _last_in(sibling, tags)) is not None:
                return found
        element = _parent(element)
        if _is_shown(element.text):
            return False
    return None


def _first_in(root: Element, tags: Container[object]) -> bool | None:
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            if element.tag in tags:
                return True
            if _is_shown(element.text):
                return False
        elif element is not root and _is_shown(element.tail):
            return False
    return None


def _last_in(root: Element, tags: Container[object]) -> bool | None:
    if root.tag in tags:
        return True
    around = [(root, root.iterchildren(reversed=True))]
    while around:
        element, children = around[-1]
        child = next(children, None)
        if child is None:
            around.pop()
            if _is_shown(element.text):
                return False
        elif _is_shown(child.tail):
            return False
        elif child.tag in tags:
            return True
        else:
            around.append((child, child.iterchildren(reversed=True)))
    return None


def _is_shown(text: str | None) -> bool:
    return text is not None and bool(text) and not text.isspace()


def _parent(element: Element) -> Element:
    parent = element.getparent()
    assert parent is not None  # noqa: S101  body is around it
    return parent
