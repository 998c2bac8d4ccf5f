"""Plain selects everything visible."""

from __future__ import annotations

from forest_crawler.extraction.methods.plain import PlainExtractor
from forest_crawler.page.tree import parse_page


def test_the_whole_body_is_one_node() -> None:
    tree = parse_page("<div><a href=/>Menu</a></div><script>x()</script><p>Text</p>")
    selection = PlainExtractor().extract(tree)
    assert selection.nodes == (tree.body,)
    assert selection.text == "Menu\nText"
