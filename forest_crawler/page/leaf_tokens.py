"""The tokens of a page's text leaves, made once per tree."""

from __future__ import annotations

from forest_crawler.page.once_per_tree import once_per_tree
from forest_crawler.page.tree import PageTree
from forest_crawler.text.terms import tokenize


@once_per_tree
def leaf_tokens(tree: PageTree) -> list[list[str]]:
    """Return the lower-case words of each text leaf.

    >>> from forest_crawler.page.tree import parse_page
    >>> leaf_tokens(parse_page("<h1>Ferry returns</h1><p>It sails."))
    [['ferry', 'returns'], ['it', 'sails']]
    """
    return [tokenize(text) for text in tree.outline.leaf_texts]
