"""Texts are compared by their letters and digits alone."""

from __future__ import annotations

import pytest

from forest_crawler.text.comparison import comparable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("‘Storm’ – the  Sequel", "stormthesequel", id="quotes-dashes-blanks"),
        pytest.param("STRASSE straße", "strassestrasse", id="case-folded"),
        pytest.param("ﬁve ① ４", "five14", id="compatibility-forms"),
        pytest.param("snake_case", "snakecase", id="underscore"),
        pytest.param("—!?", "", id="nothing-to-compare"),
    ],
)
def test_only_letters_and_digits_count(text: str, expected: str) -> None:
    assert comparable(text) == expected
