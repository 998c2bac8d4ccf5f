"""Select what a fit takes on a sample page, as its wrapper will on further pages.

The merged tree of the sample knows what each locator selects, so no XPath has to run.
"""

from __future__ import annotations

from collections.abc import Iterable

from forest_crawler.induction.scored_page import Locators
from forest_crawler.page.selection import Selection, select_in_order
from forest_crawler.page.sentences import is_within_sentence
from forest_crawler.page.tree import PageTree
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.locators import Locator
from forest_crawler.wrapper.name_tree import NameTree


def select_fit(tree: PageTree, page: PageNames, names: NameTree, fit: Locators) -> Selection:
    """Select the body of a page without what is stripped, but for parts of a sentence."""
    elements = page.outline.elements
    stripped = {elements[index] for index in _find(fit.strip, page, names)}
    stripped -= {element for element in stripped if is_within_sentence(element, stripped)}
    body = (elements[index] for index in sorted(_find(fit.body, page, names)))
    return select_in_order(tree, body, stripped)


def _find(locators: Iterable[Locator], page: PageNames, names: NameTree) -> set[int]:
    return {index for it in locators for index in names.elements(page, names.matched(it))}
