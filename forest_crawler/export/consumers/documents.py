"""Pages as other programs parse them, and what they do with elements.

PHP programs parse with libxml2, as lxml does. Go programs follow the HTML standard; html5lib does,
too, and where it isn't installed, libxml2 stands in for it.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec

from lxml import etree

from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import clean_text

# x/net/html compares the name of the doctype with its case, and reads others in quirks mode.
_ODD_DOCTYPE = re.compile(r"<!(?i:doctype)\s+(?!html[\s>])[^>]*>")
_EMPTY = "<html><body></body></html>"


def parse_libxml2(source: str) -> Element:
    """Parse a page as PHP's `DOMDocument::loadHTML` does."""
    parser = etree.HTMLParser(encoding="utf-8", remove_blank_text=False)
    data = clean_text(source).encode("utf-8", "replace")
    root = etree.fromstring(data or _EMPTY.encode(), parser)
    return etree.fromstring(_EMPTY, parser) if root is None else root


def parse_html5(source: str) -> Element:
    """Parse a page by the HTML standard, as Go's `x/net/html` does."""
    if not has_html5_parser():
        return parse_libxml2(source)
    html5lib = import_module("html5lib")
    builder = html5lib.getTreeBuilder("etree")  # that of lxml refuses names that XML forbids
    parser = html5lib.HTMLParser(tree=builder, namespaceHTMLElements=False)
    return _to_lxml(parser.parse(_ODD_DOCTYPE.sub("", clean_text(source), count=1)))


def has_html5_parser() -> bool:
    """Whether html5lib is installed."""
    return find_spec("html5lib") is not None


def find_all(root: Element, expression: str) -> list[Element]:
    """Return the elements that an XPath selects; none if it isn't one, as PHP's `query`."""
    try:
        found = root.xpath(expression)
    except etree.XPathError:
        return []
    if not isinstance(found, list):
        return []
    return [it for it in found if isinstance(it, etree._Element)]


def remove(elements: Iterable[Element]) -> None:
    """Remove elements, not the text after them; those that are removed already stay so."""
    for element in elements:
        parent = element.getparent()
        if parent is None:
            continue
        keep_tail(element)
        parent.remove(element)


def keep_tail(element: Element) -> None:
    """Move the text after an element to what is before it."""
    parent, previous = element.getparent(), element.getprevious()
    if element.tail and previous is not None:
        previous.tail = (previous.tail or "") + element.tail
    elif element.tail and parent is not None:
        parent.text = (parent.text or "") + element.tail
    element.tail = None


def write_outer(elements: Sequence[Element], joined: str = "") -> str:
    """Write elements as HTML."""
    return joined.join(
        etree.tostring(it, method="html", encoding="unicode", with_tail=False) for it in elements
    )


def write_inner(element: Element) -> str:
    """Write what is inside an element as HTML."""
    duplicate = copy.deepcopy(element)
    duplicate.tail = None
    children = list(duplicate)
    holder = etree.Element("div")
    holder.text = duplicate.text
    holder.extend(children)
    return write_outer([holder]).removeprefix("<div>").removesuffix("</div>")


def _to_lxml(tree: etree._Element) -> Element:
    """Copy a tree of the standard library to one of lxml; odd names become `x`."""
    root = etree.Element("html")
    pairs = [(tree, root)]
    while pairs:
        old, new = pairs.pop()
        new.text = clean_text(old.text or "")
        for child in old:
            if not isinstance(child.tag, str):  # a comment
                _append_text(new, child.tail)
                continue
            made = etree.SubElement(new, _valid_name(child.tag))
            made.tail = clean_text(child.tail or "")
            pairs.append((child, made))
        for name, value in old.items():
            new.set(_valid_name(str(name)), clean_text(str(value)))
    return root


def _append_text(parent: Element, text: str | None) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + clean_text(text or "")
    else:
        parent.text = (parent.text or "") + clean_text(text or "")


def _valid_name(name: str) -> str:
    local = name.rpartition("}")[2]
    try:
        etree.QName(local)
    except ValueError:
        return "x"
    return local
