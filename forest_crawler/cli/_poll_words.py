"""Words for people: how the last poll of a source ended, and how long ago."""

from __future__ import annotations

from forest_crawler.store import Source

_WORDS = {
    "ok": "read",
    "unchanged": "read, unchanged",
    "links": "no feed; read the links of the page",
    "gone": "gone for good (HTTP 410)",
    "timeout": "no answer in time",
    "connection": "connection broken",
    "connection-refused": "connection refused",
    "unknown-host": "unknown host",
    "private-address": "private address, not allowed",
    "port": "unusual port, not allowed",
    "robots": "forbidden by robots.txt",
    "robots-unavailable": "robots.txt unavailable",
}
_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"))


def describe_status(source: Source) -> str:
    """Write how the last poll of a source ended, in plain words.

    >>> describe_status(Source(1, "https://a.example/", status="robots-http-500"))
    'robots.txt: HTTP 500'
    >>> describe_status(Source(1, "https://a.example/"))
    'not polled yet'
    """
    return "not polled yet" if source.status is None else _describe_label(source.status)


def _describe_label(label: str) -> str:
    if label in _WORDS:
        return _WORDS[label]
    head, _, rest = label.partition("-")
    if head == "robots":
        return f"robots.txt: {_describe_label(rest)}"
    return f"HTTP {rest}" if head == "http" else label.replace("-", " ")


def describe_seconds(seconds: float) -> str:
    """Write a duration in its largest unit, rounded down.

    >>> describe_seconds(59), describe_seconds(150), describe_seconds(7200), describe_seconds(2e5)
    ('59 s', '2 min', '2 h', '2 d')
    """
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"
