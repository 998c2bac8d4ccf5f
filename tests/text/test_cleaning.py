"""Characters that no reader can show are removed."""

from __future__ import annotations

import pytest

from forest_crawler.text.cleaning import clean_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\x00\x08\x0b\x1fb", "ab", id="controls"),
        pytest.param("a\x7f\x80\x9fb", "ab", id="delete-and-c1-controls"),
        pytest.param("a\ud800\ufffe\uffffb", "ab", id="surrogate-and-noncharacters"),
        pytest.param("a\t\n\r b", "a\t\n\r b", id="blanks-are-kept"),
        pytest.param("é日本\xa0😀", "é日本\xa0😀", id="text-is-kept"),
    ],
)
def test_only_unprintable_characters_are_removed(text: str, expected: str) -> None:
    assert clean_text(text) == expected
