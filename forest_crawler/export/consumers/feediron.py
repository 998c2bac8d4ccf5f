"""FeedIron 1.32 of tt-rss: `xpath` takes one element per path, `all_xpath` may take all.

The content is what is inside the taken elements, joined. A `cleanup` path runs on the whole page
(or inside the element, if it begins with `./`) before an element is taken; one that it removes is
still taken, by itself. If no path selects anything, the whole page is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from forest_crawler.export.consumers.documents import find_all, remove, write_inner, write_outer
from forest_crawler.page.xpath import Element


def show_feediron(page: Element, rules: Mapping[str, Any]) -> str:
    """Return the content that FeedIron shows of a page, parsed by `parse_libxml2`."""
    pieces: list[str] = []
    for path in rules["xpath"]:
        index: object = 0
        if isinstance(path, Mapping):
            path, index = path["xpath"], path.get("index", 0)
        found = find_all(page, f"(//{path})")
        if rules["type"] == "all_xpath" and index == "all":
            taken = found
        else:
            taken = found[index : index + 1] if isinstance(index, int) else []
        pieces += [_take(page, element, rules) for element in taken]
    if not pieces:
        return write_outer([page])
    joined = str(rules.get("join_element", "")).join(pieces)
    return f"{rules.get('start_element', '')}{joined}{rules.get('end_element', '')}"


def _take(page: Element, element: Element, rules: Mapping[str, Any]) -> str:
    for cleanup in rules.get("cleanup", ()):
        is_relative = cleanup.startswith("./")
        remove(
            find_all(element if is_relative else page, cleanup if is_relative else f"//{cleanup}")
        )
    return write_inner(element) or write_outer([element])
