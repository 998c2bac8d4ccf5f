"""A selection has the text and HTML of its nodes, in document order."""

from __future__ import annotations

from html import escape
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_crawler.page.lines import find_lines
from forest_crawler.page.outline import TextLeaf
from forest_crawler.page.selection import (
    Node,
    Selection,
    select_elements,
    select_in_order,
    select_leaves,
)
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath import Element


def body_selection(page: str) -> Selection:
    tree = parse_page(page)
    return select_elements(tree, [tree.body])


def find(tree: PageTree, tag: str) -> list[Element]:
    return [element for element in tree.outline.elements if element.tag == tag]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param("<h1>One</h1><p>two</p>three", "One\ntwo\nthree", id="blocks"),
        pytest.param("<p>a <b>b</b>c<i> d</i></p>", "a bc d", id="inline"),
        pytest.param("<p> a\n\t b\r\n\u00a0c </p>", "a b c", id="blanks-folded"),
        pytest.param("<p>one<br>two</p>", "one\ntwo", id="line-break"),
        pytest.param("<ul><li>a<li>b</ul>", "a\nb", id="list"),
        pytest.param("<table><tr><td>a<td>b</table>", "a\nb", id="cells"),
        pytest.param("<div>a<div><p>b</p></div></div>", "a\nb", id="no-blank-lines"),
        pytest.param("<p>see <a href=x>this <img src=y> one</a>.</p>", "see this one.", id="link"),
        pytest.param("<p>1 &lt; 2 &amp;amp;</p>", "1 < 2 &amp;", id="entities"),
        pytest.param("<p>東京<b>の</b>灯台</p>", "東京の灯台", id="unspaced-script"),
        pytest.param("<img src=x>", "", id="no-text"),
    ],
)
def test_text_has_a_line_for_each_block(page: str, expected: str) -> None:
    assert body_selection(page).text == expected


def test_html_keeps_links_and_images() -> None:
    page = '<p>see <a href="/x?a=1&amp;b=2">this</a> <img src="y.png"> &lt;b&gt;</p>'
    tree = parse_page(page + "after")
    assert select_elements(tree, find(tree, "p")).html == page


def test_a_page_without_match_is_an_empty_selection() -> None:
    nothing = select_elements(parse_page("<p>x"), [])
    assert not nothing
    assert (nothing.text, nothing.html, nothing.nodes) == ("", "", ())


STRIPPING = "<div>one<p>two <b>three</b></p>four <i>five</i>six</div>"


@pytest.mark.parametrize(
    ("stripped", "text", "html"),
    [
        # A block between two words keeps them apart, an inline element does not.
        pytest.param("p", "one\nfour fivesix", "<div>one\nfour <i>five</i>six</div>", id="block"),
        pytest.param(
            "i",
            "one\ntwo three\nfour six",
            "<div>one<p>two <b>three</b></p>four six</div>",
            id="inline",
        ),
        pytest.param(
            "b",
            "one\ntwo\nfour fivesix",
            "<div>one<p>two </p>four <i>five</i>six</div>",
            id="deeper",
        ),
    ],
)
def test_stripped_elements_go_and_the_text_after_them_stays(
    stripped: str, text: str, html: str
) -> None:
    tree = parse_page(STRIPPING)
    selection = select_elements(tree, find(tree, "div"), find(tree, stripped))
    assert (selection.text, selection.html) == (text, html)


def test_stripping_leaves_the_tree_as_it_was() -> None:
    tree = parse_page(STRIPPING)
    assert select_elements(tree, find(tree, "div"), find(tree, "p")).html
    assert select_elements(tree, find(tree, "div")).html == STRIPPING


def test_a_stripped_element_is_not_selected() -> None:
    tree = parse_page("<div>a</div><div>b</div>")
    first, second = find(tree, "div")
    assert select_elements(tree, [first, second], [second]).nodes == (first,)


