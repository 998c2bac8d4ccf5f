"""A value derived from a tree is computed once, and freed with the tree."""

import weakref
from dataclasses import replace

from forest_crawler.page.once_per_tree import once_per_tree
from forest_crawler.page.tree import PageTree, parse_page


class Counted:
    """A value that can be referred to weakly."""

    def __init__(self, size: int) -> None:
        self.size = size


@once_per_tree
def count_elements(tree: PageTree) -> Counted:
    return Counted(len(tree.outline.elements))


def test_a_value_is_computed_once_per_tree() -> None:
    tree, other = parse_page("<p>One"), parse_page("<p>One<p>Two")
    assert count_elements(tree) is count_elements(tree)
    assert (count_elements(tree).size, count_elements(other).size) == (2, 3)


def test_a_changed_copy_of_a_tree_computes_its_own_value() -> None:
    tree = parse_page("<p>One")
    assert count_elements(replace(tree, url="http://gazette.example/")) is not count_elements(tree)


def test_a_value_is_freed_with_its_tree() -> None:
    tree = parse_page("<p>One")
    value = weakref.ref(count_elements(tree))
    assert value() is not None
    del tree
    assert value() is None
