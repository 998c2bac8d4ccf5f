"""What a page costs, as counted calls: a guard against work that is done twice.

Calls don't depend on the machine, unlike time (`make bench-speed`). A bound is what was counted
when it was set, and a fifth more; whoever finds a faster way lowers it, and whoever needs more
work says why in the commit that raises it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from types import FrameType

import pytest

from forest_crawler import (
    ArticleSource,
    PageTree,
    Wrapper,
    extract,
    induce,
    make_article,
    parse_page,
)
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages

SITES = ("harbour-gazette", "valley-minutes", "gazette-des-cols")
PAGES = 6


@cache
def sources() -> list[list[bytes]]:
    """Return some pages of each site."""
    found = [site for site in bundled_sites() if site.name in SITES]
    assert len(found) == len(SITES)
    return [_first_pages(list(read_pages(site))) for site in found]


def _first_pages(pages: list[LabelledPage]) -> list[bytes]:
    sources = [page.source for page in pages[:PAGES]]
    return [source if isinstance(source, bytes) else source.encode() for source in sources]


@cache
def wrappers() -> list[list[Wrapper]]:
    return [induce(list(map(parse_page, site)), site="site") for site in sources()]


def elements() -> int:
    return sum(len(parse_page(page).outline.elements) for site in sources() for page in site)


def count_calls(work: Callable[[], object]) -> int:
    """Count the calls of Python and C functions, once all caches are warm."""
    work()
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def make_trees() -> list[list[PageTree]]:
    return [list(map(parse_page, site)) for site in sources()]


def known_texts() -> list[str]:
    return [
        extract(tree, site).selection.text
        for trees, site in zip(make_trees(), wrappers(), strict=True)
        for tree in trees
    ]


def whole_articles() -> list[str]:
    return [
        make_article(tree, extract(tree, site), ArticleSource()).line()
        for trees, site in zip(make_trees(), wrappers(), strict=True)
        for tree in trees
    ]


def unknown_pages() -> list[str]:
    return [extract(tree, [], "page").selection.text for trees in make_trees() for tree in trees]


def inductions() -> list[list[Wrapper]]:
    return [induce(trees, site="site") for trees in make_trees()]


@pytest.mark.parametrize(
    ("work", "bound"),
    [
        (make_trees, 1.6),  # older releases of w3lib take a tenth more than present ones
        (known_texts, 3.6),
        (whole_articles, 38),  # a tenth of it finds the headline, to compare its date
        (unknown_pages, 45),
        (inductions, 141),
    ],
    ids=["tree", "known-text", "whole-article", "unknown-page", "induction"],
)
def test_a_page_costs_no_more_calls_per_element(work: Callable[[], object], bound: float) -> None:
    assert count_calls(work) / elements() <= bound


def test_work_that_is_done_twice_is_noticed() -> None:
    once = count_calls(known_texts)
    assert count_calls(lambda: (known_texts(), known_texts())) == pytest.approx(2 * once, rel=0.01)
