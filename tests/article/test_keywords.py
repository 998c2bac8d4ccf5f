"""An article's keywords, with weights worked out by hand."""

from __future__ import annotations

import pytest

from forest_crawler.article.keywords import MAX_KEYWORDS, find_keywords
from forest_crawler.wrapper.wrapper import Wrapper


def wrapper(frequencies: str, language: str | None = "en") -> Wrapper:
    return Wrapper(
        "gazette",
        "forest",
        "portable",
        ("//article",),
        pages=3,
        language=language,
        frequencies=frequencies,
    )


def test_terms_weigh_by_the_document_frequencies_of_the_sample() -> None:
    # N = 3 + 1: ferry 2 · ln(4/1) = 2.7726, harbour ln(4/3) = 0.2877, gazette ln(4/4) = 0
    # norm sqrt(2.7726² + 0.2877²) = 2.7875
    found = find_keywords(
        "Ferries: a ferry in the harbour. Gazette", wrapper("gazett:3 harbour:2"), None
    )
    assert found == {
        "ferry": pytest.approx(0.9947, abs=1e-4),
        "harbour": pytest.approx(0.1032, abs=1e-4),
    }


def test_the_language_is_that_of_the_sample() -> None:
    # In German, Häuser and Haus have one stem; in English they do not.
    german = find_keywords("Häuser Haus", wrapper("menü:3", "de"), "en")
    assert list(german) == ["haus"]


def test_without_a_wrapper_terms_weigh_as_often_as_they_occur() -> None:
    found = find_keywords("rain rain rain snow", None, "en")
    # 3 and 1 over sqrt(10)
    assert found == {
        "rain": pytest.approx(0.9487, abs=1e-4),
        "snow": pytest.approx(0.3162, abs=1e-4),
    }


def test_there_are_only_the_heaviest() -> None:
    text = " ".join(f"w{i}x " * (i + 1) for i in range(30))
    found = find_keywords(text, None, "en")
    assert list(found) == [f"w{i}x" for i in range(29, 29 - MAX_KEYWORDS, -1)]


def test_no_text_has_no_keywords() -> None:
    assert find_keywords("", None, None) == {}
