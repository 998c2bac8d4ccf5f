"""Helpers for tests of page trees."""

from __future__ import annotations

from forest_crawler.page.tree import PageTree


def text_of(tree: PageTree) -> str:
    """Join a tree's text leaves, blanks folded."""
    return " ".join("".join(leaf.text for leaf in tree.outline.leaves).split())


def tags(tree: PageTree) -> list[str]:
    """Return the tags of a tree's elements, in order."""
    return [str(element.tag) for element in tree.outline.elements]


def assert_consistent(tree: PageTree) -> None:
    """Check that the outline's ranges nest and its numbers match the annotated tree."""
    outline = tree.outline
    assert outline.elements[0] is tree.body
    for i, parent in enumerate(outline.parents[1:], 1):
        assert parent < i < outline.ends[i] <= outline.ends[parent]
        assert outline.levels[i] == outline.levels[parent] + 1
        assert outline.leaf_starts[parent] <= outline.leaf_starts[i]
        assert outline.leaf_ends[i] <= outline.leaf_ends[parent]
    assert tree.annotated.xpath("count(//*)") == len(outline.elements)
    assert all(leaf.text.strip() for leaf in outline.leaves)
