"""Words for people: how the last poll of a source ended."""

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


def describe_status(source: Source) -> str:
    """Write how the last poll of a source ended, in plain words.

    >>> describe_status(Source(1, "https://a.example/", status="robots-http-500"))
    'robots.txt: HTTP 500'
    >>> describe_status(Source(1, "https://a.example/"))
    'not polled yet'
    """
    return "not polled yet" if source.status is None else describe_label(source.status)


def describe_label(label: str) -> str:
    """Write the label of a poll in plain words.

    >>> describe_label("http-503"), describe_label("unknown-host"), describe_label("not a feed")
    ('HTTP 503', 'unknown host', 'not a feed')
    """
    if label in _WORDS:
        return _WORDS[label]
    head, _, rest = label.partition("-")
    if head == "robots":
        return f"robots.txt: {describe_label(rest)}"
    return f"HTTP {rest}" if head == "http" else label.replace("-", " ")
