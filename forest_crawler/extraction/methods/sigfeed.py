"""Select the lowest `div` densest in the feed entry's keywords: SigFeed.

This baseline of the Forest paper uses one page and its feed entry, and no sibling pages.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from forest_crawler.extraction.methods.registry import register
from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.significant_paths import (
    SignificantPage,
    locate_signifiers,
    page_terms,
)
from forest_crawler.induction.signifiers import entry_signifiers
from forest_crawler.page.selection import Selection, select_elements
from forest_crawler.page.tree import PageTree
from forest_crawler.text.terms import analyzer_for, detect_language


@dataclass(frozen=True, slots=True)
class SigFeed:
    """Clusters significant nodes by their lowest `div`; selects the largest cluster."""

    k: int | None = None  # the entry's first terms that are keywords; all if None

    def extract_with(self, tree: PageTree, entry: FeedEntry) -> Selection:
        """Select that `div`; nothing if no keyword of the entry is in one."""
        language = detect_language(f"{entry.title} {entry.description}", tree.language)
        analyzer = analyzer_for(language)
        signifiers = entry_signifiers(entry, analyzer, self.k)
        page = locate_signifiers(page_terms(tree, analyzer), signifiers)
        clusters = _clusters(page)
        if not clusters:
            return Selection(tree)
        # We read "most dense" as most keywords: by the share of keywords, the headline's own div
        # would win on every page, which the published recall (84 %) rules out. Ties go to the
        # first in the document.
        best = max(clusters, key=lambda index: (clusters[index], -index))
        return select_elements(tree, [tree.outline.elements[best]])


def _clusters(page: SignificantPage) -> Counter[int]:
    """Count the keywords whose lowest `div` ancestor is each `div`."""
    outline = page.terms.tree.outline
    found: Counter[int] = Counter()
    for leaf, hits in enumerate(page.hits):
        index = outline.leaf_owners[leaf] if hits else -1
        while index >= 0 and outline.elements[index].tag != "div":
            index = outline.parents[index]
        if index >= 0:
            found[index] += hits
    return found


register("sigfeed", SigFeed())
