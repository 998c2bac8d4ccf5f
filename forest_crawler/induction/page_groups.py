"""A site's sample pages by their look: an A/B test or a redesign shows two templates side by side.

Before `templates` fits locators: a page's look is what the elements are called that hold its
article.
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
"""Of a page's content, from which an element is one that holds the article."""

Name: TypeAlias = tuple[str, Test]
"""A tag, and a test that names it."""


def group_pages(pages: Sequence[ScoredPage], alike_from: float) -> list[list[ScoredPage]]:
    """The pages by their look: what holds the article is called alike on each page of a group and
    some other one of it.

    Names of a single page tell nothing of its template.
    """
    named = [_name_holders(page) for page in pages]
    seen = Counter(name for names in named for name in names)
    shared = [{name for name in names if seen[name] > 1} for names in named]
    groups: list[list[int]] = []
    for i, names in enumerate(shared):
        near = [g for g in groups if any(_likeness(names, shared[j]) >= alike_from for j in g)]
        joined = [j for group in near for j in group]
        groups = [group for group in groups if group not in near]
        groups.append([*joined, i])
    return [[pages[i] for i in sorted(group)] for group in groups]


def _name_holders(page: ScoredPage) -> set[Name]:
    """What the elements are called that hold a good part of a page's content.

    Without names that have numbers in them: another build of the same template has others.
    """
    held = page.per_element(page.hits)
    holders = np.flatnonzero(held >= max(HOLDING_SHARE * page.total, 1e-9)).tolist()
    tags, tests = page.names.tags, page.names.tests
    return {(tags[i], test) for i in holders for test in tests[i] if is_steady(test)}


def _likeness(some: set[Name], others: set[Name]) -> float:
    return len(some & others) / len(some | others) if some or others else 1.0
