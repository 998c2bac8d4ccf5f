"""Compute values of higher layers once per tree, and keep them with the tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from forest_crawler.page.tree import PageTree

T = TypeVar("T")


def once_per_tree(compute: Callable[[PageTree], T]) -> Callable[[PageTree], T]:
    """Keep what a function computes from a tree for as long as the tree is kept.

    The value must not refer to the `PageTree`: that cycle would keep both in memory until the
    garbage collector runs.

    >>> from forest_crawler.page.tree import parse_page
    >>> count_elements = once_per_tree(lambda tree: print("counting") or len(tree.outline.elements))
    >>> tree = parse_page("<p>One<p>Two")
    >>> count_elements(tree), count_elements(tree)
    counting
    (3, 3)
    """

    @wraps(compute)
    def compute_once(tree: PageTree) -> T:
        if compute not in tree.derived:
            tree.derived[compute] = compute(tree)
        return cast(T, tree.derived[compute])

    return compute_once
