"""CETR clusters lines of the tree by smoothed tag ratio and steepness."""

from __future__ import annotations

import numpy as np
import pytest

from forest_crawler.extraction.methods.cetr import (
    TagRatioExtractor,
    cluster,
    read_lines,
    smooth,
    steepness,
)
from forest_crawler.page.tree import parse_page


def test_a_line_is_a_block_with_its_inline_tags() -> None:
    lines = read_lines(
        parse_page("<body><div><p>Hello <b>big</b> world</p>tail<br>more</div></body>")
    )
    # <body> | <div> | <p>Hello <b>big</b> world</p> | tail<br> | more</div> | </body>
    assert lines.chars == [0, 0, 5 + 3 + 5, 4, 4, 0]
    assert lines.tags == [1, 1, 4, 1, 1, 1]
    assert lines.leaf_ends == [0, 0, 3, 4, 5, 5]


def test_a_page_without_line_breaks_has_the_lines_of_the_same_page_with_them() -> None:
    page = "<body><ul><li>One</li>{0}<li>Two</li>{0}</ul>{0}<p>Three</p></body>"
    flat, broken = (read_lines(parse_page(page.format(blank))) for blank in ("", "\n\n  "))
    assert (flat.chars, flat.tags) == (broken.chars, broken.tags)
    # <body> | <ul> | <li>One</li> | <li>Two</li> | </ul> | <p>Three</p> | </body>
    assert flat.chars == [0, 0, 3, 3, 0, 5, 0]


def test_smoothing_is_gaussian() -> None:
    # exp(-x²/2) is 1, 0.60653, 0.13534 at 0, 1, 2; the sum of all five is 2.48374.
    assert smooth(np.array([0, 0, 0, 2.48374, 0, 0])) == pytest.approx(
        [0, 0.13534, 0.60653, 1, 0.60653, 0.13534], abs=1e-4
    )


def test_steepness_is_the_distance_to_the_mean_of_the_next_three() -> None:
    # |mean(0, 0, 6) - 0|, |mean(0, 6, 0) - 0|, |mean(6, 0, 0) - 0|, |mean(0, 0, 0) - 6|
    assert steepness(np.array([0.0, 0, 0, 6])) == pytest.approx(smooth(np.array([2.0, 2, 2, 6])))


def test_clusters_start_far_apart() -> None:
    # Centres: the origin, (20, 0) as the farthest, then (10, 0): 10 from both, while (11, 1) is
    # 9.06 from (20, 0). (11, 1) falls to (10, 0), (1, 0) to the origin.
    points = np.array([[0.0, 0], [1, 0], [10, 0], [11, 1], [20, 0]])
    assert cluster(points, 3).tolist() == [0, 0, 2, 2, 1]


def test_the_first_cluster_stays_at_the_origin() -> None:
    # Centres 0 and 100: 52 goes to 100, whose centre becomes 76; then 40 and 45 are nearer to 76
    # than to 0. Had the first centre moved to their mean, 28.3, they would have stayed with it.
    points = np.array([[0.0, 0], [40, 0], [45, 0], [52, 0], [100, 0]])
    assert cluster(points, 2).tolist() == [0, 1, 1, 1, 1]


def test_paragraphs_are_distinguished_from_a_menu() -> None:
    # A menu line has 4 characters by 4 tags, ratio 1; a paragraph 120 by 2, ratio 60. The blur
    # reaches two lines, so menu items at a distance of three or more keep a ratio of about 1.
    menu = "<li><a href=/>Link</a></li>" * 8
    text = "word " * 23 + "final"
    tree = parse_page(f"<body><ul>{menu}</ul>" + f"<p>{text}</p>" * 6 + f"<ul>{menu}</ul></body>")
    found = TagRatioExtractor().extract(tree).text.splitlines()
    assert found.count(text) == 6
    assert found.count("Link") <= 4
