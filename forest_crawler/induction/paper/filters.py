"""Filters of significant nodes: leaves in which a signifier isn't evidence for the article."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Literal

from forest_crawler.induction.significant_paths import SignificantPage

Filter = Literal["anchors", "comments"]

LINKED_SHARE = 0.9
"""From this share of characters in links on, an element with two links is a list of anchors."""

COPY_SHARE = 0.5
"""From this share of the entry's terms on, a leaf repeats the entry."""

COPY_TERMS = 30
"""The entry's first terms that copies are recognized by: about a title and three lines.

Not all terms: the description may be the whole article, and every leaf of the page a copy.
"""


def ignore_copies(page: SignificantPage, entry: Container[str]) -> SignificantPage:
    """Count no signifiers in leaves that repeat the feed entry: headline, lead, teaser.

    `entry` has the entry's first terms. Such a leaf is dense in signifiers whatever the article
    is about, and J prefers it to the article.
    """
    return _uncount(page, [_is_copy(leaf, entry) for leaf in page.terms.leaves])


def ignore_anchors(page: SignificantPage) -> SignificantPage:
    """Count no signifiers in lists of anchors, the first of the paper's two filters.

    The wrapper still selects the lists inside the article: it runs on pages as they are.
    """
    outline = page.terms.tree.outline
    links = [_find_link(page, owner) for owner in outline.leaf_owners]
    sizes = [len(text.strip()) for text in outline.leaf_texts]
    ignored = [False] * len(links)
    for start, end in zip(outline.leaf_starts, outline.leaf_ends, strict=True):
        if not all(ignored[start:end]) and _is_anchor_list(links[start:end], sizes[start:end]):
            ignored[start:end] = [True] * (end - start)
    return _uncount(page, ignored)


def ignore_comments(page: SignificantPage) -> SignificantPage:
    """Count no signifiers below an attribute value with "comment", the paper's second filter."""
    outline = page.terms.tree.outline
    ignored = [False] * len(outline.leaf_texts)
    for index, element in enumerate(outline.elements):
        if any("comment" in str(value).lower() for value in element.attrib.values()):
            start, end = outline.leaf_starts[index], outline.leaf_ends[index]
            ignored[start:end] = [True] * (end - start)
    return _uncount(page, ignored)


def _find_link(page: SignificantPage, index: int) -> int:
    """Return the link that an element is in, or -1."""
    outline = page.terms.tree.outline
    while index >= 0 and outline.elements[index].tag != "a":
        index = outline.parents[index]
    return index


def _is_anchor_list(links: Sequence[int], sizes: Sequence[int]) -> bool:
    linked = sum(size for link, size in zip(links, sizes, strict=True) if link >= 0)
    return linked >= LINKED_SHARE * sum(sizes) and len({*links} - {-1}) > 1


def _is_copy(leaf: Sequence[str], entry: Container[str]) -> bool:
    return sum(term in entry for term in leaf) >= COPY_SHARE * len(leaf)


def _uncount(page: SignificantPage, ignored: Sequence[bool]) -> SignificantPage:
    """Count no signifiers in the ignored leaves; keep all if none would be left."""
    hits = [0 if skip else count for count, skip in zip(page.hits, ignored, strict=True)]
    return replace(page, hits=hits) if any(hits) else page
