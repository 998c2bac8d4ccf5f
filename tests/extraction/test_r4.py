"""Points in R4: ratios, distances and choices, by hand from the paper's definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from forest_crawler.extraction.methods.r4 import (
    R4Extractor,
    choose_main,
    count_nodes,
    find_farthest,
    find_rated,
    rate_nodes,
    reduce_candidates,
    standardise,
)
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import parse_page
from forest_crawler.page.xpath import Element

SENTENCE = "The ferry came back to the harbour late that night. "


def _ids(selection: Selection) -> list[str | None]:
    return [node.get("id") for node in selection.nodes if isinstance(node, Element)]


# 0 body, 1 div, 2 p, 3 ul, 4 li, 5 a, 6 li, 7 a
SMALL = (
    "<div>one two <p>three four five</p> "
    "<ul><li><a href=x>six</a></li> <li><a href=y>seven</a></li></ul></div>"
)


def test_elements_are_rated_by_words_links_children_and_position() -> None:
    outline = parse_page(SMALL).outline
    ratios = rate_nodes(outline, count_nodes(outline))
    # Subtrees: body has depth 5 (div, ul, li, a, text), div 4, ul 3, li 2, p and a 1. So the ratio
    # is 1 up to depth 2, then 5/depth − 1.
    expected = [
        [2 / 2 + 3 / 3, 1 / 2, 0, 5 / 5 - 1],  # body: one child
        [2 / 1 + 3 / 2, 1 / 2, 1, 5 / 4 - 1],  # div: a text and two elements
        [3 / 1, 1, 0, 1],  # p: no link
        [0, 1 / 2, 0, 5 / 3 - 1],  # ul: all words are directly in links; two children
        [0, 1, 0, 1],  # li: one link
        [0, 1, 0, 1],
        [0, 1, 0, 1],
        [0, 1, 0, 1],
    ]
    assert ratios == pytest.approx(np.array(expected))


def test_neither_leaves_nor_inline_and_heading_tags_are_rated() -> None:
    page = "<header>a</header><nav>b</nav><div>c<br><hr><img><span>d</span><em>e</em></div><p></p>"
    outline = parse_page(f"{page}<h1>f</h1><h5>g</h5><h6>h</h6><td>").outline
    rated = find_rated(count_nodes(outline))
    assert [outline.elements[i].tag for i in rated] == ["div", "h6"]


def test_ratios_are_standardised_by_mean_and_deviation() -> None:
    # mean 2, deviation sqrt(2/3); the second ratio is one third for all
    points = standardise(np.array([[1, 1 / 3], [2, 1 / 3], [3, 1 / 3]]))
    step = math.sqrt(3 / 2)
    assert points == pytest.approx(np.array([[-step, 0], [0, 0], [step, 0]]))


@pytest.mark.parametrize(
    ("c", "expected"), [(1, [1]), (2, [1, 3]), (3, [1, 2, 3]), (9, [0, 1, 2, 3])]
)
def test_the_farthest_points_are_candidates_on_a_tie_the_first(c: int, expected: list[int]) -> None:
    # distances 0, 5, 1, 5
    points = np.array([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0], [0.0, -5.0]])
    assert find_farthest(points, c).tolist() == expected


def test_a_candidate_with_the_texts_of_an_ancestor_is_dropped() -> None:
    # 0 body, 1 div, 2 img, 3 div, 4 p, 5 p: both divs have both texts, the paragraphs one each
    outline = parse_page("<div><img><div><p>one</p><p>two</p></div></div>").outline
    assert reduce_candidates(outline, [1, 3, 5]) == [1, 5]


CHOICES = (
    # 1 div: 6 words, 3 tags; 2 p: 2 words; 3 p: 4 words
    "<div><p>one two</p><p>three four five six</p></div>"
    # 4 div: 5 words, 2 tags; 5 p: 5 words
    "<div><p>one two three four five</p></div>"
)


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        pytest.param([1, 5], [5], id="5 words per tag before 2"),
        pytest.param([1, 3], [3], id="a part before the whole"),
        pytest.param([2, 3, 4], [2, 3], id="siblings are included"),
        pytest.param([1, 2], [1, 2], id="a tie"),
        pytest.param([], [], id="none"),
    ],
)
def test_the_candidates_with_most_words_per_tag_are_the_main_content(
    candidates: list[int], expected: list[int]
) -> None:
    outline = parse_page(CHOICES).outline
    assert choose_main(outline, count_nodes(outline), candidates) == expected


def test_candidates_without_words_are_not_main_content() -> None:
    outline = parse_page("<div><p><img></p></div>").outline
    assert choose_main(outline, count_nodes(outline), [1, 2]) == []


@pytest.mark.parametrize(
    ("page", "is_whole"),
    [
        pytest.param("<p>one</p><p>two</p>", True, id="depth 1, two children"),
        pytest.param("<p>one</p>", False, id="depth 1, one child"),
        pytest.param("<div><p>one</p></div><p>two</p>", False, id="depth 2, two children"),
        pytest.param(
            "<div><a><p>one</p></a></div><p>two</p><p>three</p>", True, id="depth 2, three"
        ),
        pytest.param("<p>one</p><h1>two</h1><br>three", False, id="others are not counted"),
        pytest.param("<h1>one</h1>two", True, id="none to rate"),
        pytest.param("<text><p>one</p><p>two</p></text>", True, id="an envelope around the page"),
        pytest.param("<text><p>one</p></text><p>two</p>", False, id="an element beside it"),
        pytest.param("<text><p>one</p><p>two</p></text>three", False, id="text beside it"),
        pytest.param("<div><p>one</p><p>two</p></div>", False, id="a div is part of the page"),
    ],
)
def test_a_page_wider_than_deep_is_content_as_a_whole(page: str, is_whole: bool) -> None:
    tree = parse_page(page)
    assert (R4Extractor().extract(tree).nodes == (tree.body,)) is is_whole


def _page(inside: str) -> str:
    """Make a page whose story has most words per tag among the elements that stand out."""
    menu = "".join(f"<li><div><a href=/{i}>Topic {i}</a></div></li>" for i in range(20))
    story = "".join(f"<p>{SENTENCE * 3}</p>" for _ in range(6))
    return (
        f"<div><div><ul>{menu}</ul></div><div><div id=story>{story}{inside}</div></div>"
        f"<div><ul>{menu}</ul></div></div>"
    )


def test_an_article_is_found_with_its_images() -> None:
    selection = R4Extractor().extract(parse_page(_page("<p><img src=ship.jpg></p>")))
    assert _ids(selection) == ["story"]
    assert "ship.jpg" in selection.html


def _links(count: int) -> str:
    return "".join(f"<a href=/{i}>more</a> " for i in range(count))


@pytest.mark.parametrize(
    ("inside", "is_kept"),
    [
        # 8 · 4 characters in links
        pytest.param(f"<p>{_links(8)}</p>", False, id="eight links and no other text"),
        pytest.param(f"<p>{_links(7)}</p>", True, id="seven links"),
        # (32 + 64) / 64 is 1.5, (32 + 63) / 63 is above
        pytest.param(f"<p>{_links(8)}{'x' * 64}</p>", True, id="a text ratio of tr"),
        pytest.param(f"<p>{_links(8)}{'x' * 63}</p>", False, id="a text ratio above tr"),
        pytest.param("<ul><li><a>more</a><li><a>more</a></ul>", False, id="a list of links"),
        pytest.param("<ul><li><a>more</a><li>more</ul>", True, id="a list not only of links"),
        pytest.param("<ul><li><a>more</a> now<li><a>more</a></ul>", True, id="links with text"),
        pytest.param("<ul>now<li><a>more</a></ul>", True, id="text among links"),
        pytest.param("<ul><li><a><img>more</a></ul>", True, id="links with images"),
        pytest.param("<ul><li><a><video></video>more</a></ul>", True, id="links with media"),
        pytest.param("<div><p><a>more</a></p><b><a>x</a></b></div>", True, id="different tags"),
    ],
)
def test_groups_of_links_are_not_part_of_the_content(inside: str, is_kept: bool) -> None:
    selection = R4Extractor().extract(parse_page(_page(inside)))
    assert _ids(selection) == ["story"]
    assert ("more" in selection.text) is is_kept


def test_the_thresholds_for_groups_of_links_are_options() -> None:
    page = parse_page(_page(f"<p>{_links(7)}</p>"))
    assert "more" not in R4Extractor(hr=6).extract(page).text
    page = parse_page(_page(f"<p>{_links(8)}{'x' * 63}</p>"))
    assert "more" in R4Extractor(tr=2).extract(page).text


def test_a_page_of_links_keeps_them() -> None:
    links = "<ul><li><a href=1>Topic</a></li><li><a href=2>Topic</a></li></ul>"
    tree = parse_page(f"<div><div><div>{links * 2}</div></div></div>")
    assert "Topic" in R4Extractor().extract(tree).text
