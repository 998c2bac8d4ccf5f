"""Measure how many of a page's content nodes were retrieved (the R4 paper).

The paper's gold is labelled nodes. If a page has such gold, its nodes are the labelled elements
with their text leaves, and those of an extraction are the elements and text leaves that it selects,
without what it strips. So images count as themselves. Blank text isn't a node.

Elsewhere the gold is text, so alignment labels the nodes:

1. The words of the page's text leaves, in order, are aligned with the words of the gold
   (`word_alignment`).
2. A leaf is content if more than half of its words are aligned. A leaf without words (a dash, a
   bullet) is content if it is between two content leaves.
3. An element is content if all its text leaves are; then so is all in it, such as images.

An extraction becomes nodes in the same way: from the leaves that it selects, then step 3. So two
extractions with the same leaves have the same nodes, and an image counts with the text around it,
never alone. The text of a method that returns no nodes is always aligned like a gold text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator

from forest_crawler.evaluation.score import Score, score_overlap
from forest_crawler.evaluation.word_alignment import align_page_words
from forest_crawler.page.outline import TextLeaf
from forest_crawler.page.selection import Node, Selection, select_leaves
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element


def node_score(
    tree: PageTree,
    gold: str,
    extraction: Selection | str,
    gold_nodes: Container[int] | None = None,
) -> Score:
    """Compare the content elements and text leaves with the retrieved ones.

    `gold_nodes` are the dfs numbers of the content elements; without them, `gold` is aligned.
    """
    if gold_nodes is None:
        wanted = _nodes(tree, aligned_leaves(tree, gold))
    else:
        wanted = _labelled_nodes(tree, gold_nodes)
    if isinstance(extraction, str):
        found = _nodes(tree, aligned_leaves(tree, extraction))
    elif gold_nodes is None:
        found = _nodes(tree, selected_leaves(extraction))
    else:
        found = _selected_nodes(extraction)
    return score_overlap(len(wanted & found), len(wanted), len(found))


def aligned_leaves(tree: PageTree, text: str) -> list[int]:
    """List the indices of the text leaves that a text consists of.

    >>> from forest_crawler.page.tree import parse_page
    >>> tree = parse_page("<p>Home <p>The ferry is <b>back</b> - <i>at last</i><p>More news")
    >>> [tree.outline.leaves[i].text for i in aligned_leaves(tree, "The ferry is back, at last")]
    ['The ferry is ', 'back', ' - ', 'at last']
    """
    words = align_page_words(tree, text)
    counts = Counter(words.owners)
    aligned = Counter(words.owners[i] for i in words.aligned)
    content = {i for i, count in aligned.items() if 2 * count > counts[i]}
    return sorted(content | _wordless_between(counts, content, len(tree.outline.leaves)))


def selected_leaves(selection: Selection) -> list[int]:
    """List the indices of a selection's text leaves, without those it strips."""
    outline = selection.tree.outline
    leaf_indices = {leaf: i for i, leaf in enumerate(outline.leaves)}
    chosen: set[int] = set()
    for node in selection.nodes:
        if isinstance(node, TextLeaf):
            chosen.add(leaf_indices[node])
        else:
            i = outline.positions[node]
            chosen.update(range(outline.leaf_starts[i], outline.leaf_ends[i]))
    for element in selection.stripped:
        i = outline.positions[element]
        chosen.difference_update(range(outline.leaf_starts[i], outline.leaf_ends[i]))
    return sorted(chosen)


def _wordless_between(worded: Counter[int], content: set[int], leaves: int) -> set[int]:
    found: set[int] = set()
    waiting: list[int] = []  # wordless leaves after a content leaf
    inside = False
    for leaf in range(leaves):
        if leaf in worded:
            if inside and leaf in content:
                found.update(waiting)
            inside = leaf in content
            waiting = []
        elif inside:
            waiting.append(leaf)
    return found


def _labelled_nodes(tree: PageTree, numbers: Container[int]) -> set[Node]:
    outline = tree.outline
    nodes: set[Node] = {e for i, e in enumerate(outline.elements) if i + 1 in numbers}
    owners = enumerate(outline.leaf_owners)
    nodes.update(outline.leaves[leaf] for leaf, owner in owners if owner + 1 in numbers)
    return nodes


def _nodes(tree: PageTree, leaves: Iterable[int]) -> set[Node]:
    return _selected_nodes(select_leaves(tree, leaves))


def _selected_nodes(selection: Selection) -> set[Node]:
    """Return the selected nodes with all that is in them, except for what is stripped."""
    nodes: set[Node] = set()
    for node in selection.nodes:
        nodes.update([node] if isinstance(node, TextLeaf) else _subtree(selection.tree, node))
    for element in selection.stripped:
        nodes.difference_update(_subtree(selection.tree, element))
    return nodes


def _subtree(tree: PageTree, element: Element) -> Iterator[Node]:
    outline = tree.outline
    i = outline.positions[element]
    yield from outline.elements[i : outline.ends[i]]
    yield from outline.leaves[outline.leaf_starts[i] : outline.leaf_ends[i]]
