"""What locators select on all pages is summed as on each page by itself."""

from __future__ import annotations

import numpy as np

from forest_crawler.induction.sample_leaves import LeafTable, SampleLeaves
from forest_crawler.induction.scored_page import LeafEvidence, Occurrence, ScoredPage
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.locators import Step
from forest_crawler.wrapper.name_tree import NameTree
from forest_crawler.wrapper.site_names import SiteNames

ITEM = (Step("//", "p", (("class", "x"),)),)
LIST = (Step("//", "ul"),)
FIRST = "<p class=x>a<p>b<p class=x>c"
SECOND = "<ul><li>d</ul><div><p class=x>e</div>"


def scored(body: str, site: SiteNames, signifiers: list[int]) -> ScoredPage:
    """Return a page whose leaf n has n + 1 words, as many terms, and these signifiers."""
    names = PageNames(parse_page(f"<body>{body}</body>").outline, site)
    words = np.arange(1.0, len(names.outline.leaf_texts) + 1)
    evidence = LeafEvidence.of_leaves(np.ones(len(words)))
    return ScoredPage(names, words, evidence, signifiers, [1, 2, 3][: len(words)])


def sample() -> tuple[NameTree, list[ScoredPage]]:
    site = SiteNames()
    pages = [scored(FIRST, site, [1, 0, 2]), scored(SECOND, site, [0, 1])]
    return NameTree([page.names for page in pages], min_pages=1), pages


def test_a_table_has_a_row_per_locator_and_a_column_per_page() -> None:
    tree, pages = sample()
    leaves = SampleLeaves(tree, pages)
    table = LeafTable([leaves.select(tree.outermost(it)) for it in (ITEM, LIST)], len(pages))
    before = [np.array([0.0, 1, 3, 6]), np.array([0.0, 1, 3])]  # of 1, 2, 3 and 1, 2 words
    assert table.sum(before).tolist() == [[1 + 3, 2], [0, 1]]
    assert LeafTable([], 2).sum(before).tolist() == []


def test_patterns_are_rated_as_on_each_page_by_itself() -> None:
    tree, pages = sample()
    leaves = SampleLeaves(tree, pages)
    rated = leaves.rate([leaves.select(tree.outermost(it)) for it in (ITEM, LIST)])
    assert rated == [[Occurrence(3, 4, 2), Occurrence(1, 2, 3)], [None, Occurrence(0, 1, 2)]]
    assert rated == [[page.rate(it) for page in pages] for it in (ITEM, LIST)]


def test_some_of_the_pages_in_any_order_keep_what_is_on_them() -> None:
    tree, (first, second) = sample()
    SampleLeaves(tree, [second, first]).find([ITEM])
    assert (first.elements(ITEM), first.spans(ITEM)) == ([1, 3], ((0, 1), (2, 3)))
    assert (second.elements(ITEM), second.spans(ITEM)) == ([4], ((1, 2),))
    alone = SampleLeaves(tree, [second]).select(tree.outermost(ITEM))
    assert alone.pages.tolist() == [0]
