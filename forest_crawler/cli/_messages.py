"""Messages of commands on stderr."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

import click

from forest_crawler.text.counts import count as count

MAX_NAMES = 5
"""Names that a message lists; the rest is counted, as an extraction may miss thousands of pages."""


def say(message: str) -> None:
    """Write a line to stderr, without the control characters that names may contain."""
    printable = "".join(char if char.isprintable() else "\ufffd" for char in message)
    click.echo(f"forest: {printable}", err=True)


def list_names(names: Sequence[str]) -> str:
    """List the first few names, and how many more there are.

    >>> list_names(["a", "b"]), list_names(list("abcdefg"))
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return ", ".join(names[:MAX_NAMES]) + more


def suggest_name(wrong: str, known: Iterable[str]) -> str:
    """Ask for the known name that is closest to a wrong one, if one is close.

    >>> suggest_name("crwal", ["check", "crawl"]), suggest_name("xyz", ["check", "crawl"])
    (' (did you mean crawl?)', '')
    """
    close = get_close_matches(wrong, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""
