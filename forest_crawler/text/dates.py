"""Dates in text: parse one as feeds write it, or find a known day in a sentence.

`parse_date` reads the formats of feeds and sitemaps. Feeds are full of impossible dates: what isn't
a date, isn't in the calendar, or is outside 1990 to tomorrow gives `None`, and the caller keeps the
text as well.

`find_day` recognises a day that is already known ("Freitag, 6. März 2026"). Reading a date out of
any language's text would be guesswork; checking for a known one isn't. So it tries numbers in every
order, and accepts an unknown month name next to the right day and year.
"""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Iterator, Set
from datetime import UTC, date, datetime, timedelta, timezone

EARLIEST_YEAR = 1990
"""Before the Web; earlier dates come from clocks that started at zero."""

MAX_CLOCK_SKEW = timedelta(days=1)
"""How far ahead a date may be, because of wrong clocks and time zones."""

MAX_DATE_LENGTH = 64
"""Characters; longer texts are not parsed. The longest real format has about forty."""

_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d{1,9})?)?"
_HALF = r"(?:\s?(?P<half>[AaPp])\.?[Mm]\.?)?"
_ZONE = r"(?:\s?(?P<zone>[A-Za-z]{1,5}|(?:UTC|GMT)?[+-]\d\d:?\d\d|[+-]\d\d))?"
_CLOCK = _TIME + _HALF + _ZONE
_WEEKDAY = r"(?:[^\W0-9_]{2,12}\.?,?\s)?"
_MONTH = r"(?P<name>[^\W0-9_]{3,10})\.?"
_FORMATS = tuple(
    re.compile(pattern.replace(r"\d", "[0-9]"))
    for pattern in (
        # ISO 8601, W3CDTF: 2026-06-04T10:00:00+01:00
        rf"(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})(?:[Tt ,]\s?{_CLOCK})?",
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)"
        r"(?:[Tt]?(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?" + _ZONE + ")?",
        # RFC 822: Thu, 04 Jun 2026 10:00:00 +0100
        rf"{_WEEKDAY}(?P<day>\d{{1,2}})[ .-]\s?{_MONTH}[ -](?P<year>\d{{4}}|\d\d)(?:,?\s{_CLOCK})?",
        # June 4, 2026 10:00 AM
        rf"{_WEEKDAY}{_MONTH}\s(?P<day>\d{{1,2}}),?\s(?P<year>\d{{4}})(?:,?\s{_CLOCK})?",
        # asctime: Thu Jun 4 10:00:00 2026
        rf"{_WEEKDAY}{_MONTH}\s(?P<day>\d{{1,2}})\s{_TIME}{_ZONE}\s(?P<year>\d{{4}})",
    )
)
_ORDINAL = re.compile(r"([0-9]{4})-([0-9]{3})")  # ISO 8601: the 155th day of 2026
# 2026年6月4日 午後 1:05, 2026년 6월 4일 오후 1:05
_EAST_ASIAN_DAY = re.compile(
    r"([0-9]{4})\s?[年년]\s?([0-9]{1,2})\s?[月월]\s?([0-9]{1,2})\s?[日일]\s?"
)
_EAST_ASIAN_HALF = re.compile(r"(午前|上午|오전|午後|下午|오후)\s?([0-9:]{4,8})")
_MORNINGS = frozenset(["午前", "上午", "오전"])

# Prefixes of month names: English, then German, French, Spanish, Italian, Portuguese, Dutch.
# French June and July differ at the fourth letter only.
_MONTHS = {
    prefix: number
    for number, prefixes in enumerate(
        (
            "jan jän ene gen", "feb fév fev", "mar mär mrz maa mrt", "apr avr abr",
            "may mai mag mei", "jun juin giu", "jul juil lug", "aug aoû aou ago",
            "sep set", "oct okt ott out", "nov", "dec dez déc dic",
        ),
        1,
    )
    for prefix in prefixes.split()
}  # fmt: skip

# The zones of RFC 822, of Europe and of East Asia; other letters count as UTC.
_HOURS = {
    "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
    "BST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "JST": 9, "KST": 9,
}  # fmt: skip
_MAX_ZONE_OFFSET = timedelta(hours=14)

# Parts of a date within a sentence.
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


