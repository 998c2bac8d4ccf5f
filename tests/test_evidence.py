"""What sibling pages say of each other's blocks; every text leaf is a block here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import exp, log

import numpy as np
import pytest

from forest_crawler.evidence import BlockScores, EvidenceOptions, count_words, join_evidence
from forest_crawler.locators import PageNames
from forest_crawler.tree import parse_page

# One kind of evidence at a time, and no sharpening: expected values are those given.
REPETITION = EvidenceOptions(places=False, sharpness=1.0, repeated_content=0.03)
PLACES = EvidenceOptions(repetition=False, sharpness=1.0)
NAV = "<ul id=nav><li>home news contact</li></ul>"
TEMPLATE = 0.03


def scores(html: str, content: Sequence[float]) -> BlockScores:
    tree = parse_page(html)
    outline = tree.outline
    assert len(outline.leaves) == len(content)
    bounds = list(range(len(content) + 1))
    return BlockScores(tree, bounds, outline.leaf_owners, np.array(content, dtype=np.float64))


def join(options: EvidenceOptions, *pages: tuple[str, Sequence[float]]) -> list[list[float]]:
    made = [scores(html, content) for html, content in pages]
    names = [PageNames(page.tree.outline) for page in made]
    return [[round(float(v), 6) for v in page] for page in join_evidence(made, names, options)]


def mean_of_odds(*chances: float) -> float:
    odds = sum(log(chance / (1 - chance)) for chance in chances) / len(chances)
    return round(1 / (1 + exp(-odds)), 6)


def article(name: str) -> str:
    """Fifteen words: long enough to make a page a copy."""
    return " ".join(f"{name}{number}" for number in range(15))


def test_text_repeated_at_the_same_place_is_template() -> None:
    first = (f"{NAV}<p>alpha beta</p>", [0.9, 0.8])
    second = (f"{NAV}<p>gamma delta</p>", [0.7, 0.6])
    assert join(REPETITION, first, second) == [[TEMPLATE, 0.8], [TEMPLATE, 0.6]]


def test_case_and_punctuation_do_not_hide_a_repetition() -> None:
    first, second = ("<p>Read more …</p>", [0.9]), ("<p>READ MORE!</p>", [0.9])
    assert join(REPETITION, first, second) == [[TEMPLATE], [TEMPLATE]]


def test_a_title_in_another_pages_related_list_is_no_template() -> None:
    first = ("<h1>alpha beta</h1><ul><li>gamma delta</li></ul>", [0.9, 0.2])
    second = ("<h1>gamma delta</h1><ul><li>alpha beta</li></ul>", [0.9, 0.2])
    assert join(REPETITION, first, second) == [[0.9, 0.2], [0.9, 0.2]]


def test_text_that_one_page_repeats_is_no_template() -> None:
    first = ("<p>alpha beta</p><p>alpha beta</p>", [0.9, 0.9])
    second = ("<p>gamma delta</p>", [0.8])
    assert join(REPETITION, first, second) == [[0.9, 0.9], [0.8]]


def test_blocks_without_words_are_not_taken_for_repeated_text() -> None:
    first, second = ("<p>—</p>", [0.6]), ("<p>…</p>", [0.6])
    assert join(REPETITION, first, second) == [[0.6], [0.6]]


def test_an_id_of_one_page_does_not_set_its_place_apart() -> None:
    first, second = (("<div id=post-1>alpha</div>", [0.9]), ("<div id=post-2>alpha</div>", [0.9]))
    assert join(REPETITION, first, second) == [[TEMPLATE], [TEMPLATE]]


def test_classes_that_pages_share_set_places_apart() -> None:
    first = ("<div class=a>alpha</div><div class=b>beta</div>", [0.9, 0.9])
    second = ("<div class=b>alpha</div><div class=a>gamma</div>", [0.9, 0.9])
    assert join(REPETITION, first, second) == [[0.9, 0.9], [0.9, 0.9]]


def test_copies_of_an_article_are_no_template_to_each_other() -> None:
    # The menu is on a third page too, the article on its copy only.
    copies = [(f"{NAV}<p>{article('a')}</p>", [0.4, 0.9])] * 2
    other = (f"{NAV}<p>{article('b')}</p>", [0.4, 0.9])
    assert join(REPETITION, *copies, other) == [[TEMPLATE, 0.9]] * 3


def test_a_long_notice_on_all_pages_makes_them_no_copies() -> None:
    # 15 words of notice against 30 of its own article on each page.
    pages = [
        (f"<p>{article('notice')}</p><div>{article(name)} {article(name * 2)}</div>", [0.9, 0.9])
        for name in "ab"
    ]
    assert join(REPETITION, *pages) == [[TEMPLATE, 0.9]] * 2


@pytest.mark.parametrize("flip", [False, True], ids=["short-first", "long-first"])
def test_the_order_of_pages_makes_no_difference_to_copies(flip: bool) -> None:
    # The long page has the short one's 15 words, and 30 others: half of itself it is not.
    short = (f"<p>{article('a')}</p>", [0.9])
    long = (f"<p>{article('a')}</p><div>{article('b')} {article('c')}</div>", [0.9, 0.9])
    pages = [long, short] if flip else [short, long]
    found = join(REPETITION, *pages)
    assert (found[::-1] if flip else found) == [[TEMPLATE], [TEMPLATE, 0.9]]


@pytest.mark.parametrize("order", [*permutations(["abc", "bcd", "cde"])], ids="-".join)
def test_copies_of_copies_are_copies(order: tuple[str, ...]) -> None:
    # Neighbours share 30 words of 45, the ends 15: too few, but the page between joins them.
    pages = [
        ("<b>note</b>" + "".join(f"<p>{article(name)}</p>" for name in names), [0.7, 0.9, 0.9, 0.9])
        for names in order
    ]
    assert join(REPETITION, *pages) == [[0.7, 0.9, 0.9, 0.9]] * 3


@pytest.mark.parametrize(
    ("words", "mean"),
    [
        pytest.param((2, 2), 0.7, id="equal"),
        pytest.param((3, 1), 0.8, id="by-words"),  # (3 · 0.9 + 1 · 0.5) / 4
        pytest.param((120, 20), 0.8, id="long-text-is-one-voice"),  # (60 · 0.9 + 20 · 0.5) / 80
    ],
)
def test_blocks_at_one_place_are_judged_together(words: tuple[int, int], mean: float) -> None:
    first, second = ("<p>" + " ".join(["x"] * count) + "</p>" for count in words)
    assert join(PLACES, (first, [0.9]), (second, [0.5])) == [
        [mean_of_odds(0.9, mean)],
        [mean_of_odds(0.5, mean)],
    ]


def test_a_place_of_one_page_is_judged_alone() -> None:
    first = ("<div>alpha</div><p>beta</p><p>gamma</p>", [0.9, 0.7, 0.5])
    second = ("<div>delta</div>", [0.9])
    assert join(PLACES, first, second) == [[0.9, 0.7, 0.5], [0.9]]


def test_repeated_text_speaks_against_its_place() -> None:
    # Two of the place's four blocks, all of one word, are template: (2 · 0.9 + 2 · 0.03) / 4.
    options = EvidenceOptions(sharpness=1.0, repeated_content=0.03)
    first, second = (("<p>again</p><p>alpha</p>", [0.9, 0.9]), ("<p>again</p><p>b</p>", [0.9, 0.9]))
    expected = [TEMPLATE, mean_of_odds(0.9, 0.465)]
    assert join(options, first, second) == [expected, expected]


def test_sharpness_makes_a_judgement_surer() -> None:
    # Odds of 9 to 1, three times: 729 to 1.
    options = EvidenceOptions(repetition=False, places=False, sharpness=3.0)
    assert join(options, ("<p>alpha</p>", [0.9])) == [[round(729 / 730, 6)]]


def test_no_judgement_is_taken_for_certain() -> None:
    assert join(REPETITION, ("<p>alpha</p><p>beta</p>", [0.0, 1.0])) == [[0.02, 0.98]]


def test_japanese_text_counts_words() -> None:
    # 灯台 台の の光: overlapping pairs stand for words.
    tree = parse_page("<p>灯台の光</p><p>two words</p><p>—</p>")
    assert count_words(tree).tolist() == [3, 2, 0]


def test_values_of_blocks_are_spread_over_their_leaves() -> None:
    tree = parse_page("<p>one <b>two</b> three</p><p>four</p>")
    page = BlockScores(tree, [0, 3, 4], [1, 3], np.array([0.9, 0.1]))
    assert page.per_leaf(page.content).tolist() == [0.9, 0.9, 0.9, 0.1]
