"""Write XPath safely: literals, attribute tests and steps.

The names and values come from pages, so they are untrusted: whatever they contain, the expression
compares with exactly that string.
"""

from __future__ import annotations

import re

DIGITS = "0123456789"

MAX_TEST_LENGTH = 200
"""Characters of an attribute's value that are tested: longer values are inline images and the like,
and libxml2 fails on a literal of thousands of quotes."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


def literal(value: str) -> str:
    """Quote any string for XPath 1.0, which has no escapes.

    >>> literal("story"), literal("it's"), literal("'\\"")
    ("'story'", '"it\\'s"', 'concat("\\'", \\'"\\')')
    """
    if "'" not in value:
        return f"'{value}'"
    if '"' not in value:
        return f'"{value}"'
    # Runs without a single quote go in single quotes, the single quotes themselves in double ones.
    parts: list[str] = []
    for i, run in enumerate(value.split("'")):
        if i:
            parts.append('"\'"')
        if run:
            parts.append(f"'{run}'")
    return f"concat({', '.join(parts)})"


def contains(attribute: str, value: str, *, without_digits: bool = False) -> str:
    """Test that an attribute contains a string.

    Tests only the first `MAX_TEST_LENGTH` characters of the string. `without_digits` removes the
    digits of the attribute's value first.

    >>> contains("class", "story")
    "contains(@class,'story')"
    """
    subject = attribute_step(attribute)
    if not value:
        return subject
    if without_digits:
        subject = f"translate({subject},'{DIGITS}','')"
    return f"contains({subject},{literal(value[:MAX_TEST_LENGTH])})"


def attribute_step(name: str) -> str:
    """Select an attribute, even one that XPath cannot write (`@click`, `xml:lang`).

    >>> attribute_step("class"), attribute_step("on:click")
    ('@class', "@*[name()='on:click']")
    """
    return f"@{name}" if is_name(name) else f"@*[name()={literal(name)}]"


def element_step(tag: str) -> str:
    """Select elements by tag, even one that XPath cannot write (`o:p`).

    >>> element_step("div"), element_step("o:p")
    ('div', "*[name()='o:p']")
    """
    return tag if is_name(tag) else f"*[name()={literal(tag)}]"


def is_name(text: str) -> bool:
    """Whether XPath (and CSS) can write a text as the name of a tag or an attribute."""
    return _NAME.fullmatch(text) is not None
