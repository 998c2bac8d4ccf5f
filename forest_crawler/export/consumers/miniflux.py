"""Miniflux 2.3: all elements of the scraper rules, then `remove` on what was taken.

`internal/reader/scraper` writes the outer HTML of every match in document order, so an element
inside another match appears twice, and minifies it. The rewrite rule `remove` parses that HTML
anew: the elements around the content are gone, and selectors that begin with them match nothing;
rows and cells lose their tags without their table. The sanitiser then drops all tags but a few:
those of `div` and `section`, too, so that words at their borders may grow together.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable

from lxml import etree

from forest_crawler.export.consumers.css import css_to_xpath
from forest_crawler.export.consumers.documents import find_all, remove, write_inner
from forest_crawler.export.consumers.minified import minify
from forest_crawler.page.xpath import Element

_REMOVE = re.compile(r'remove\("((?:[^"\\]|\\.)*)"\)')
_BLOCKED = ("noscript", "script", "style")
_TABLE_PARTS = frozenset("caption col colgroup tbody td tfoot th thead tr body head html".split())
_ALLOWED = frozenset(
    "a abbr acronym aside audio blockquote b br caption cite code dd del dfn dl dt em figcaption "
    "figure h1 h2 h3 h4 h5 h6 hr i iframe img ins kbd li ol p picture pre q rp rt rtc ruby s small "
    "samp source strong sub sup table td tfoot th thead time tr u ul var video wbr math".split()
)


def show_miniflux(page: Element, scraper_rules: str, rewrite_rules: str = "") -> str:
    """Return the content that Miniflux shows of a page, parsed by `parse_html5`."""
    root = etree.Element("html")
    body = etree.SubElement(root, "body")
    for element in find_all(page, css_to_xpath(scraper_rules)):
        taken = copy.deepcopy(element)
        taken.tail = None
        body.append(taken)
    minify(body)
    removals = _REMOVE.findall(rewrite_rules)
    if removals:
        _drop_tags(body, _loose_parts(body))
    for selector in removals:
        remove(find_all(root, css_to_xpath(re.sub(r"\\(.)", r"\1", selector))))
    remove(find_all(body, ".//*[@hidden]"))
    remove(list(body.iter(*_BLOCKED)))
    _drop_tags(body, [it for it in body.iter(etree.Element) if it.tag not in _ALLOWED])
    return write_inner(body)


def _loose_parts(body: Element) -> list[Element]:
    """Return the parts of tables that are outside any table."""
    found, waiting = [], list(body)
    while waiting:
        element = waiting.pop()
        if element.tag == "table":
            continue
        if element.tag in _TABLE_PARTS:
            found.append(element)
        waiting.extend(element)
    return found


def _drop_tags(body: Element, elements: Iterable[Element]) -> None:
    """Remove tags, not their content."""
    for element in elements:
        if element is not body:
            element.tag = _DROPPED
    etree.strip_tags(body, _DROPPED)


_DROPPED = "dropped-tag"
