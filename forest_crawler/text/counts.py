"""Numbers with their nouns, for messages."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """Write a number with its noun.

    >>> count(1, "page"), count(2, "page")
    ('1 page', '2 pages')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
