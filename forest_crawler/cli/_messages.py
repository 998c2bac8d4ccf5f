"""What commands say on stderr."""

from __future__ import annotations

from collections.abc import Sequence

import click

NAMED = 5
"""Names that a message lists before it only counts: a crawl misses pages by the thousand."""


def say(message: str) -> None:
    """Write a line to stderr; what pages and files are called cannot command the terminal."""
    printable = "".join(char if char.isprintable() else "\ufffd" for char in message)
    click.echo(f"forest: {printable}", err=True)


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "page"), count(2, "page")
    ('1 page', '2 pages')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def list_names(names: Sequence[str]) -> str:
    """The first few names, and how many more there are.

    >>> list_names(["a", "b"]), list_names(list("abcdefg"))
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
