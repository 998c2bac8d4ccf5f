"""Lines of a selection, and leaving lines out."""

from dataclasses import replace

import pytest

from forest_crawler.page.lines import drop_lines, find_lines, number_leaves
from forest_crawler.page.selection import Selection, select_elements
from forest_crawler.page.tree import parse_page


def select(story: str, stripped: str = "") -> Selection:
    tree = parse_page(f"<p>Menu</p><div id=story>{story}</div>")
    (node,) = tree.body.iterfind("div")
    return select_elements(tree, [node], tree.body.iter(stripped) if stripped else ())


@pytest.mark.parametrize(
    "story",
    [
        "<p>A <b>wet</b> cat</p>Share<br>it",
        "One<br>two <i>three<br>four</i> five<p></p>",
        "<table><tr><td>a<td>b</table> tail",
        "<p>kept <nav>stripped</nav> after",
    ],
)
def test_the_lines_are_those_of_the_text(story: str) -> None:
    selection = select(story, stripped="nav")
    lines = list(find_lines(selection))
    assert [line.text for line in lines] == list(selection.lines())
    numbers = number_leaves(selection.tree.outline)
    texts = selection.tree.outline.leaf_texts
    for line in lines:
        found = "".join(texts[numbers[piece]] for piece in line.pieces)
        assert "".join(found.split()) == "".join(line.text.split())


@pytest.mark.parametrize(
    ("story", "text"),
    [
        pytest.param("<p>A cat<p>Share", "A cat", id="a paragraph"),
        pytest.param("<p>A cat<p>Share this", "A cat\nShare this", id="another text"),
        pytest.param("<p>A cat. Share", "A cat. Share", id="within a line"),
        pytest.param("<p>A cat<div><b>Sh</b><i>are</i></div>", "A cat", id="inline tags"),
        pytest.param("A cat<br>Share<br>sat", "A cat\nShare\nsat", id="bare text stays"),
        pytest.param("A cat<br><b>Share</b><br>sat", "A cat\nsat", id="an inline tag"),
        pytest.param("A cat<span>x<br>Share</span>", "A catx\nShare", id="a tag with another line"),
        pytest.param("<p>Share<p>A cat<p>Share", "A cat", id="twice"),
        pytest.param("<p>Share", "Share", id="nothing else"),
    ],
)
def test_a_line_is_left_out(story: str, text: str) -> None:
    assert drop_lines(select(story), frozenset({"Share"})).text == text


def test_a_picture_beside_the_line_stays() -> None:
    found = drop_lines(
        select("<p>A cat<figure><img src=cat.jpg>Photo</figure><p>sat"), frozenset({"Photo"})
    )
    assert found.text == "A cat\nPhoto\nsat"
    assert not found.stripped


def test_what_was_stripped_stays_stripped() -> None:
    found = drop_lines(select("<p>A cat<nav>Next</nav><p>Share", "nav"), frozenset({"Share"}))
    assert found.text == "A cat"


def test_a_node_that_is_such_a_line_goes() -> None:
    tree = parse_page("<h3>Share</h3><p>A cat</p>")
    found = drop_lines(select_elements(tree, list(tree.body)), frozenset({"Share"}))
    assert [str(node.tag) for node in found.nodes if hasattr(node, "tag")] == ["p"]


def test_a_line_is_left_out_as_a_whole_or_not_at_all() -> None:
    """`b` holds a part of both lines: one is bare text, so neither may go."""
    found = select("<p>A cat</p>Share <b>this<br>Print</b>")
    assert list(found.lines()) == ["A cat", "Share this", "Print"]
    assert drop_lines(found, frozenset({"Share this", "Print"})).text == found.text


def test_lines_that_were_kept_are_not_those_of_a_selection_with_fewer() -> None:
    tree = parse_page("<p>A wet cat<div><p>Share</div>")
    whole = select_elements(tree, [tree.body])
    assert whole.keep_lines() == ("A wet cat", "Share")
    assert drop_lines(whole, frozenset({"Share"})).text == "A wet cat"
    assert whole.text == "A wet cat\nShare"


@pytest.mark.parametrize(
    ("story", "text"),
    [
        pytest.param("a<p>Share<p>b", "a\nb", id="a block"),
        pytest.param("a<br><b>Share</b><br>b", "a\nb", id="an inline tag between two lines"),
        # The link's blocks end the lines around it; without the link they are one line.
        pytest.param("a<i><div>Share</div>Share<br></i>b", "ab", id="an inline tag with blocks"),
        pytest.param("a<nav>b</nav>c<div>Share</div>d", "a\nc\nd", id="beside what is stripped"),
    ],
)
def test_the_kept_lines_are_those_of_the_nodes_that_are_left(story: str, text: str) -> None:
    found = drop_lines(select(story, "nav"), frozenset({"Share"}))
    assert found.text == text
    assert replace(found).text == text  # a copy reads its nodes


def test_an_inline_node_goes_without_what_is_around_it() -> None:
    tree = parse_page("<div><p><b>Share</b><p><b>A cat</b></div>")
    found = drop_lines(select_elements(tree, tree.body.iter("b")), frozenset({"Share"}))
    assert found.text == replace(found).text == "A cat"
