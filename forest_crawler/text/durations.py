"""Durations as people write them: `90s`, `5m`, `2h`, `1d`, `1h30m`."""

from __future__ import annotations

import re

_PATTERN = re.compile(r"(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?", re.ASCII)
_SECONDS = (86_400, 3600, 60, 1)
_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"))


def read_duration(text: str) -> float:
    """Read a duration in seconds; raises `ValueError` for another text.

    >>> [read_duration(it) for it in ("90s", "5m", "2h", "1d", "1h30m")]
    [90.0, 300.0, 7200.0, 86400.0, 5400.0]
    """
    found = _PATTERN.fullmatch(text.strip().lower())
    if found is None or not any(found.groups()):
        raise ValueError(f"{text!r} isn't a duration, as 90s, 5m, 2h or 1d")
    numbers = [int(number or 0) for number in found.groups()]
    return float(sum(map(int.__mul__, numbers, _SECONDS)))


def describe_seconds(seconds: float) -> str:
    """Write a duration in its largest unit, rounded down.

    >>> describe_seconds(59), describe_seconds(150), describe_seconds(7200), describe_seconds(2e5)
    ('59 s', '2 min', '2 h', '2 d')
    """
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"


def write_clock(seconds: float) -> str:
    """Write a running time as a clock, rounded down.

    >>> write_clock(0.9), write_clock(59.9), write_clock(119.9), write_clock(7384)
    ('0:00', '0:59', '1:59', '2:03:04')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
