"""The measures, on cases counted by hand, and their properties."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.evaluation.lcs import lcs_length, lcs_positions
from forest_crawler.evaluation.measures import (
    TEXT_MEASURES,
    bag_score,
    bigram_score,
    cetd_score,
    character_score,
    cleaneval_score,
    sequence_score,
    set_score,
    split_words,
)
from forest_crawler.evaluation.score import Score

FIVE = "the cat sat on mats"  # four 2-grams: the cat, cat sat, sat on, on mats

RIGHT = Score(1, 1, 1)
WRONG = Score(0, 0, 0)

VIEWS: dict[str, Callable[[str], object]] = {
    "characters": lambda text: " ".join(text.split()),
    "sequence": split_words,
    "bag": lambda text: sorted(split_words(text)),
    "set": lambda text: set(split_words(text)),
    "cetd": str.split,
    "cleaneval": str.split,
}
"""What a measure sees of a text, computed independently of the measures."""

# Few words, so that two texts often share some.
texts = st.lists(st.sampled_from("a B b. c a-b , \n 1".split(" ")), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        pytest.param(FIVE, "The cat -- sat\n ON mats.", RIGHT, id="case-and-marks"),
        # 'the cat', 'cat sat' of four
        pytest.param(FIVE, "the cat sat", Score(1, 1 / 2, 2 / 3), id="half"),
        # found: the cat, cat sat, sat on, on mats, mats and, and more: 4 of 6
        pytest.param(FIVE, FIVE + " and more", Score(4 / 6, 1, 8 / 10), id="too-much"),
        pytest.param(FIVE, "on mats sat", Score(1 / 2, 1 / 4, 2 / 6), id="order-matters"),
        # a set: 'a a' once on both sides
        pytest.param("a a a a", "a a", RIGHT, id="repeats-count-once"),
        pytest.param(FIVE, "dogs bark", WRONG, id="nothing-common"),
        pytest.param("one", "one", RIGHT, id="one-word"),
        pytest.param("one", "two", WRONG, id="other-word"),
    ],
)
def test_bigrams_are_compared_as_sets(gold: str, text: str, expected: Score) -> None:
    assert bigram_score(gold, text) == expected


@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        pytest.param("a  b\nc", " a b c ", RIGHT, id="blanks-fold"),
        # 'abc' of 'abcd' and 'xabc'
        pytest.param("abcd", "xabc", Score(3 / 4, 3 / 4, 6 / 8), id="three-of-four"),
        # common 'b.' (2 characters) of 'a b.' (4) and 'B b.' (4), with the blank: ' b.' = 3
        pytest.param("a b.", "B b.", Score(3 / 4, 3 / 4, 6 / 8), id="case-counts"),
        pytest.param("ab", "ba", Score(1 / 2, 1 / 2, 2 / 4), id="order-matters"),
    ],
)
def test_characters_are_compared_in_order(gold: str, text: str, expected: Score) -> None:
    assert character_score(gold, text) == expected


@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        pytest.param(FIVE, "The cat, sat: on mats!", RIGHT, id="case-and-marks"),
        # the cat ... mats: 3 of 5, 3 of 4
        pytest.param(FIVE, "the cat ate mats", Score(3 / 4, 3 / 5, 6 / 9), id="a-gap"),
        # only one of the two swapped words fits
        pytest.param("to be", "be to", Score(1 / 2, 1 / 2, 2 / 4), id="order-matters"),
        pytest.param("a a", "a", Score(1, 1 / 2, 2 / 3), id="repeats-count"),
    ],
)
def test_word_sequences_are_compared_in_order(gold: str, text: str, expected: Score) -> None:
    assert sequence_score(gold, text) == expected


@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        pytest.param("to be or not to be", "be be to to not or", RIGHT, id="any-order"),
        # common: min(3, 1) a + min(1, 2) b = 2, of 4 wanted and 3 found
        pytest.param("a a a b", "a b b", Score(2 / 3, 2 / 4, 4 / 7), id="lower-count"),
    ],
)
def test_bags_count_words_in_any_order(gold: str, text: str, expected: Score) -> None:
    assert bag_score(gold, text) == expected


@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        pytest.param("to be or not to be", "be not or to", RIGHT, id="presence-only"),
        # {a, b} and {b, c, d}
        pytest.param("a a a b", "b c d", Score(1 / 3, 1 / 2, 2 / 5), id="one-of-two"),
    ],
)
def test_sets_count_words_once(gold: str, text: str, expected: Score) -> None:
    assert set_score(gold, text) == expected


@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        pytest.param("To be, or  not", "To be,\nor not", RIGHT, id="blanks-fold"),
        # 'To' and 'to' differ, so do 'be,' and 'be': 'or not' of four
        pytest.param(
            "To be, or not", "to be or not", Score(1 / 2, 1 / 2, 4 / 8), id="case-and-marks"
        ),
    ],
)
def test_cetd_compares_words_with_case_and_marks(gold: str, text: str, expected: Score) -> None:
    assert cetd_score(gold, text) == expected


@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        pytest.param("a b c", "a b c", 1, id="equal"),
        # a kept, b removed, c kept, d inserted: 2 of 4 steps
        pytest.param("a b c", "a c d", 2 / 4, id="one-removed-one-inserted"),
        # substitutions are not allowed: a removed, b inserted
        pytest.param("a", "b", 0, id="no-substitution"),
        pytest.param("a", "", 0, id="nothing-extracted"),
    ],
)
def test_cleaneval_score_is_the_aligned_share_of_the_alignment(
    gold: str, text: str, expected: float
) -> None:
    assert cleaneval_score(gold, text) == Score(expected, expected, expected)


@pytest.mark.parametrize("measure", TEXT_MEASURES.values(), ids=TEXT_MEASURES)
@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        pytest.param("", " \n", RIGHT, id="both-empty"),
        pytest.param("", FIVE, WRONG, id="empty-gold"),
        pytest.param(FIVE, "", WRONG, id="empty-extraction"),
    ],
)
def test_empty_texts_are_right_only_together(
    measure: Callable[[str, str], Score], gold: str, text: str, expected: Score
) -> None:
    assert measure(gold, text) == expected


@pytest.mark.parametrize("measure", TEXT_MEASURES.values(), ids=TEXT_MEASURES)
@given(gold=texts, text=texts)
def test_swapping_gold_and_text_swaps_precision_and_recall(
    measure: Callable[[str, str], Score], gold: str, text: str
) -> None:
    there, back = measure(gold, text), measure(text, gold)
    assert (there.precision, there.recall, there.f1) == (back.recall, back.precision, back.f1)


@pytest.mark.parametrize("measure", TEXT_MEASURES.values(), ids=TEXT_MEASURES)
@given(gold=texts, text=texts)
def test_f1_is_the_harmonic_mean(
    measure: Callable[[str, str], Score], gold: str, text: str
) -> None:
    score = measure(gold, text)
    if score.precision and score.recall:
        expected = 2 / (1 / score.precision + 1 / score.recall)
        assert score.f1 == pytest.approx(expected)
    else:
        assert score == WRONG


@pytest.mark.parametrize("name", VIEWS)
@given(gold=texts, text=texts)
def test_f1_is_1_exactly_for_texts_that_the_measure_sees_as_equal(
    name: str, gold: str, text: str
) -> None:
    view = VIEWS[name]
    assert (TEXT_MEASURES[name](gold, text).f1 == 1) == (view(gold) == view(text))


@given(texts, texts)
def test_cleaneval_score_follows_from_cetd_f1(gold: str, text: str) -> None:
    # L / (a + b - L) with F1 = 2 L / (a + b) is F1 / (2 - F1)
    f1 = cetd_score(gold, text).f1
    assert cleaneval_score(gold, text).f1 == pytest.approx(f1 / (2 - f1))


@given(texts, texts)
def test_a_measure_without_order_never_scores_lower(gold: str, text: str) -> None:
    # Words in order are among the words in any order.
    assert sequence_score(gold, text).f1 <= bag_score(gold, text).f1


@given(st.text("abc", max_size=9), st.text("abc", max_size=9))
def test_lcs_of_strings_agrees_with_the_textbook_algorithm(one: str, other: str) -> None:
    assert lcs_length(one, other) == plain_lcs(one, other)


# -1 and -2 have the same hash; 2**61 - 1 has that of 0.
clashing = st.lists(st.sampled_from([-1, -2, 0, 2**61 - 1, "word", None]), max_size=9)


@given(clashing, clashing)
def test_lcs_of_any_items_agrees_with_the_textbook_algorithm(
    one: list[int | str | None], other: list[int | str | None]
) -> None:
    assert lcs_length(one, other) == plain_lcs(one, other)


@given(clashing, clashing)
def test_lcs_positions_are_those_of_a_longest_common_subsequence(
    one: list[int | str | None], other: list[int | str | None]
) -> None:
    positions = lcs_positions(one, other)
    assert positions == sorted(set(positions))
    chosen = [one[i] for i in positions]
    assert len(chosen) == plain_lcs(one, other) == plain_lcs(chosen, other)


def plain_lcs(one: Sequence[object], other: Sequence[object]) -> int:
    """Compute the length by the textbook's dynamic programming, a row at a time."""
    row = [0] * (len(other) + 1)
    for item in one:
        new = [0]
        for j, match in enumerate(other):
            new.append(row[j] + 1 if item == match else max(row[j + 1], new[j]))
        row = new
    return row[-1]
