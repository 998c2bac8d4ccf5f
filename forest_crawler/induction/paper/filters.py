"""Filters of significant nodes: leaves in which a signifier isn't evidence for the article."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from forest_crawler.induction.significant_paths import SignificantPage

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


def _is_copy(leaf: Sequence[str], entry: Container[str]) -> bool:
    return sum(term in entry for term in leaf) >= COPY_SHARE * len(leaf)


def _uncount(page: SignificantPage, ignored: Sequence[bool]) -> SignificantPage:
    """Count no signifiers in the ignored leaves; keep all if none would be left."""
    hits = [0 if skip else count for count, skip in zip(page.hits, ignored, strict=True)]
    return replace(page, hits=hits) if any(hits) else page
