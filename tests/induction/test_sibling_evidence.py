"""Compare the blocks of sibling pages; every text leaf is a block here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import sqrt

import numpy as np
import pytest

from forest_crawler.induction.sibling_evidence import (
    BlockScores,
    SiblingOptions,
    count_words,
    join_evidence,
)
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.element_names import PageNames

# One kind of evidence at a time, and no sharpening: the expected odds are those given, divided by
# the odds of the page's threshold. E of the page's W words are expected to be content. If T words
# are taken, with R expected words of content, F1 is 2R / (T + E). At the greatest F1 the threshold
# is R / (T + E); its odds are R to T + E - R. If all blocks of a page have the same probability p,
# the whole page is taken and R = E: the odds are p · W to W, so its blocks get odds of p / (1 - p)
# / p = 1 / (1 - p), which is 10 to 1 for p = 0.9.
REPETITION = SiblingOptions(positions=False, sharpness=1.0, repeated_content=0.03)
POSITIONS = SiblingOptions(repetition=False, sharpness=1.0)
NAV = "<ul id=nav><li>home news contact</li></ul>"
TEMPLATE = 0.03
TEN_TO_ONE = round(10 / 11, 6)


def scores(html: str, content: Sequence[float]) -> BlockScores:
    tree = parse_page(html)
    outline = tree.outline
    assert len(outline.leaves) == len(content)
    bounds = list(range(len(content) + 1))
    return BlockScores(tree, bounds, outline.leaf_owners, np.array(content, dtype=np.float64))


def join(options: SiblingOptions, *pages: tuple[str, Sequence[float]]) -> list[list[float]]:
    made = [scores(html, content) for html, content in pages]
    names = [PageNames(page.tree.outline) for page in made]
    return [
        [round(float(v), 6) for v in page.content] for page in join_evidence(made, names, options)
    ]


def chance(odds: float) -> float:
    return round(odds / (1 + odds), 6)


def article(name: str) -> str:
    """Make fifteen words: enough to recognise copies by."""
    return " ".join(f"{name}{number}" for number in range(15))


def test_text_repeated_at_the_same_position_is_template() -> None:
    first = (f"{NAV}<p>alpha beta</p>", [0.9, 0.8])
    second = (f"{NAV}<p>gamma delta</p>", [0.7, 0.6])
    # Three words of template, two of text: E = 3 · 0.03 + 2 · 0.8 = 1.69, and the text alone gives
    # the greatest F1, so the threshold's odds are 1.6 to 2 + 1.69 - 1.6 = 2.09. On the second page
    # E = 0.09 + 1.2, and they are 1.2 to 2.09.
    assert join(REPETITION, first, second) == [
        [TEMPLATE, chance(4 * 2.09 / 1.6)],
        [TEMPLATE, chance(1.5 * 2.09 / 1.2)],
    ]


def test_case_and_punctuation_do_not_hide_a_repetition() -> None:
    first, second = ("<p>Read more …</p>", [0.9]), ("<p>READ MORE!</p>", [0.9])
    assert join(REPETITION, first, second) == [[TEMPLATE], [TEMPLATE]]


def test_a_title_in_another_pages_related_list_is_not_template() -> None:
    first = ("<h1>alpha beta</h1><ul><li>gamma delta</li></ul>", [0.9, 0.2])
    second = ("<h1>gamma delta</h1><ul><li>alpha beta</li></ul>", [0.9, 0.2])
    # E = 1.8 + 0.4, the title alone is best: 1.8 to 2 + 2.2 - 1.8 = 2.4, that is 3 to 4.
    # 9 · 4/3 = 12 to 1 for the title, 1/4 · 4/3 = 1 to 3 for the list.
    assert join(REPETITION, first, second) == [[chance(12), 0.25]] * 2


def test_text_repeated_on_one_page_only_is_not_template() -> None:
    first = ("<p>alpha beta</p><p>alpha beta</p>", [0.9, 0.9])
    second = ("<p>gamma delta</p>", [0.8])
    assert join(REPETITION, first, second) == [[TEN_TO_ONE] * 2, [chance(5)]]


def test_blocks_without_words_are_not_repeated_text() -> None:
    # They don't move the threshold either: it is one half.
    first, second = ("<p>—</p>", [0.6]), ("<p>…</p>", [0.6])
    assert join(REPETITION, first, second) == [[0.6], [0.6]]


def test_an_id_of_a_single_page_does_not_distinguish_its_position() -> None:
    first, second = (("<div id=post-1>alpha</div>", [0.9]), ("<div id=post-2>alpha</div>", [0.9]))
    assert join(REPETITION, first, second) == [[TEMPLATE], [TEMPLATE]]


def test_classes_that_pages_share_distinguish_positions() -> None:
    first = ("<div class=a>alpha</div><div class=b>beta</div>", [0.9, 0.9])
    second = ("<div class=b>alpha</div><div class=a>gamma</div>", [0.9, 0.9])
    assert join(REPETITION, first, second) == [[TEN_TO_ONE] * 2] * 2


def test_pages_of_two_builds_have_the_same_positions() -> None:
    # Each build has two pages, so the names with its hash are shared, too.
    first, second = "AdSlot_root__x7Kd2", "AdSlot_root__UiOQ5"
    pages = [
        (f"<div class={name}>read {word}</div>", [0.9])
        for name, word in ((first, "alpha"), (first, "beta"), (second, "alpha"), (second, "gamma"))
    ]
    found = join(REPETITION, *pages)
    assert [page == [TEMPLATE] for page in found] == [True, False, True, False]


def test_built_names_with_another_start_distinguish_positions() -> None:
    first = "<div class=AdSlot_root__x7Kd2>alpha</div><div class=Body_root__x7Kd2>beta</div>"
    second = "<div class=Body_root__UiOQ5>alpha</div><div class=AdSlot_root__UiOQ5>gamma</div>"
    assert join(REPETITION, (first, [0.9, 0.9]), (second, [0.9, 0.9])) == [[TEN_TO_ONE] * 2] * 2


def test_what_copies_of_an_article_share_is_not_template() -> None:
    # The menu is on a third page too, the article on its copy only. E = 3 · 0.03 + 15 · 0.9, the
    # article alone is best: 13.5 to 15 + 0.09.
    copies = [(f"<title>Sea</title>{NAV}<p>{article('a')}</p>", [0.4, 0.9])] * 2
    other = (f"<title>Sun</title>{NAV}<p>{article('b')}</p>", [0.4, 0.9])
    assert join(REPETITION, *copies, other) == [[TEMPLATE, chance(9 * 15.09 / 13.5)]] * 3


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        # E = 30 · 0.03 + 15 · 0.9; the article alone is best: 13.5 to 15 + 0.9.
        pytest.param(("Sea", "Sun"), [TEMPLATE, chance(9 * 15.9 / 13.5)], id="other-title"),
        pytest.param(("Sea", ""), [TEMPLATE, chance(9 * 15.9 / 13.5)], id="one-without-title"),
        pytest.param(("Sea", "Sea"), [TEN_TO_ONE] * 2, id="same-title"),
        pytest.param(("Sea!", "SEA"), [TEN_TO_ONE] * 2, id="same-words-in-title"),
    ],
)
def test_pages_with_a_long_common_sidebar_are_copies_only_if_titles_agree(
    titles: tuple[str, str], expected: list[float]
) -> None:
    # 30 words of sidebar that look like content, against 15 of each page's own.
    sidebar = f"<div>{article('x')} {article('y')}</div>"
    pages = [
        (f"<title>{title}</title>{sidebar}<p>{article(name)}</p>", [0.9, 0.9])
        for title, name in zip(titles, "ab", strict=True)
    ]
    assert join(REPETITION, *pages) == [expected] * 2


def test_pages_with_a_long_common_notice_are_not_copies() -> None:
    # 15 words of notice against 30 of its own article on each page; neither has a title.
    # E = 15 · 0.03 + 30 · 0.9; the article alone is best: 27 to 30 + 0.45.
    pages = [
        (f"<p>{article('notice')}</p><div>{article(name)} {article(name * 2)}</div>", [0.9, 0.9])
        for name in "ab"
    ]
    assert join(REPETITION, *pages) == [[TEMPLATE, chance(9 * 30.45 / 27)]] * 2


@pytest.mark.parametrize("flip", [False, True], ids=["short-first", "long-first"])
def test_the_order_of_pages_makes_no_difference_to_copies(flip: bool) -> None:
    # The long page has the short one's 15 words and 30 others: less than half is common.
    # Its threshold: 27 to 30 + 15 · 0.03.
    short = (f"<p>{article('a')}</p>", [0.9])
    long = (f"<p>{article('a')}</p><div>{article('b')} {article('c')}</div>", [0.9, 0.9])
    pages = [long, short] if flip else [short, long]
    found = join(REPETITION, *pages)
    expected = [[TEMPLATE], [TEMPLATE, chance(9 * 30.45 / 27)]]
    assert (found[::-1] if flip else found) == expected


@pytest.mark.parametrize("order", [*permutations(["abc", "bcd", "cde"])], ids="-".join)
def test_copies_of_copies_are_copies(order: tuple[str, ...]) -> None:
    # Neighbours share 30 of 45 words; abc and cde share only 15, but bcd joins them.
    # E = 0.7 + 45 · 0.9 = 41.2. All 46 words give F1 82.4 / 87.2 = 0.945, without the note it is
    # 81 / 86.2 = 0.940: the threshold's odds are 41.2 to 46.
    pages = [
        ("<b>note</b>" + "".join(f"<p>{article(name)}</p>" for name in names), [0.7, 0.9, 0.9, 0.9])
        for names in order
    ]
    text = chance(9 * 46 / 41.2)
    assert join(REPETITION, *pages) == [[chance(7 / 3 * 46 / 41.2), text, text, text]] * 3


@pytest.mark.parametrize(
    ("words", "mean"),
    [
        pytest.param((2, 2), 0.7, id="equal"),
        pytest.param((3, 1), 0.8, id="by-words"),  # (3 · 0.9 + 1 · 0.5) / 4
        pytest.param((120, 20), 0.8, id="long-text-capped"),  # (60 · 0.9 + 20 · 0.5) / 80
    ],
)
def test_blocks_at_one_position_are_judged_together(words: tuple[int, int], mean: float) -> None:
    # The mean of two log odds is the log of x, the root of the odds' product. Each page has one
    # block, of probability x / (1 + x), so its odds are 1 / (1 - x / (1 + x)) = 1 + x.
    first, second = ("<p>" + " ".join(["x"] * count) + "</p>" for count in words)
    position = mean / (1 - mean)
    assert join(POSITIONS, (first, [0.9]), (second, [0.5])) == [
        [chance(1 + sqrt(9 * position))],
        [chance(1 + sqrt(1 * position))],
    ]


def test_a_position_on_a_single_page_is_judged_alone() -> None:
    first = ("<div>alpha</div><p>beta</p><p>gamma</p>", [0.9, 0.7, 0.5])
    second = ("<div>delta</div>", [0.9])
    # E = 2.1, all three words are best (4.2 / 5.1): the threshold's odds are 2.1 to 3.
    alone = [chance(9 / 0.7), chance(7 / 3 / 0.7), chance(1 / 0.7)]
    assert join(POSITIONS, first, second) == [alone, [TEN_TO_ONE]]


def test_repeated_text_lowers_the_probability_of_its_position() -> None:
    # The position has four blocks of one word, two of them template: (2 · 0.9 + 2 · 0.03) / 4 =
    # 0.465. The others have odds x, the root of 9 · 0.465 / 0.535, so q = x / (1 + x);
    # E = q + 0.03, one word is best: q to 1 + 0.03. x · 1.03 / q = 1.03 · (1 + x).
    options = SiblingOptions(sharpness=1.0, repeated_content=0.03)
    first, second = (("<p>again</p><p>alpha</p>", [0.9, 0.9]), ("<p>again</p><p>b</p>", [0.9, 0.9]))
    expected = [TEMPLATE, chance(1.03 * (1 + sqrt(9 * 0.465 / 0.535)))]
    assert join(options, first, second) == [expected, expected]


@pytest.mark.parametrize(
    ("repetition", "expected"),
    [
        # E = 20 · 0.9 + 10 · 0.3 = 21; the sidebar alone gives F1 36 / 41, all words 42 / 51. The
        # threshold's odds are 18 to 20 + 21 - 18 = 23, and the text has 3/7 · 23/18 = 23 to 42.
        pytest.param(False, [chance(9 * 23 / 18), chance(23 / 42)], id="beside-a-likelier-block"),
        # E = 20 · 0.03 + 10 · 0.3; the text alone is best: 3 to 10 + 0.6. 3/7 · 10.6/3 = 10.6 to 7.
        pytest.param(True, [TEMPLATE, chance(10.6 / 7)], id="beside-template"),
    ],
)
def test_beside_template_a_lower_probability_is_enough_for_content(
    repetition: bool, expected: list[float]
) -> None:
    options = SiblingOptions(repetition=repetition, positions=False, sharpness=1.0)
    sidebar = " ".join(f"side{number}" for number in range(20))
    texts = [" ".join(f"{name}{number}" for number in range(10)) for name in "ab"]
    first, second = (
        (f"<title>{text[0]}</title><div>{sidebar}</div><p>{text}</p>", [0.9, 0.3]) for text in texts
    )
    assert join(options, first, second) == [expected] * 2
    assert (expected[1] >= 0.5) == repetition


@pytest.mark.parametrize(
    ("sharpness", "expected"),
    [
        # E = 1.8 + 0.4, the first block alone is best: 1.8 to 2.4, that is 3 to 4. The odds of 9
        # and 1/4 become 12 and 1/3: once, or three times.
        pytest.param(1.0, [chance(12), chance(1 / 3)], id="once"),
        pytest.param(3.0, [chance(1728), chance(1 / 27)], id="three-times"),
    ],
)
def test_sharpness_moves_probabilities_away_from_one_half(
    sharpness: float, expected: list[float]
) -> None:
    options = SiblingOptions(repetition=False, positions=False, sharpness=sharpness)
    assert join(options, ("<p>alpha beta</p><p>gamma delta</p>", [0.9, 0.2])) == [expected]


def test_no_probability_counts_as_certain() -> None:
    # Taking the certain block gives an F1 of 1: the threshold is one half and changes nothing.
    assert join(REPETITION, ("<p>alpha</p><p>beta</p>", [0.0, 1.0])) == [[0.02, 0.98]]


def test_japanese_text_counts_words() -> None:
    # 灯台 台の の光: overlapping pairs of characters count as words.
    tree = parse_page("<p>灯台の光</p><p>two words</p><p>—</p>")
    assert count_words(tree).tolist() == [3, 2, 0]


def test_values_of_blocks_are_spread_over_their_leaves() -> None:
    tree = parse_page("<p>one <b>two</b> three</p><p>four</p>")
    page = BlockScores(tree, [0, 3, 4], [1, 3], np.array([0.9, 0.1]))
    assert page.per_leaf(page.content).tolist() == [0.9, 0.9, 0.9, 0.1]
