"""The tokens of pages' text leaves, made once per tree, and once per text of sibling pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from forest_crawler.page.tree import PageTree
from forest_crawler.text.terms import tokenize


def leaf_tokens(tree: PageTree) -> list[Sequence[str]]:
    """Return the lower-case words of each text leaf.

    >>> from forest_crawler.page.tree import parse_page
    >>> leaf_tokens(parse_page("<h1>Ferry returns</h1><p>It sails."))
    [['ferry', 'returns'], ['it', 'sails']]
    """
    if leaf_tokens not in tree.derived:
        tokenize_siblings([tree])
    return cast("list[Sequence[str]]", tree.derived[leaf_tokens])


def tokenize_siblings(trees: Iterable[PageTree]) -> None:
    """Make the tokens of sibling pages, which share menus and notes; `leaf_tokens` returns them.

    >>> from forest_crawler.page.tree import parse_page
    >>> trees = [parse_page("<p>Home<p>One"), parse_page("<p>Home<p>Two")]
    >>> tokenize_siblings(trees)
    >>> leaf_tokens(trees[0])[0] is leaf_tokens(trees[1])[0]
    True
    """
    known = _Known()
    for tree in trees:
        if leaf_tokens not in tree.derived:
            tree.derived[leaf_tokens] = list(map(known.__getitem__, tree.outline.leaf_texts))


class _Known(dict[str, Sequence[str]]):
    """The tokens of the texts so far."""

    def __missing__(self, text: str) -> Sequence[str]:
        found = self[text] = tokenize(text)
        return found
