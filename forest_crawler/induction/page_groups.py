"""Group a site's sample pages by layout.

Used by `templates` before it fits locators: an A/B test or a redesign shows two layouts side by
side. A page's layout is the set of names of the elements that hold its article.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from forest_crawler.induction.scored_page import ScoredPage
from forest_crawler.wrapper.element_names import is_steady
from forest_crawler.wrapper.locators import Test

HOLDING_SHARE = 0.25
"""Min share of a page's content in an element that counts as holding the article."""

Name: TypeAlias = tuple[str, Test]
"""A tag and one of the tests (id, class …) that the element passes."""


def group_pages(pages: Sequence[ScoredPage], alike_from: float) -> list[list[ScoredPage]]:
    """Group pages by layout: `alike_from` is the min share of common names.

    Groups are transitive: two pages may be joined by pages in between. Names that occur on a single
    page are ignored, since they aren't the template's.
    """
    named = [_name_holders(page) for page in pages]
    seen = Counter(name for names in named for name in names)
    shared = [{name for name in names if seen[name] > 1} for names in named]
    groups: list[list[int]] = []
    for i, names in enumerate(shared):
        near = [g for g in groups if any(_jaccard(names, shared[j]) >= alike_from for j in g)]
        joined = [j for group in near for j in group]
        groups = [group for group in groups if group not in near]
        groups.append([*joined, i])
    return [[pages[i] for i in sorted(group)] for group in groups]


def _name_holders(page: ScoredPage) -> set[Name]:
    """Return the names of the elements that hold a good part of a page's content.

    Names with numbers in them are left out: they differ between builds of one template.
    """
    held = page.per_element(page.hits)
    holders = np.flatnonzero(held >= max(HOLDING_SHARE * page.total, 1e-9)).tolist()
    tags, tests = page.names.tags, page.names.tests
    return {(tags[i], test) for i in holders for test in tests[i] if is_steady(test)}


def _jaccard(some: set[Name], others: set[Name]) -> float:
    return len(some & others) / len(some | others) if some or others else 1.0
