"""Texts are aligned with the page's own words, phrases before stray words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.evaluation.word_alignment import align_words
from tests.support.growth import assert_linear

words = st.lists(st.sampled_from("abcdef"), max_size=20)


@given(words, words, words)
def test_a_text_that_is_in_the_page_is_aligned_whole(
    before: list[str], text: list[str], after: list[str]
) -> None:
    page = before + text + after
    assert len(list(align_words(page, text))) == len(text)


@given(words, words)
def test_aligned_positions_ascend_and_their_words_are_in_the_text(
    page: list[str], text: list[str]
) -> None:
    positions = list(align_words(page, text))
    assert positions == sorted(set(positions))
    rest = iter(text)
    assert all(page[i] in rest for i in positions)  # a subsequence: each `in` uses up the text


def test_alignment_prefers_whole_phrases_over_stray_words() -> None:
    # The first 'the' of the page could match the gold's; the phrase decides.
    page = "the menu the ferry is back".split()
    assert list(align_words(page, "the ferry is back".split())) == [2, 3, 4, 5]


def test_alignment_is_linear_in_the_page() -> None:
    def align(words: int) -> None:
        story = [f"word{i}" for i in range(words)]
        page = ["menu"] * words + story + ["footer"] * words
        assert len(list(align_words(page, story))) == words

    assert_linear(lambda words: lambda: align(words), 50_000)
