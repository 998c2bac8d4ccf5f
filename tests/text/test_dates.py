"""Dates are parsed as feeds write them; known days are found in any language."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.text.dates import find_day, parse_date

NOW = datetime(2026, 7, 1, tzinfo=UTC)
MARCH_6 = date(2026, 3, 6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thu, 04 Jun 2026 10:00:00 +0100", "2026-06-04T10:00:00+01:00"),
        ("Thu, 4 Jun 26 10:00 EST", "2026-06-04T10:00:00-05:00"),
        ("04 Jun 2026 10:00:00 GMT", "2026-06-04T10:00:00+00:00"),
        ("Thu, 04 Jun 2026 10:00:00 GMT+0200", "2026-06-04T10:00:00+02:00"),
        ("Thu, 04 Jun 2026 10:00:00 XYZ", "2026-06-04T10:00:00+00:00"),
        ("Thu, 04 Jun 2026 10:00:00 +0000 (UTC)", "2026-06-04T10:00:00+00:00"),
        ("Do, 04 Mai 2026 10:00:00 +0200", "2026-05-04T10:00:00+02:00"),
        ("1 juil. 2026", "2026-07-01T00:00:00+00:00"),
        ("Thu Jun  4 10:00:00 2026", "2026-06-04T10:00:00+00:00"),
        ("June 4, 2026 12:05 AM", "2026-06-04T00:05:00+00:00"),
        ("June 4, 2026 1:05 PM", "2026-06-04T13:05:00+00:00"),
        ("2026-06-04", "2026-06-04T00:00:00+00:00"),
        ("2026-06-04T10:00:00Z", "2026-06-04T10:00:00+00:00"),
        ("2026-06-04T10:00:00.5+05:30", "2026-06-04T10:00:00+05:30"),
        ("2026-06-04 10:00", "2026-06-04T10:00:00+00:00"),
        ("20260604T101112Z", "2026-06-04T10:11:12+00:00"),
        ("2026-06-04T23:59:60Z", "2026-06-04T23:59:59+00:00"),
        ("2026-155", "2026-06-04T00:00:00+00:00"),  # 31 + 28 + 31 + 30 + 31 days, and 4
        ("2024-366", "2024-12-31T00:00:00+00:00"),
        ("2026-366", None),
        ("2026-000", None),
        ("2026年6月4日 10:00", "2026-06-04T10:00:00+00:00"),
        ("2026년 6월 4일 오후 1:05:00", "2026-06-04T13:05:00+00:00"),
        ("2026-06-04 上午 1:05", "2026-06-04T01:05:00+00:00"),
        ("1990-01-01", "1990-01-01T00:00:00+00:00"),
        ("2026-07-01T23:00:00Z", "2026-07-01T23:00:00+00:00"),  # less than a day ahead
        ("2026-07-02T01:00:00Z", None),
        ("1989-12-31", None),
        ("1970-01-01T00:00:00Z", None),
        ("0000-00-00", None),
        ("99999-01-01", None),
        ("2024-02-30", None),
        ("2026-13-01", None),
        ("2026-06-04T25:00:00Z", None),
        ("2026-06-04T10:00:00+99:99", None),
        ("2026-06-04T10:00:00+14:30", None),
        ("June 4, 2026 13:05 PM", None),
        ("04 Foo 2026", None),
        ("06/04/2026", None),  # a day of June or of April
        ("yesterday", None),
        ("", None),
        ("4" * 100_000, None),
        (" " * 100_000, None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_date_is_parsed_unless_it_cannot_be_true(text: str, expected: str | None) -> None:
    found = parse_date(text, now=NOW)
    assert (found.isoformat() if found else None) == expected


PIECES = st.sampled_from(
    "2026 06 04 1990 0000 99999 - / . : T Z +01:00 -99:99 Jun Thu, AM pm EST ( ) ４ \x00".split(" ")
)


@given(st.text() | st.lists(PIECES, max_size=12).map(" ".join) | st.lists(PIECES).map("".join))
def test_any_text_gives_a_plausible_date_or_none(text: str) -> None:
    found = parse_date(text, now=NOW)
    assert found is None or (found.utcoffset() is not None and 1990 <= found.year <= 2026)


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
        "6 марта 2026",  # an unknown month name: day and year suffice
        "2026. március 6.",
    ],
)
def test_a_known_day_is_found(text: str) -> None:
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
        pytest.param("2026-13-06", id="not in the calendar"),
        pytest.param("", id="empty"),
    ],
)
def test_another_day_is_not_found(text: str) -> None:
    assert find_day(text, {MARCH_6}) is None


def test_of_several_days_the_mentioned_one_is_found() -> None:
    assert find_day("6 March 2026", {date(2026, 3, 5), MARCH_6}) == MARCH_6
