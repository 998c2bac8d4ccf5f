"""Days in running text: does "Freitag, 6. März 2026" say this day?

Reading a date out of any language's text is guesswork; telling whether a text says a day that is
already known is not. So numbers are read in every order, and the name of a month that is in no
table of ours passes with the right day and year beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from datetime import date

from forest_crawler.text.dates import parse_date

_WORD = r"([^\W\d_]{3,15})\.?"
_DAY = r"(?<![0-9])([0-9]{1,2})(?:st|nd|rd|th|er|[.ºª°])?"
_YEAR = r"([0-9]{4})(?![0-9])"
_LINK = r",?\s(?:(?:de|del|di|of)\s)?"
# 2026-03-06, 06.03.2026, 3/6/26, 2026年3月6日
_NUMBERS = re.compile(
    r"(?<![0-9])([0-9]{1,4})\s?[-/.年년]\s?([0-9]{1,2})\s?[-/.月월]\s?([0-9]{1,4})(?![0-9])"
)
_DAY_FIRST = re.compile(_DAY + _LINK + _WORD + _LINK + _YEAR)  # 6. März 2026, 6 de marzo de 2026
_MONTH_FIRST = re.compile(_WORD + r"\s" + _DAY + r",?\s" + _YEAR)  # March 6, 2026
_YEAR_FIRST = re.compile(r"(?<![0-9])([0-9]{4})\.?\s" + _WORD + r"\s" + _DAY)  # 2026. március 6.


def find_day(text: str, days: Set[date]) -> date | None:
    """The first of some days that a text says; the text should be short.

    >>> from datetime import date
    >>> find_day("Freitag, 6. März 2026", {date(2026, 3, 6)})
    datetime.date(2026, 3, 6)
    >>> find_day("Freitag, 6. April 2026", {date(2026, 3, 6)})
    """
    return next((day for day in sorted(days) if _says(text, day)), None)


def _says(text: str, day: date) -> bool:
    if any(day in _orders(*match.groups()) for match in _NUMBERS.finditer(text)):
        return True
    return any(_is_named(day, *found) for found in _named(text))


def _orders(one: str, two: str, three: str) -> Iterator[date]:
    """The days that three numbers may mean."""
    if len(one) == 4:
        parts = [(one, two, three)]
    elif len(three) in (2, 4) and len(one) <= 2:
        parts = [(three, two, one), (three, one, two)]
    else:
        return
    for year, month, number in parts:
        try:
            yield date(int(year) + (2000 if len(year) == 2 else 0), int(month), int(number))
        except ValueError:
            continue


def _named(text: str) -> Iterator[tuple[str, str, str]]:
    """Days with the name of a month: number, name, year."""
    for match in _DAY_FIRST.finditer(text):
        yield match[1], match[2], match[3]
    for match in _MONTH_FIRST.finditer(text):
        yield match[2], match[1], match[3]
    for match in _YEAR_FIRST.finditer(text):
        yield match[3], match[2], match[1]


def _is_named(day: date, number: str, name: str, year: str) -> bool:
    if (int(number), int(year)) != (day.day, day.year):
        return False
    read = parse_date(f"{number} {name} {year}")
    return read is None or read.date() == day
