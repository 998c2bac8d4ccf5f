"""Strip rules for other programs: relative to what they take, and for what else is in it.

Some programs remove inside the taken elements only, so a rule must not begin above them. And an
article lacks more than its wrapper strips: buttons, labels, the headline. What is named by a
locator that never meets the article becomes a rule, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forest_crawler.export.checked_page import CheckedPage
from forest_crawler.export.forms import regions
from forest_crawler.page.xpath import Element, ElementPath
from forest_crawler.wrapper.element_names import locator_cost, name_element, shared_tests
from forest_crawler.wrapper.locators import Locator, Step, write_xpath

MAX_STRIPS = 12
"""Further strip rules per site: each is one more thing that a redesign breaks."""

_MAX_ANCESTORS = 2  # levels above an element that a strip rule names


def relative_strips(
    pages: Sequence[CheckedPage], body: Sequence[Locator], strip: Sequence[Locator]
) -> tuple[Locator, ...]:
    """Rewrite strip rules so that they match the same inside the taken elements alone.

    A rule that matches nothing there is dropped, and so is one whose rest would take text of an
    article.
    """
    found = (_relative(pages, body, locator) for locator in strip)
    return tuple(dict.fromkeys(it for it in found if it is not None))


def further_strips(pages: Sequence[CheckedPage], body: Sequence[Locator]) -> tuple[Locator, ...]:
    """Name what is inside the taken elements, but not in the articles."""
    shared = shared_tests(page.names for page in pages)
    chosen: dict[Locator, None] = {}
    for page in pages:
        tops = regions(page, body)
        covered = {index for it in chosen for index in _below(page, tops, it)}
        for index in _unwanted(page, tops):
            if any(above in covered for above in page.outline.path(index)):
                continue
            named = name_element(page.names, index, shared, 1, _MAX_ANCESTORS)
            usable = (it for it in sorted(named, key=locator_cost) if _is_harmless(pages, body, it))
            best = next((it for it in usable if index in _below(page, tops, it)), None)
            if best is not None:
                chosen[best] = None
                covered.update(_below(page, tops, best))
    return tuple(chosen)[:MAX_STRIPS]


def _relative(
    pages: Sequence[CheckedPage], body: Sequence[Locator], locator: Locator
) -> Locator | None:
    wanted = [_matched(page, regions(page, body), locator) for page in pages]
    if not any(wanted):
        return None
    for start in range(len(locator)):
        head = Step("//", locator[start].tag, locator[start].tests)
        rest = (head, *locator[start + 1 :])
        inside = [_below(page, regions(page, body), rest) for page in pages]
        if all(one <= other for one, other in zip(wanted, inside, strict=True)):
            is_same = inside == wanted
            return rest if is_same or _is_harmless(pages, body, rest) else None
    return None


def _matched(page: CheckedPage, tops: Sequence[int], locator: Locator) -> set[int]:
    """Return what a locator matches on the page, inside the taken elements."""
    ends = page.outline.ends
    return {
        index for index in page.names.match(locator) if any(it < index < ends[it] for it in tops)
    }


def _below(page: CheckedPage, tops: Sequence[int], locator: Locator) -> set[int]:
    """Return what a locator matches inside the taken elements, all its steps included."""
    path = ElementPath(f".{write_xpath(locator)}")
    positions, elements = page.outline.positions, page.outline.elements
    found: list[Element] = [it for top in tops for it in path(elements[top])]
    return {positions[element] for element in found}


def _is_harmless(pages: Sequence[CheckedPage], body: Sequence[Locator], locator: Locator) -> bool:
    """Whether a locator matches no text of an article inside the taken elements."""
    return not any(
        page.wanted[index] for page in pages for index in _below(page, regions(page, body), locator)
    )


def _unwanted(page: CheckedPage, tops: Sequence[int]) -> Iterator[int]:
    """Yield the outermost elements in the taken ones with text, but none of the article."""
    ends = page.outline.ends
    for top in tops:
        index = top + 1
        while index < ends[top]:
            if page.unwanted[index] and not page.wanted[index]:
                yield index
                index = ends[index]
            else:
                index += 1
