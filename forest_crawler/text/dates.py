"""Dates as feeds and sitemaps write them → aware datetimes, or nothing.

Feeds are full of days that never were. What is no date, no day of the calendar, or lies outside
1990 to tomorrow gives `None`; the reader keeps the text beside it.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

EARLIEST_YEAR = 1990
"""Before the Web; dates below come from clocks that started at zero."""

SLACK = timedelta(days=1)
"""How far a date may lie ahead: clocks and time zones that are set wrong."""

MAX_DATE_LENGTH = 64
"""Characters that are looked at; the longest real form has about forty."""

_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d{1,9})?)?"
_HALF = r"(?:\s?(?P<half>[AaPp])\.?[Mm]\.?)?"
_ZONE = r"(?:\s?(?P<zone>[A-Za-z]{1,5}|(?:UTC|GMT)?[+-]\d\d:?\d\d|[+-]\d\d))?"
_CLOCK = _TIME + _HALF + _ZONE
_WEEKDAY = r"(?:[^\W0-9_]{2,12}\.?,?\s)?"
_MONTH = r"(?P<name>[^\W0-9_]{3,10})\.?"
_FORMS = tuple(
    re.compile(form.replace(r"\d", "[0-9]"))
    for form in (
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

# The beginnings of month names where feeds are written: English, then German, French, Spanish,
# Italian, Portuguese, Dutch. French June and July part at the fourth letter.
_MONTHS = {
    beginning: number
    for number, beginnings in enumerate(
        (
            "jan jän ene gen", "feb fév fev", "mar mär mrz maa mrt", "apr avr abr",
            "may mai mag mei", "jun juin giu", "jul juil lug", "aug aoû aou ago",
            "sep set", "oct okt ott out", "nov", "dec dez déc dic",
        ),
        1,
    )
    for beginning in beginnings.split()
}  # fmt: skip

# RFC 822 and the zones of its neighbours; letters that are no zone we know count as UTC.
_HOURS = {
    "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
    "BST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "JST": 9, "KST": 9,
}  # fmt: skip
_FARTHEST_ZONE = timedelta(hours=14)


def parse_date(text: str | None, *, now: datetime | None = None) -> datetime | None:
    """Read a date with its time zone (UTC where it has none); `None` where it cannot be true.

    Without `now` the future has no end. Never raises, whatever the text.

    >>> parse_date("Thu, 04 Jun 2026 10:00:00 +0100").isoformat()
    '2026-06-04T10:00:00+01:00'
    >>> parse_date("2024-02-30"), parse_date("0000-00-00"), parse_date("soon")
    (None, None, None)
    """
    if not text or len(text) > MAX_DATE_LENGTH:
        return None
    plain = " ".join(re.sub(r"\([^)]*\)", " ", text).split())
    for form in _FORMS:
        if match := form.fullmatch(plain):
            found = _build(match.groupdict())
            return found if found and _is_likely(found, now) else None
    return None


def _build(parts: dict[str, str | None]) -> datetime | None:
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
            59 if second == 60 else second,  # a leap second, which datetime does not know
            tzinfo=zone,
        )
    except ValueError:
        return None


def _is_likely(date: datetime, now: datetime | None) -> bool:
    return date.year >= EARLIEST_YEAR and (now is None or date <= now + SLACK)


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
    return timezone(sign * offset) if minutes < 60 and offset <= _FARTHEST_ZONE else None
