"""Numbers with their nouns, for messages."""

from __future__ import annotations


def count(number: int, noun: str, separator: str = "") -> str:
    """Write a number with its noun; `separator` is put between thousands.

    >>> count(1, "page"), count(2000, "page"), count(2000, "page", ",")
    ('1 page', '2000 pages', '2,000 pages')
    """
    return f"{number:{separator}} {noun}{'' if number == 1 else 's'}"
