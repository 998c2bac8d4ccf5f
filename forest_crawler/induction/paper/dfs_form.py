"""Write the paper's generic wrapper: an element type and its dfs positions."""

from __future__ import annotations

from collections.abc import Iterable

from forest_crawler.page.xpath_syntax import element_step


def dfs_form(tag: str, tests: Iterable[str], positions: Iterable[int]) -> str:
    """Write the XPath of an element type at the dfs positions seen.

    >>> dfs_form("div", ["contains(@class,'story')"], [78, 82])
    "//div[contains(@class,'story') and (@dfs='78' or @dfs='82')]"
    >>> dfs_form("p", [], [24])
    "//p[@dfs='24']"
    """
    alternatives = [f"@dfs='{position}'" for position in sorted(set(positions))]
    position_test = f"({' or '.join(alternatives)})" if len(alternatives) > 1 else alternatives[0]
    # `//` selects body too: body is the root of the annotated tree.
    return f"//{element_step(tag)}[{' and '.join([*tests, position_test])}]"