def parse_date(text: str | None, *, now: datetime | None = None) -> datetime | None:
    """Parse a date with its time zone (default UTC); `None` if it cannot be true.

    Dates more than a day after `now` cannot be true; without `now`, any future date can.
    Never raises, whatever the text.

    >>> parse_date("Thu, 04 Jun 2026 10:00:00 +0100").isoformat()
    '2026-06-04T10:00:00+01:00'
    >>> parse_date("2024-02-30"), parse_date("0000-00-00"), parse_date("soon")
    (None, None, None)
    """
    if not text or len(text) > MAX_DATE_LENGTH:
        return None
    plain = _spell_out(" ".join(re.sub(r"\([^)]*\)", " ", text).split()))
    for pattern in _FORMATS:
        if match := pattern.fullmatch(plain):
            found = _build_date(match.groupdict())
            return found if found and _is_plausible(found, now) else None
    return None


def find_day(text: str, days: Set[date]) -> date | None:
    """Return the earliest of `days` that a (short) text mentions, if any.

    >>> from datetime import date
    >>> find_day("Freitag, 6. März 2026", {date(2026, 3, 6)})
    datetime.date(2026, 3, 6)
    >>> find_day("Freitag, 6. April 2026", {date(2026, 3, 6)})
    """
    return next((day for day in sorted(days) if _mentions(text, day)), None)


def _spell_out(text: str) -> str:
    """Rewrite days of the year and East Asian dates as year, month and day."""
    if found := _ORDINAL.fullmatch(text):
        year, number = int(found[1]), int(found[2])
        last = 366 if isleap(year) else 365
        known = year >= EARLIEST_YEAR and 1 <= number <= last
        return str(date(year, 1, 1) + timedelta(days=number - 1)) if known else ""
    text = _EAST_ASIAN_DAY.sub(r"\1-\2-\3 ", text).strip()
    return _EAST_ASIAN_HALF.sub(
        lambda half: f"{half[2]} {'AM' if half[1] in _MORNINGS else 'PM'}", text
    )


def _build_date(parts: dict[str, str | None]) -> datetime | None:
    zone = _read_zone(parts.get("zone"))
    month = _read_month(parts.get("month"), parts.get("name"))
    hour = _read_hour(parts.get("hour"), parts.get("half"))
    if zone is None or month is None or hour is None:
        return None
    second = int(parts.get("second") or 0)
    try:
        return datetime(
            _read_year(parts["year"] or ""),
            month,
            int(parts["day"] or 0),
            hour,
            int(parts.get("minute") or 0),
            59 if second == 60 else second,  # a leap second, which `datetime` cannot express
            tzinfo=zone,
        )
    except ValueError:
        return None


def _is_plausible(moment: datetime, now: datetime | None) -> bool:
    return moment.year >= EARLIEST_YEAR and (now is None or moment <= now + MAX_CLOCK_SKEW)


def _read_year(digits: str) -> int:
    year = int(digits)
    if len(digits) == 2:  # RFC 2822, 4.3
        return year + (2000 if year < 50 else 1900)
    return year


def _read_month(digits: str | None, name: str | None) -> int | None:
    if digits is not None:
        return int(digits)
    name = (name or "").lower()
    return _MONTHS.get(name[:4]) or _MONTHS.get(name[:3])


def _read_hour(digits: str | None, half: str | None) -> int | None:
    hour = int(digits or 0)
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        return None
    return hour % 12 + (12 if half in "Pp" else 0)


def _read_zone(zone: str | None) -> timezone | None:
    zone = (zone or "").upper()
    if not zone or zone.isalpha():
        return timezone(timedelta(hours=_HOURS[zone])) if zone in _HOURS else UTC
    sign, digits = (-1 if "-" in zone else 1), re.sub(r"\D", "", zone)
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(sign * offset) if minutes < 60 and offset <= _MAX_ZONE_OFFSET else None


def _mentions(text: str, day: date) -> bool:
    if any(day in _possible_days(*match.groups()) for match in _NUMBERS.finditer(text)):
        return True
    return any(_names_day(day, *found) for found in _find_named_dates(text))


def _possible_days(one: str, two: str, three: str) -> Iterator[date]:
    """Yield the days that three numbers can mean."""
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


def _find_named_dates(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield dates with a month's name, as day, name and year."""
    for match in _DAY_FIRST.finditer(text):
        yield match[1], match[2], match[3]
    for match in _MONTH_FIRST.finditer(text):
        yield match[2], match[1], match[3]
    for match in _YEAR_FIRST.finditer(text):
        yield match[3], match[2], match[1]


def _names_day(day: date, number: str, name: str, year: str) -> bool:
    if (int(number), int(year)) != (day.day, day.year):
        return False
    read = parse_date(f"{number} {name} {year}")
    return read is None or read.date() == day
