"""Microdata in `meta` elements of a page's body: `<meta itemprop="datePublished" content="…">`.

Readers see none of it, so these elements are not in the tree; metadata needs what they state, and
about which element they state it.
"""

from __future__ import annotations

from typing import NamedTuple

from forest_crawler.page.xpath import Element

MAX_PROPERTIES = 1000
"""Properties kept of a page; an article has some dozens."""

_OUTSIDE = frozenset(("head", "html"))


class StatedProperty(NamedTuple):
    """A property of microdata and its value."""

    names: str  # one or several, separated by blanks
    value: str
    holder: Element  # the element that has the `meta` in it


def read_property(meta: Element) -> StatedProperty | None:
    """Read the property that a `meta` element states, unless it is in the page's head.

    >>> from lxml import html
    >>> article = html.fromstring("<article><meta itemprop=author content='Ann Lee'>It rained")
    >>> found = read_property(article[0])
    >>> found.names, found.value, found.holder.tag
    ('author', 'Ann Lee', 'article')
    """
    names, value, holder = meta.get("itemprop"), meta.get("content"), meta.getparent()
    if not names or not value or holder is None or holder.tag in _OUTSIDE:
        return None
    return StatedProperty(names, value, holder)
