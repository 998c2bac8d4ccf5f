"""A page's article comes from the first wrapper of its site that matches."""

from __future__ import annotations

from forest_crawler.extraction import extract
from forest_crawler.tree import parse_page
from forest_crawler.wrapper import Wrapper

TREE = parse_page("<h1>Ferry returns</h1><div>It sails.</div><ul><li>Menu</ul>")
HEADING = Wrapper("s", "by hand", "portable", ("//h1", "//div"))
MENU = Wrapper("s", "by hand", "portable", ("//ul",))
MISSING = Wrapper("s", "by hand", "portable", ("//article",))


def test_first_wrapper_that_matches_wins() -> None:
    found = extract(TREE, [MISSING, HEADING, MENU])
    assert (found.selection.text, found.wrapper) == ("Ferry returns\nIt sails.", HEADING)


def test_several_expressions_are_one_xpath_that_selects_the_same() -> None:
    found = extract(TREE, [HEADING])
    assert found.xpath is not None
    assert TREE.html.xpath(found.xpath) == list(found.selection.nodes)


def test_nothing_is_found_where_no_wrapper_matches() -> None:
    found = extract(TREE, [MISSING])
    assert not found.selection
    assert (found.extractor, found.wrapper, found.xpath) == (None, None, None)
