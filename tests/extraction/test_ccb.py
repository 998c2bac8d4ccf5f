"""Content code blurring finds long stretches of words."""

from __future__ import annotations

import numpy as np
import pytest

from forest_crawler.extraction.methods.ccb import (
    MAX_STABLE_CHANGE,
    ContentCodeBlurring,
    blur_until_stable,
)
from forest_crawler.page.tree import parse_page


def test_a_value_becomes_the_gaussian_mean_of_its_neighbourhood() -> None:
    # Radius 1 is three standard deviations: weights exp(-4.5) = 0.011109, 1, 0.011109, of sum
    # 1.022218, so 0.010868 and 0.978265. The first round changes the middle by 0.0217 only.
    assert blur_until_stable(np.array([0.0, 0, 1, 0, 0]), 1) == pytest.approx(
        [0, 0.010868, 0.978265, 0.010868, 0], abs=1e-6
    )


def test_the_ends_of_the_page_do_not_darken() -> None:
    assert blur_until_stable(np.ones(7), 3) == pytest.approx(np.ones(7))


def test_a_page_shorter_than_the_kernel_keeps_its_length() -> None:
    # Each token averages both: their weights differ only by a distance of 1 in a radius of 25.
    ratios = blur_until_stable(np.array([1.0, 0.0]), 25)
    assert ratios == pytest.approx([0.5, 0.5], abs=MAX_STABLE_CHANGE)


def test_blurring_is_repeated_until_stable() -> None:
    # Ten tags, ten words, radius 2: weights 0.0066, 0.1942, 0.5982, 0.1942, 0.0066. After one
    # round the first word has 1 - 0.1942 - 0.0066 = 0.799, a change of 0.2; in the second round
    # it goes down further, towards one half.
    vector = np.array([0.0] * 10 + [1.0] * 10)
    assert 0.5 < blur_until_stable(vector, 2)[10] < 0.79


def test_a_paragraph_is_distinguished_from_a_menu() -> None:
    # In the menu one token in five is a word, far below 0.75 however it is blurred. In the
    # paragraph only the words near its ends see tags; most of its 40 keep a ratio of 1.
    words = " ".join(f"w{i}" for i in range(40))
    menu = "<ul>" + "<li><a href=/>Link</a></li>" * 8 + "</ul>"
    tree = parse_page(f"<body>{menu}<p>{words}</p>{menu}</body>")
    assert ContentCodeBlurring(radius=5).extract(tree).text == words


def test_the_threshold_decides_how_many_tags_a_text_may_have() -> None:
    # <b> word </b> word over and over: half of the tokens are words.
    tree = parse_page("<body><p>" + "<b>a</b> c " * 100 + "</p></body>")
    assert not ContentCodeBlurring(threshold=0.6).extract(tree)
    assert ContentCodeBlurring(threshold=0.4).extract(tree)