def test_elements_come_in_document_order_and_none_inside_another() -> None:
    tree = parse_page("<div><p>a</p><p>b</p></div><p>c</p>")
    a, b, c = find(tree, "p")
    (div,) = find(tree, "div")
    assert select_elements(tree, [c, b, a, c]).nodes == (a, b, c)
    assert select_elements(tree, [a, c, div]).nodes == (div, c)


def test_an_element_outside_body_is_not_selected() -> None:
    tree = parse_page("<title>x</title><p>y")
    title = next(tree.html.iter("title"))
    assert not select_elements(tree, [tree.html, title])


def test_leaves_are_joined_to_the_outermost_elements_that_contain_nothing_else() -> None:
    # leaves: 0 a, 1 b, 2 c (tail of b), 3 d, 4 e (tail of div)
    tree = parse_page("<div><p>a<b>b</b>c</p><p>d</p></div>e")
    p, second = find(tree, "p")
    (div,), (b,) = find(tree, "div"), find(tree, "b")
    leaves = tree.outline.leaves
    assert select_leaves(tree, [0, 1, 2]).nodes == (p,)
    assert select_leaves(tree, [1]).nodes == (b,)
    assert select_leaves(tree, [0, 2, 3]).nodes == (leaves[0], leaves[2], second)
    assert select_leaves(tree, [0, 1, 2, 3]).nodes == (div,)
    assert select_leaves(tree, [3, 4]).nodes == (second, leaves[4])
    assert select_leaves(tree, range(5)).nodes == (tree.body,)
    assert select_leaves(tree, []).nodes == ()


def test_a_single_leaf_is_escaped_in_html() -> None:
    tree = parse_page("<p>1 &lt; 2<b>x</b></p>")
    selection = select_leaves(tree, [0])
    assert (selection.text, selection.html) == ("1 < 2", "1 &lt; 2")


def test_two_thousand_levels_are_selected() -> None:
    tree = parse_page("<div>" * 2000 + "<p>deep</p>" + "</div>" * 2000)
    whole = select_elements(tree, [tree.outline.elements[1]], find(tree, "b"))
    assert whole.text == "deep"
    assert whole.html.count("<div>") == 2000
    stripped = select_elements(tree, [tree.outline.elements[1]], find(tree, "p"))
    assert stripped.html.count("<div>") == 2000
    assert stripped.text == ""


