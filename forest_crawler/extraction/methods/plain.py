"""Select everything that a reader sees: the baseline of Gottron, section 5."""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.extraction.methods.registry import register
from forest_crawler.page.selection import Selection, select_leaves
from forest_crawler.page.tree import PageTree


@dataclass(frozen=True, slots=True)
class PlainExtractor:
    """Selects the whole body: perfect recall, poor precision."""

    def extract(self, tree: PageTree) -> Selection:
        """Select all of the page's text."""
        return select_leaves(tree, range(len(tree.outline.leaf_texts)))


register("plain", PlainExtractor())
