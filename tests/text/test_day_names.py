"""A known day is recognised in running text, whatever the language's order."""

from datetime import date

import pytest

from forest_crawler.text.day_names import find_day

MARCH_6 = date(2026, 3, 6)


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-06",
        "Posted on 2026-03-06T10:15:00Z",
        "06.03.2026, 10:15 Uhr",
        "3/6/2026",
        "6/3/26",
        "2026年3月6日（金） 11時40分",
        "2026년 3월 6일",
        "Freitag, 6. März 2026",
        "Publié le vendredi 6 mars 2026 à 18h30",
        "6 de marzo de 2026",
        "March 6th, 2026",
        "Mar. 6, 2026 4 min read",
        "6 марта 2026",  # in no table of months: day and year are enough
        "2026. március 6.",
    ],
)
def test_the_day_is_found(text: str) -> None:
    assert find_day(text, {MARCH_6}) == MARCH_6


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("6 April 2026", id="another month"),
        pytest.param("16 March 2026", id="another day with the same ending"),
        pytest.param("March 6, 2025", id="another year"),
        pytest.param("2026-03-061", id="a longer number"),
        pytest.param("12026-03-06", id="a longer number in front"),
        pytest.param("6 March", id="no year"),
        pytest.param("2026-13-06", id="no day of the calendar"),
        pytest.param("", id="nothing"),
    ],
)
def test_another_day_is_not_found(text: str) -> None:
    assert find_day(text, {MARCH_6}) is None


def test_of_several_days_the_one_that_is_said_is_found() -> None:
    assert find_day("6 March 2026", {date(2026, 3, 5), MARCH_6}) == MARCH_6
