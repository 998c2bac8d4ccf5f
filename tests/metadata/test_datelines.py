"""Dates are read near a page's headline."""

from datetime import UTC, datetime

import pytest

from forest_crawler.metadata.datelines import read_dateline, read_other_date
from forest_crawler.page.tree import parse_page


@pytest.mark.parametrize(
    ("body", "day"),
    [
        ("<h1>Rain</h1><p>6 March 2026</p>", "2026-03-06"),
        ("<h1>Rain</h1><p>Published on March 6th, 2026 by Ann</p>", "2026-03-06"),
        ("<h1>Rain</h1><p>Updated 9 March 2026</p><p>Published 6 March 2026", "2026-03-06"),
        ("<h1>Rain</h1><p>Last updated:</p><p>9 March 2026</p>", "2026-03-09"),
        ("<h1>Rain</h1><p>2026-03-06", "2026-03-06"),
        ("<h1>Rain</h1><p>06.03.2026 | 10:15 Uhr", "2026-03-06"),
        ("<p>6. 3. 2026</p><h1>Rain</h1>", "2026-03-06"),
        ("<h1>Rain</h1><p>2026年3月6日 10:15", "2026-03-06"),
        ("<h1>Rain</h1><p>2026/3/6", "2026-03-06"),
        ("<h1>Rain</h1><p>Version 2026.3.6", None),
        ("<h1>Rain</h1><p>30.02.2026", None),
        ("<h1>Rain</h1><p>Bearbeitet: 09.03.2026</p><p>06.03.2026", "2026-03-06"),
        ("<h1>Rain</h1><p>Am 30. Februar 2026", None),
        ("<h1>Rain</h1><p>It rained " + "and rained " * 20 + "until 6 March 2026", None),
        ("<p>6 March 2026</p>", None),
    ],
)
def test_the_date_line_near_the_headline_is_read(body: str, day: str | None) -> None:
    found = read_dateline(parse_page(body))
    assert (found.date().isoformat() if found else None) == day


@pytest.mark.parametrize(
    ("language", "line", "day"),
    [
        ("es", "06/03/2026", "2026-03-06"),
        ("nl", "06-03-2026", "2026-03-06"),
        ("en", "16/03/2026", "2026-03-16"),
        ("en", "03/16/2026", "2026-03-16"),
        ("en", "03/03/2026", "2026-03-03"),
        pytest.param("en", "06/03/2026", None, id="6 March or 3 June"),
    ],
)
def test_numbers_are_ordered_as_the_language_does(
    language: str, line: str, day: str | None
) -> None:
    found = read_dateline(parse_page(f"<html lang={language}><h1>Rain</h1><p>{line}"))
    assert (found.date().isoformat() if found else None) == day


@pytest.mark.parametrize(
    ("body", "day"),
    [
        ("<h1>Rain</h1><p>6 March 2026</p><p>It rained", "2026-03-06"),
        ("<p>6 March 2026</p><h1>Rain</h1><p>It rained", "2026-03-06"),
        ("<h1>Rain</h1><p>6 March 2026</p><p>9 April 2026</p>", None),
        pytest.param("<h1>Rain</h1><p>6 March 2026</p><p>4/9/2026</p>", None, id="in numbers"),
        ("<h1>Rain</h1><p>Updated: 6 March 2026</p>", None),
        ("<h1>Rain</h1><p>It has rained every day since Friday, 6 March 2026", None),
        pytest.param("<h1>Rain</h1><p>6 March 2026 – 8 April 2026", None, id="two dates"),
        pytest.param("<h1>Rain</h1><p>6–8 March 2026", None, id="days of an event"),
        pytest.param("<h1>Ann Lee</h1><p>Born 6 March 1999", None, id="day of a birth"),
        pytest.param("<h1>Rain</h1><p>6 March to 8 March 2026", None, id="span in words"),
        pytest.param("<h1>Rain</h1><p>10:00 – 6 March 2026", "2026-03-06", id="time and day"),
        pytest.param("<h1>Rain of 6 March 2026</h1><p>It rained", None, id="headline"),
        pytest.param("<h1>Rain</h1>" + "<p>It rained" * 6 + "<p>6 March 2026", None, id="far"),
    ],
)
def test_another_date_than_the_known_one_is_alone_beside_the_headline(
    body: str, day: str | None
) -> None:
    found = read_other_date(parse_page(body), datetime(2026, 4, 9, tzinfo=UTC))
    assert (found.date().isoformat() if found else None) == day
