"""A page's article comes from a wrapper that fits, or from the fallback."""

from __future__ import annotations

from forest_crawler.extraction.extraction import extract
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.wrapper import Wrapper

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


def test_nothing_is_found_if_no_wrapper_matches() -> None:
    found = extract(TREE, [MISSING])
    assert not found.selection
    assert (found.extractor, found.wrapper, found.xpath) == (None, None, None)


def test_a_wrapper_that_selects_next_to_nothing_does_not_fit() -> None:
    # 100 words on the sample, so at least 30 are needed: the first has 3, the second 40.
    tree = parse_page(f"<div id=a>one two three</div><div id=b>{'word ' * 40}</div>")
    poor = Wrapper("s", "m", "portable", ("//div[@id='a']",), words=100)
    rich = Wrapper("s", "m", "portable", ("//div[@id='b']",), words=100)
    assert extract(tree, [poor, rich]).wrapper is rich
    assert extract(tree, [poor]).wrapper is poor  # without a fallback, any match is used
    assert extract(tree, [poor], "plain").extractor == "page:plain"


def test_of_several_fitting_wrappers_the_one_most_similar_to_the_fallback_is_taken() -> None:
    tree = parse_page("<div id=menu>home news</div><div id=story>ferry returns home today</div>")
    menu = Wrapper("s", "m", "portable", ("//div[@id='menu']",))
    story = Wrapper("s", "m", "portable", ("//div[@id='story']",))
    # plain selects home, news, ferry, returns, today: F1 4/7 with the menu, 8/9 with the story.
    assert extract(tree, [menu, story], "plain").wrapper is story
    assert extract(tree, [menu, story]).wrapper is menu