WORDS = st.text("ab \n\t<&'日", min_size=1, max_size=6)
MARKUP = st.recursive(
    WORDS.map(escape) | st.just("<img src='x'>"),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(["div", "section", "b", "span", "blockquote"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=15,
)


def leaves_of(node: Node, tree: PageTree) -> range:
    outline = tree.outline
    if isinstance(node, TextLeaf):
        position = outline.leaves.index(node)
        return range(position, position + 1)
    index = outline.positions[node]
    return range(outline.leaf_starts[index], outline.leaf_ends[index])


def without_blanks(text: str) -> str:
    return "".join(text.split())


@settings(max_examples=50)
@given(st.lists(MARKUP, min_size=1, max_size=5).map("".join), st.data())
def test_chosen_leaves_are_covered_exactly_once_in_order(page: str, data: st.DataObject) -> None:
    tree = parse_page(f"<body>{page}")
    count = len(tree.outline.leaves)
    chosen = data.draw(st.sets(st.integers(0, count - 1))) if count else set()
    selection = select_leaves(tree, chosen)
    covered = [leaf for node in selection.nodes for leaf in leaves_of(node, tree)]
    assert covered == sorted(chosen)  # so none is covered twice: no node is inside another
    texts = "".join(tree.outline.leaves[leaf].text for leaf in sorted(chosen))
    assert without_blanks(selection.text) == without_blanks(texts)


@settings(max_examples=50)
@given(st.lists(MARKUP, min_size=1, max_size=5).map("".join), st.randoms(use_true_random=False))
def test_order_and_repetition_of_the_given_nodes_do_not_matter(page: str, random: Random) -> None:
    tree = parse_page(f"<body>{page}")
    elements = tree.outline.elements[1:]
    shuffled = elements * 2
    random.shuffle(shuffled)
    assert select_elements(tree, shuffled).nodes == select_elements(tree, elements).nodes
    leaves = list(range(0, len(tree.outline.leaves), 2)) * 2
    random.shuffle(leaves)
    assert select_leaves(tree, leaves).text == select_leaves(tree, sorted(set(leaves))).text


@settings(max_examples=50)
@given(MARKUP)
def test_an_element_and_all_of_its_leaves_have_the_same_text(markup: str) -> None:
    tree = parse_page(f"<body><div>{markup}</div>more")
    element = tree.outline.elements[1]
    assert (
        select_leaves(tree, leaves_of(element, tree)).text == select_elements(tree, [element]).text
    )


@settings(max_examples=50)
@given(MARKUP)
def test_the_text_of_the_html_is_the_text(markup: str) -> None:
    selection = body_selection(f"<body><div>{markup}</div>")
    assert body_selection(f"<body>{selection.html}").text == selection.text


@settings(max_examples=50)
@given(MARKUP)
def test_text_does_not_depend_on_attributes_comments_scripts_or_line_breaks(
    markup: str,
) -> None:
    dressed = (
        markup.replace(">", " class='x' title='words, more words'>")
        .replace("</div class='x' title='words, more words'>", "<!-- no --></div>")
        .replace("</b class='x' title='words, more words'>", "<script>no()</script></b>")
        .replace(" ", "\n")
    )
    assert body_selection(f"<body>{dressed}").text == body_selection(f"<body>{markup}").text


def test_an_element_inside_a_stripped_one_is_not_selected() -> None:
    tree = parse_page("<div id=box><p id=in>Advertisement</p></div><p id=out>Ferry returns</p>")
    box, inner, outer = (tree.body.find(f".//*[@id='{name}']") for name in ("box", "in", "out"))
    assert box is not None
    assert inner is not None
    assert outer is not None
    assert select_elements(tree, [inner, outer], [box]).nodes == (outer,)
    assert select_in_order(tree, [inner, outer], [box]).nodes == (outer,)


def test_a_text_leaf_is_the_same_node_however_often_it_is_made() -> None:
    outline = parse_page("<p>One<br>two").outline
    first, second = outline.leaves
    assert outline.leaf(1) == second
    assert outline.leaf(1) != first
    assert {outline.leaf(0), outline.leaf(1)} == {first, second}


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("The <a>ferry</a>, it sails", ["The ferry, it sails"], id="link"),
        pytest.param("<a>One</a> <b>two</b>", ["One two"], id="blank between"),
        pytest.param("<a>One</a><b>two</b>", ["Onetwo"], id="nothing between"),
        pytest.param("One<br>two", ["One", "two"], id="line break"),
        pytest.param("One<p>two</p>three", ["One", "two", "three"], id="block"),
        pytest.param("<b>One</b><br><b>two</b>", ["One", "two"], id="break between tags"),
        pytest.param("<p>One</p> <b>two</b>", ["One", "two"], id="block before a tag"),
    ],
)
def test_leaves_of_one_line_stay_one_line(markup: str, expected: list[str]) -> None:
    tree = parse_page(f"<div>Menu<br>{markup}<br>Foot</div>")
    texts = tree.outline.leaf_texts
    selection = select_leaves(tree, range(1, len(texts) - 1))
    assert selection.text.split("\n") == expected
    assert len(selection.html.split("\n")) == len(expected)
    assert [line.text for line in find_lines(selection)] == expected


def test_a_gap_of_text_that_is_not_selected_ends_the_line() -> None:
    tree = parse_page("<div>One <b>two</b> three <i>four</i> five</div>")
    assert select_leaves(tree, [0, 1, 3, 4]).text == "One two\nfour five"
