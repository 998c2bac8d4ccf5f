"""Convert HTML that a peer returns to text, as for our own methods."""

from __future__ import annotations

from forest_crawler.errors import EmptyPageError
from forest_crawler.page.selection import select_elements
from forest_crawler.page.tree import parse_page


def strip_markup(html: str) -> str:
    """Return the text of an HTML fragment, a line per block, without markup.

    >>> strip_markup("<p>One &amp; <b>two</b><!-- no --><p>three")
    'One & two\\nthree'
    >>> strip_markup("")
    ''
    """
    try:
        tree = parse_page(html)
    except EmptyPageError:
        return ""
    return select_elements(tree, [tree.body]).text
