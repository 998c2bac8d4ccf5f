"""A text with small changes is marked as a near-duplicate, other texts are not."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.text.near_duplicates import (
    MIN_WORDS,
    find_duplicates,
    read_sketch,
    sketch_similarity,
    sketch_text,
    write_sketch,
)

WORDS = [f"word{i}" for i in range(2000)]


def text_of(seed: int, length: int = 400) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=length))  # noqa: S311


AGENCY = text_of(1)


@pytest.mark.parametrize(
    ("other", "is_duplicate"),
    [
        pytest.param(AGENCY.upper().replace(" ", "\n"), True, id="other-case-and-lines"),
        pytest.param(f"Our headline of the day. {AGENCY} Read more here.", True, id="framed"),
        # 400 words less 40: 355 runs of 396 are left, nine tenths.
        pytest.param(" ".join(AGENCY.split()[:360]), True, id="last-tenth-cut"),
        # Half of it: half of the runs, below the bound.
        pytest.param(" ".join(AGENCY.split()[:200]) + text_of(2, 200), False, id="half-rewritten"),
        pytest.param(text_of(3), False, id="another-text"),
        # The same words in another order share hardly a run of five.
        pytest.param(" ".join(sorted(AGENCY.split())), False, id="same-words-another-order"),
    ],
)
def test_near_duplicates_are_marked(other: str, is_duplicate: bool) -> None:
    found = find_duplicates({"a": sketch_text(AGENCY), "b": sketch_text(other)})
    assert found == ({"b": "a"} if is_duplicate else {})


def test_all_copies_name_the_first_text() -> None:
    sketches = {name: sketch_text(f"{name} {AGENCY}") for name in "abc"}
    assert find_duplicates(sketches) == {"b": "a", "c": "a"}


def test_short_texts_are_never_marked() -> None:
    notice = " ".join(["rain"] * (MIN_WORDS - 1))
    assert find_duplicates({"a": sketch_text(notice), "b": sketch_text(notice)}) == {}


def test_many_different_texts_are_distinguished() -> None:
    assert find_duplicates({str(i): sketch_text(text_of(i, 120)) for i in range(300)}) == {}


@given(st.text())
def test_a_written_sketch_is_read_back(text: str) -> None:
    sketch = sketch_text(text * 20)
    assert read_sketch(write_sketch(sketch)) == sketch
    assert sketch_similarity(sketch, sketch) in (0.0, 1.0)


@pytest.mark.parametrize("text", ["", "x", "1,,2", "\ud800"])
def test_an_invalid_sketch_resembles_nothing(text: str) -> None:
    assert sketch_similarity(read_sketch(text), sketch_text(AGENCY)) == 0.0
