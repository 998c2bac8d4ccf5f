"""Explanations show the figures of the papers' definitions, computed by hand here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.extraction.methods.density import (
    DensitySumExtractor,
    SmoothingExtractor,
    composite_text_density,
    text_density,
)
from forest_crawler.extraction.methods.explanation import ExplainedNode, Explanation
from forest_crawler.extraction.methods.r4 import R4Extractor
from forest_crawler.extraction.methods.registry import (
    Explainable,
    Extractor,
    extractor_names,
    get_extractor,
)
from forest_crawler.extraction.methods.word_leaf_ratio import Ratio, RatioExtractor
from forest_crawler.page.outline import TextLeaf
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import PageTree, parse_page

NAMES = [name for name in extractor_names() if isinstance(get_extractor(name), Explainable)]


def _figures(explanation: Explanation, node: ExplainedNode) -> dict[str, object]:
    return dict(zip(explanation.columns, node.figures, strict=True))


def test_the_most_relevant_node_is_first_with_all_that_makes_its_relevance() -> None:
    # Three rows of ten words in a table, and a menu of four: see test_word_leaf_ratio. The table
    # has id 1, 30 words on 3 leaves, and combines its rows' weights 8/9, 5/9 and 2/9.
    row = "<tr><td>one two three four five six and four more words</td></tr>"
    page = f"<table>{row * 3}</table><ul><li>Home<li>News<li>Sport<li>More</ul>"
    explanation = RatioExtractor().explain(parse_page(page))
    best, body = explanation.nodes[0], next(n for n in explanation.nodes if n.number == 0)
    assert [node.is_chosen for node in explanation.nodes] == [True] + [False] * (
        len(explanation.nodes) - 1
    )
    assert _figures(explanation, best) == pytest.approx(
        {"id": 1, "level": 2, "words": 30, "leaves": 3, "WLR": 10}
        | {"pos": 1, "W": 1, "M": 15 / 9, "R": 150 / 9}
    )
    # body: 34 words on 7 leaves; the bound for initial nodes is sqrt(10 · 34/7) = 6.97
    assert body.figures == pytest.approx(
        (0, 1, 34, 7, 34 / 7, None, 0, 15 / 9, 34 / 7 * 15 / 9), nan_ok=True
    )
    assert "√(10.00 · 4.86) = 6.97" in explanation.outcome


def test_the_columns_are_named_by_the_ratio() -> None:
    explanation = RatioExtractor(Ratio("chars", "nodes")).explain(parse_page("<p>one</p>"))
    assert explanation.columns[2:5] == ("chars", "nodes", "CNR")


def test_the_farthest_node_is_first_with_its_ratios_and_its_distance() -> None:
    # Rated: 1 div (depth 4 of the page's 5), 2 p, 3 ul (depth 3), 4 and 6 li.
    page = (
        "<div>one two <p>three four five</p> "
        "<ul><li><a href=x>six</a></li> <li><a href=y>seven</a></li></ul></div>"
    )
    explanation = R4Extractor(c=2).explain(parse_page(page))
    # Deviations from the mean: words 3.5, 3, 0, 0, 0 around 1.3; links ½, 1, ½, 1, 1 around 0.8;
    # children 1, 0, 0, 0, 0 around 0.2; position ¼, 1, ⅔, 1, 1 around 0.783.
    # Squares of standardised values, summed: div 4.84/2.56 + 0.09/0.06 + 0.64/0.16 + 0.284/0.0886
    # = 10.60; p 2.89/2.56 + 0.04/0.06 + 0.04/0.16 + 0.047/0.0886 = 2.58; ul 1.69/2.56 + 0.09/0.06
    # + 0.25 + 0.0136/0.0886 = 2.56; li 1.69/2.56 + 0.04/0.06 + 0.25 + 0.047/0.0886 = 2.11.
    assert [node.number for node in explanation.nodes] == [1, 2, 3, 4, 6]
    first = _figures(explanation, explanation.nodes[0])
    assert (first["word"], first["link"], first["child"], first["pos"]) == (3.5, 0.5, 1, 0.25)
    assert first["dist"] == pytest.approx(10.60**0.5, abs=0.01)
    assert _figures(explanation, explanation.nodes[1])["dist"] == pytest.approx(1.606, abs=0.005)
    # c-SET: div with 7 words in 7 tags, p with 3 in 1
    assert [_figures(explanation, node)["c-SET"] for node in explanation.nodes] == [
        *("yes", "yes"),
        *("", "", ""),
    ]
    assert [node.number for node in explanation.nodes if node.is_chosen] == [2]
    assert "word 1.30 ± 1.60" in explanation.outcome


def test_a_candidate_dropped_for_the_text_of_its_ancestor_is_marked() -> None:
    explanation = R4Extractor().explain(parse_page("<div><div><p>one</p><p>two</p></div></div>"))
    marks = {node.number: _figures(explanation, node)["c-SET"] for node in explanation.nodes}
    assert (marks[1], marks[2]) == ("yes", "same")


@pytest.mark.parametrize(
    ("page", "outcome"),
    [
        pytest.param("<p>one</p><p>two</p>", "its depth, 1, is less than its width, 2", id="wide"),
        pytest.param("<h1>one</h1>two", "no node to rate", id="nothing to rate"),
        pytest.param("<p><img></p>", "no words", id="no words"),
    ],
)
def test_a_page_that_is_not_rated_says_why(page: str, outcome: str) -> None:
    explanation = R4Extractor().explain(parse_page(page))
    assert outcome in explanation.outcome
    assert not explanation.nodes


def _text(length: int) -> str:
    return "x" * length


def test_the_counts_density_and_density_sum_of_elements_are_shown() -> None:
    # As in test_density: body has 132 characters and 11 tags, density 12, the threshold.
    nav = "<div id=nav><a href=1>home</a><a href=2>news</a><a href=3>talk</a></div>"
    story = f"<div id=story><p>{_text(40)}</p><p>{_text(10)}</p><p>{_text(60)}</p></div>"
    foot = "<div id=foot><a href=4>about</a><span>legal</span></div>"
    explanation = DensitySumExtractor(text_density).explain(parse_page(nav + story + foot))
    assert explanation.columns == ("level", "C", "T", "LC", "LT", "density", "sum")
    best, *others = explanation.nodes
    assert best.figures == pytest.approx((2, 110, 3, 0, 0, 110 / 3, 110))
    assert best.is_chosen
    assert not any(node.is_chosen for node in others)
    figures = {node.number: node.figures for node in explanation.nodes}
    assert figures[1] == pytest.approx((2, 12, 3, 12, 3, 4, 12))
    assert figures[0] == pytest.approx((1, 132, 11, 17, 4, 12, 4 + 110 / 3 + 5))
    assert "threshold 12.00" in explanation.outcome


def test_the_smoothed_density_of_texts_is_shown() -> None:
    # As in test_density: body 188/11 = 17.09; the paragraphs are smoothed to 54.67, 42 and 54.67.
    story = f"<div id=story><p>{_text(80)}</p><p>four</p><p>{_text(80)}</p></div>"
    nav = f"<div id=nav>{'<a href=/>link</a>' * 6}</div>"
    explanation = SmoothingExtractor(text_density).explain(parse_page(story + nav))
    smoothed = [node.figures[-1] for node in explanation.nodes]
    assert smoothed == pytest.approx([164 / 3, 164 / 3, 42, *[4] * 6])
    assert [node.is_chosen for node in explanation.nodes] == [True] * 3 + [False] * 6
    assert "threshold 17.09" in explanation.outcome


def test_links_alone_have_no_content_to_explain() -> None:
    tree = parse_page("<a href=/>home</a><a href=/>news</a>")
    for extractor in (
        SmoothingExtractor(composite_text_density),
        DensitySumExtractor(composite_text_density),
    ):
        assert not any(node.is_chosen for node in extractor.explain(tree).nodes)


def _leaves_of(tree: PageTree, selection: Selection) -> Iterator[int]:
    outline = tree.outline
    for node in selection.nodes:
        if isinstance(node, TextLeaf):
            yield outline.leaves.index(node)
        else:
            index = outline.positions[node]
            yield from range(outline.leaf_starts[index], outline.leaf_ends[index])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("site", ["harbour-gazette", "stadtlicht", "signal-stack"])
def test_the_chosen_nodes_are_those_that_are_extracted(name: str, site: str) -> None:
    extractor = get_extractor(name)
    assert isinstance(extractor, Extractor)
    assert isinstance(extractor, Explainable)
    page = next(iter(read_pages(f"data/sites/{site}")))
    tree = parse_page(page.source)
    outline, size = tree.outline, len(tree.outline.elements)
    chosen: set[int] = set()
    for node in extractor.explain(tree).nodes:
        if node.is_chosen and node.number >= size:
            chosen.add(node.number - size)
        elif node.is_chosen:
            chosen.update(range(outline.leaf_starts[node.number], outline.leaf_ends[node.number]))
    assert chosen
    assert chosen == set(_leaves_of(tree, extractor.extract(tree)))
