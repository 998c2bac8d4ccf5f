"""Messages of commands on stderr."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

import click

from forest_crawler.text.counts import count as count

MAX_NAMES = 5
"""Names that a message lists; the rest is counted, as an extraction may miss thousands of pages."""

_LOGIN = re.compile(r"(?<=://)([^\s/?#@:]+:)?[^\s/?#@]+(?:@[^\s/?#@]+)*(?=@)")
"""A URL's user name with its colon, and password, which may contain further @; or either alone."""


def say(message: str) -> None:
    """Write a line to stderr, without what names and URLs may contain.

    That is control characters, and logins, which would end up in the logs of cron and CI.
    """
    printable = "".join(char if char.isprintable() else "\ufffd" for char in message)
    click.echo(f"forest: {hide_logins(printable)}", err=True)


def hide_logins(text: str) -> str:
    """Replace passwords in the URLs of a text, and user names alone, which may be tokens.

    >>> hide_logins("https://ann:secret@a.example/x: refused, so is ftp://token@b.example")
    'https://ann:***@a.example/x: refused, so is ftp://***@b.example'
    >>> hide_logins("https://a.example/@ann, https://a.example?to=ann@b.example")
    'https://a.example/@ann, https://a.example?to=ann@b.example'
    """
    return _LOGIN.sub(lambda match: (match[1] or "") + "***", text)


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
