"""Miniflux 2.3: all elements of the scraper rules, then `remove` on what was taken.

`internal/reader/scraper` writes the outer HTML of every match in document order, so an element
inside another match appears twice. The rewrite rule `remove` parses that HTML anew: the elements
around the content are gone, and selectors that begin with them match nothing.
"""

from __future__ import annotations

import copy
import re

from lxml import etree

from forest_crawler.export.consumers.css import css_to_xpath
from forest_crawler.export.consumers.documents import find_all, remove, write_inner
from forest_crawler.page.xpath import Element

_REMOVE = re.compile(r'remove\("((?:[^"\\]|\\.)*)"\)')
_BLOCKED = ("noscript", "script", "style")


def show_miniflux(page: Element, scraper_rules: str, rewrite_rules: str = "") -> str:
    """Return the content that Miniflux shows of a page, parsed by `parse_html5`."""
    root = etree.Element("html")
    body = etree.SubElement(root, "body")
    for element in find_all(page, css_to_xpath(scraper_rules)):
        taken = copy.deepcopy(element)
        taken.tail = None
        body.append(taken)
    for selector in _REMOVE.findall(rewrite_rules):
        remove(find_all(root, css_to_xpath(re.sub(r"\\(.)", r"\1", selector))))
    # The sanitiser drops these with their content, and the tags of others only.
    remove(find_all(body, ".//*[@hidden]"))
    remove(list(body.iter(*_BLOCKED)))
    return write_inner(body)
