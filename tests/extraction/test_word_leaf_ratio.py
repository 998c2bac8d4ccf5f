"""Words/leafs ratio: the paper's examples, and trees counted by hand."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.extraction.methods.registry import get_extractor
from forest_crawler.extraction.methods.word_leaf_ratio import (
    ContentNodes,
    Ratio,
    RatioExtractor,
    detect_blocks,
    find_best,
    measure_relevances,
    rate_nodes,
    read_content_nodes,
)
from forest_crawler.page.outline import TextLeaf
from forest_crawler.page.selection import Node
from forest_crawler.page.tree import PageTree, parse_page


def _names(tree: PageTree, nodes: ContentNodes) -> list[str]:
    """Return the tags of elements, and the texts of text leaves."""
    elements, leaves = tree.outline.elements, tree.outline.leaves
    return [
        leaves[number - len(elements)].text if number >= len(elements) else elements[number].tag
        for number in nodes.numbers
    ]


def test_content_nodes_have_words_and_are_in_pre_order() -> None:
    page = "<hr><p>one<b>two</b><img></p><select><option>no</select><div><i>|</i></div>three"
    tree = parse_page(page)
    nodes = read_content_nodes(tree)
    assert _names(tree, nodes) == ["body", "p", "one", "b", "two", "three"]
    assert nodes.parents == [-1, 0, 1, 1, 3, 0]


def test_a_sentence_that_only_formatting_splits_is_one_leaf() -> None:
    # Example 4.3 of the paper: 2 + 4 + 2 + 5 + 1 words
    sentence = (
        "<em>Gisela Molina</em>, author of the book <strong>Ethical Life</strong>, "
        "will be interviewed tomorrow in <a href=http://www.example.com>BBC</a>."
    )
    nodes = read_content_nodes(parse_page(f"<h2>{sentence}</h2>"))
    assert (nodes.texts[1], nodes.units[1]) == (14, 1)


@pytest.mark.parametrize(
    ("page", "leaves"),
    [
        pytest.param("<ul><li>a<li>b</ul>", 2, id="list items stay apart"),
        pytest.param("<p>a</p><p>b</p><div>c</div>", 1, id="paragraphs and divs are joined"),
        pytest.param("a<p>b</p><h2>c</h2><p>d</p>", 3, id="a heading separates two runs"),
        pytest.param(
            "<div><h2>a</h2><p>b</p></div><p>c</p>", 3, id="only single leaves are joined"
        ),
        pytest.param("a<div style='position: absolute'>b</div>c", 3, id="absolute position"),
        pytest.param("a<div style='POSITION:fixed'>b</div>c", 3, id="fixed position"),
        pytest.param("a<div style='position: static'>b</div>c", 1, id="static position"),
        pytest.param("a<p style='position: absolute'>b</p>c", 1, id="only divs are ever moved"),
        pytest.param("<h2>a</h2><h2><img></h2><h2>b</h2>", 2, id="no words, no leaf"),
    ],
)
def test_leaves_are_counted_as_in_figure_5(page: str, leaves: int) -> None:
    assert read_content_nodes(parse_page(page)).units[0] == leaves


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        # body, div, p and the text; 13 characters with one blank between the words
        pytest.param(Ratio("words", "leaves"), 2 / 1, id="WLR"),
        pytest.param(Ratio("chars", "leaves"), 13 / 1, id="CLR"),
        pytest.param(Ratio("words", "nodes"), 2 / 4, id="WNR"),
        pytest.param(Ratio("chars", "nodes"), 13 / 4, id="CNR"),
    ],
)
def test_the_four_ratios_count_words_or_characters_per_leaf_or_node(
    ratio: Ratio, expected: float
) -> None:
    nodes = read_content_nodes(parse_page("<div><p> medicine \n work </p></div>"), ratio)
    assert nodes.ratios[0] == pytest.approx(expected)


SIX_WORDS = "one two three four five six"
MENU = "<ul><li>Home<li>News<li>Sport</ul>"


def test_a_single_dense_node_is_the_best() -> None:
    page = f"{MENU}<div id=story><p>{SIX_WORDS}</p><p>{SIX_WORDS}</p></div><h4>Imprint</h4>"
    tree = parse_page(page)
    nodes = read_content_nodes(tree)
    # body 16/5 (3 items, the div, the heading), the list and all in it 1, div 12/1, p 6/1
    assert nodes.ratios[0] == pytest.approx(3.2)
    # initial from sqrt(12 · 3.2) = 6.2: the div alone, with weight 1; so M = 1 for div and body
    relevances = measure_relevances(nodes)
    assert _names(tree, nodes)[8] == "div"
    assert (relevances[0], relevances[8]) == pytest.approx((3.2 * 1, 12 * 1))
    assert find_best(nodes) == 8


# Example 4.8 of the paper: the table around the rows is best, not a row and not the page.
TABLE_PAGE = f"<table id=papers>{f'<tr><td>{SIX_WORDS} and four more words</td></tr>' * 3}</table>"


def test_dense_nodes_are_combined_in_the_node_above_them() -> None:
    tree = parse_page(TABLE_PAGE + "<ul><li>Home<li>News<li>Sport<li>More</ul>")
    nodes = read_content_nodes(tree)
    # cells 10/1, table 30/3, menu 1, body 34/7; initial from sqrt(10 · 34/7) = 7: ids 1 to 10, in
    # the table, with weights (10 − id)/9. Rows: ids 2, 5, 8 with 8/9, 5/9, 2/9; their sum is 15/9,
    # more than the table's own weight: M of the table, and of body, where the menu adds nothing.
    relevances = measure_relevances(nodes)
    assert [relevances[i] for i in (2, 5, 8)] == pytest.approx([80 / 9, 50 / 9, 20 / 9])
    assert relevances[1] == pytest.approx(10 * 15 / 9)
    assert relevances[0] == pytest.approx(34 / 7 * 15 / 9)
    [best] = RatioExtractor().extract(tree).nodes
    assert best is tree.outline.elements[1]


def test_a_node_combines_at_least_what_any_node_below_it_does() -> None:
    # "if (n → n') ∈ E*, then M(n) ≥ M(n')"; so without WLR(n), the root would always be best.
    nodes = read_content_nodes(parse_page(TABLE_PAGE + MENU))
    combined = rate_nodes(nodes).combined
    above = [combined[parent] for parent in nodes.parents[1:]]
    assert all(outer >= inner for outer, inner in zip(above, combined[1:], strict=True))
    assert find_best(nodes) == 1


def test_of_two_best_nodes_the_one_with_the_lower_identifier_is_taken() -> None:
    # Ratios 2 for the root, 1 for node 7, 10 for the rest, which is initial: weights (6 − id)/5.
    # M(1) = 5/5; M(2) = max(4/5, M(3) + M(4)) = 3/5 + 2/5; the root: 2 · (1 + 1 + 1/5 + 0)
    nodes = ContentNodes(
        numbers=list(range(8)),
        parents=[-1, 0, 0, 2, 2, 0, 0, 0],
        texts=[2, 10, 10, 10, 10, 10, 10, 1],
        units=[1] * 8,
    )
    relevances = measure_relevances(nodes)
    assert relevances[1] == relevances[2] == 10
    assert relevances[0] == pytest.approx(4.4)
    assert find_best(nodes) == 1


def test_the_best_node_may_be_a_text_between_tags() -> None:
    # text 30/1; the list 10 items with a word each; body 40/11: below sqrt(30 · 40/11)
    tree = parse_page(f"<ul>{'<li>Topic' * 10}</ul>{SIX_WORDS * 5} ")
    [best] = RatioExtractor().extract(tree).nodes
    assert isinstance(best, TextLeaf)
    assert best.text.startswith(SIX_WORDS)


def test_drop_down_lists_are_not_part_of_the_content() -> None:
    tree = parse_page(f"<div>{SIX_WORDS}<select><option>Zurich</select></div>{MENU}")
    assert RatioExtractor().extract(tree).text == SIX_WORDS


def test_ratios_per_node_take_a_part_where_ratios_per_leaf_take_the_whole() -> None:
    # Section 5: "CNR and WNR often select a node which is in the middle of the main content".
    page = parse_page(f"{MENU}<div>{f'<p>{SIX_WORDS}</p>' * 4}</div>")
    lengths = {}
    for name in ("wlr", "clr", "wnr", "cnr"):
        extractor = get_extractor(name)
        assert hasattr(extractor, "extract")
        lengths[name] = len(extractor.extract(page).text.splitlines())
    assert lengths == {"wlr": 4, "clr": 4, "wnr": 1, "cnr": 1}


def test_blocks_come_in_order_of_relevance_each_from_what_those_before_left() -> None:
    page = f"{MENU}<div>{SIX_WORDS}</div><h4>Copyright and imprint</h4>"
    blocks = [block.text for block in detect_blocks(parse_page(page))]
    # Then body is left with the menu, 3/3, and the heading, 3/1: initial from sqrt(3 · 6/4) = 2.1.
    assert blocks == [SIX_WORDS, "Copyright and imprint", "Home\nNews\nSport"]


def test_blocks_are_computed_one_at_a_time() -> None:
    tree = parse_page(TABLE_PAGE + MENU)
    [first] = islice(detect_blocks(tree), 1)
    assert first.nodes == (tree.outline.elements[1],)


_PIECES = st.recursive(
    st.text("ab ", min_size=1, max_size=6),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{' '.join(parts)}</{tag}>",
        st.sampled_from(["div", "ul", "h2", "b", "section"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


@pytest.mark.parametrize("ratio", [Ratio(), Ratio("chars", "nodes")], ids=["WLR", "CNR"])
@given(page=st.lists(_PIECES, min_size=1, max_size=5))
def test_all_blocks_together_hold_every_word_once(ratio: Ratio, page: list[str]) -> None:
    tree = parse_page(f"<body>{' '.join(page)}</body>")
    words = Counter("".join(leaf.text + " " for leaf in tree.outline.leaves).split())
    blocks = detect_blocks(tree, ratio)
    assert sum((Counter(_words(block.nodes)) for block in blocks), Counter()) == words


def _words(nodes: tuple[Node, ...]) -> list[str]:
    """List the words of nodes, split between text leaves."""
    words: list[str] = []
    for node in nodes:
        texts = [node.text] if isinstance(node, TextLeaf) else node.itertext()
        words.extend(word for text in texts for word in str(text).split())
    return words
