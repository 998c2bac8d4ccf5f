"""Holes in kept lines, and strip rules that are bare tags."""

import pytest

from forest_crawler.evaluation.lost_text import Hole, apply_rules, bare_tag, find_holes
from forest_crawler.page.selection import Selection, select_elements, select_leaves
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.wrapper import Wrapper


def select(source: str, stripped: str) -> Selection:
    """Select the body of a page without the elements of a tag."""
    tree = parse_page(source)
    return select_elements(tree, [tree.body], tree.body.iter(stripped))


@pytest.mark.parametrize(
    ("source", "stripped", "expected"),
    [
        ("<p>in time for the <a>regatta</a>, whose crews", "a", ["regatta"]),
        ("<p>one <i>two</i> three <i>four</i> five", "i", ["two", "four"]),
        ("<p>one <a><b>two</b> three</a> four", "a", ["two three"]),
        ("<p>ends with a <a>link</a>", "a", []),
        ("<p><a>Kiel</a> begins with a place", "a", []),
        ("<p>a mark <a>*</a> is no word", "a", []),
        ("<p>only marks follow <a>this</a>.", "a", []),
        ("<p>one<p>Advertisement<p>two", "b", []),
        ("<div>one <aside>an advert</aside> two</div>", "aside", []),
        ("<p>one<br><a>A line of its own</a><br>two", "a", []),
        ("<ul><li>one <li><a>two</a><li>three</ul>", "a", []),
    ],
    ids=[
        "link",
        "two-holes",
        "nested",
        "at-the-end",
        "at-the-beginning",
        "mark",
        "before-a-mark",
        "nothing",
        "block",
        "line",
        "items",
    ],
)
def test_hole_is_text_inside_a_kept_line(source: str, stripped: str, expected: list[str]) -> None:
    assert [hole.removed for hole in find_holes(select(source, stripped))] == expected


def test_hole_has_the_text_around_it() -> None:
    (hole,) = find_holes(select("<p>for the <a>race</a>, whose", "a"))
    assert hole == Hole("for the ", "race", ", whose")


def test_holes_between_single_leaves_are_found() -> None:
    tree = parse_page("<p>one <b>two</b> three")
    assert [hole.removed for hole in find_holes(select_leaves(tree, [0, 2]))] == ["two"]


def test_a_line_that_is_left_out_as_a_whole_has_no_hole() -> None:
    tree = parse_page("<p>one <b>two</b> three<p>four")
    assert find_holes(select_elements(tree, list(tree.html.iter("p"))[1:])) == []


def test_rules_are_applied_without_any_check() -> None:
    tree = parse_page("<div id=story><p>for the <a>race</a>, whose</div>")
    rules = Wrapper("site", "by hand", "portable", ("//div[@id='story']",), ("//a",))
    assert apply_rules(rules, tree).text == "for the , whose"
    assert find_holes(apply_rules(rules, tree))


@pytest.mark.parametrize(
    ("expression", "tag"),
    [
        ("//figure", "figure"),
        ("//main[@id='main']//a", "a"),
        ("//div[@class='a/b']/div/div", "div"),
        ("//div[2]", "div"),
        ("//p[last()]", "p"),
        ("//div[@class='x']/descendant::span", "span"),
        ("//figure[contains(@class,'wide')]", None),
        ("//div[@id='a'][1]", None),
        ("//*[@role='note']", None),
    ],
)
def test_bare_tag_is_a_last_step_without_a_name(expression: str, tag: str | None) -> None:
    assert bare_tag(expression) == tag
