"""Name nodes of a page by CSS selectors, for readers who look them up in a browser."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from forest_crawler.page.outline import Outline
from forest_crawler.page.xpath import Element

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def write_css_paths(outline: Outline, numbers: Iterable[int]) -> list[str]:
    """Write the selectors of nodes, numbered as in `Outline.document_order`.

    Each selects its element alone. It starts at the closest element with an `id` that no other has,
    or at body. CSS has no selector for a text leaf; the leaf gets Scrapy's `::text` after its
    element's selector, with its number if the element has several.

    >>> from forest_crawler.page.tree import parse_page
    >>> outline = parse_page("<p>a</p><div id=story><p>b</p><p>c<br>d</p></div>").outline
    >>> write_css_paths(outline, [0, 1, 4, 9])
    ['body', 'body > p', 'div#story > p:nth-of-type(2)', 'div#story > p:nth-of-type(2)::text(2)']
    """
    counts = Counter(element.get("id") for element in outline.elements)
    unique_ids = {name for name, count in counts.items() if name and count == 1}
    return [_write_path(outline, number, unique_ids) for number in numbers]


def _write_path(outline: Outline, number: int, unique_ids: set[str]) -> str:
    leaf = number - len(outline.elements)
    if leaf < 0:
        return _write_element(outline, number, unique_ids)
    owner = outline.leaf_owners[leaf]
    leaves = range(outline.leaf_starts[owner], outline.leaf_ends[owner])
    own = [i for i in leaves if outline.leaf_owners[i] == owner]
    position = f"({own.index(leaf) + 1})" if len(own) > 1 else ""
    return f"{_write_element(outline, owner, unique_ids)}::text{position}"


def _write_element(outline: Outline, number: int, unique_ids: set[str]) -> str:
    steps: list[str] = []
    for index in reversed(outline.path(number)):
        element = outline.elements[index]
        name = element.get("id", "")
        if index and name in unique_ids and _IDENTIFIER.fullmatch(name):
            tag = element.tag if _IDENTIFIER.fullmatch(element.tag) else ""
            steps.append(f"{tag}#{name}")
            break
        steps.append(_write_step(element) if index else "body")
    return " > ".join(reversed(steps))


def _write_step(element: Element) -> str:
    """Write a tag, with its position if a sibling has the same one."""
    if not _IDENTIFIER.fullmatch(element.tag):
        return f"*:nth-child({_count_before(element) + 1})"
    before = _count_before(element, element.tag)
    has_next = next(element.itersiblings(element.tag), None) is not None
    return f"{element.tag}:nth-of-type({before + 1})" if before or has_next else element.tag


def _count_before(element: Element, tag: str = "*") -> int:
    return sum(1 for _ in element.itersiblings(tag, preceding=True))
