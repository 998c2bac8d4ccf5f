"""Check XPaths that people wrote for other tools: which of them may run here.

Imported rules use positions, `or`, `contains` and more, which no portable locator has. They run as
they are if their cost is bounded: known functions, axes that stay near the element, and no search
of the whole page inside a condition.
"""

from __future__ import annotations

import re
import reprlib

from forest_crawler.errors import WrapperError
from forest_crawler.page.xpath import ElementPath

MAX_LENGTH = 2000
MAX_SEARCHES = 8
"""Searches of all descendants (`//`) in one path: each may visit the page once per depth."""

FUNCTIONS = frozenset(
    "concat contains count id last local-name name node normalize-space not position starts-with "
    "string string-length substring substring-after substring-before text translate true "
    "false number comment".split()
)
AXES = frozenset(
    "ancestor ancestor-or-self attribute child descendant descendant-or-self following-sibling "
    "parent preceding-sibling self".split()
)
_SEARCHING = frozenset(("descendant", "descendant-or-self"))
_TOKEN = re.compile(
    r"\s*(?:(?P<literal>'[^']*'|\"[^\"]*\")|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<axis>[A-Za-z][\w-]*)\s*::|(?P<function>(?!(?:and|or|div|mod)\b)[A-Za-z][\w-]*)\s*\("
    r"|(?P<name>[A-Za-z_][\w.-]*)|(?P<mark>//|\.\.|!=|<=|>=|[][()/.@*|=<>,+-]))",
    re.ASCII,
)
_STEP_ENDS = frozenset(("]", ")", ".", "..", "*"))


def check_safe(expression: str) -> None:
    """Raise `WrapperError`, with the reason, for an XPath that must not run.

    >>> check_safe("//div[contains(@class,'story') or @id='story'][1]")
    >>> check_safe("//p[//p[//p]]")
    Traceback (most recent call last):
    forest_crawler.errors.WrapperError: XPath '//p[//p[//p]]' isn't safe: a condition searches ...
    """
    if len(expression) > MAX_LENGTH:
        raise WrapperError(f"XPath of more than {MAX_LENGTH} characters")
    reason = _find_reason(expression)
    if reason:
        raise WrapperError(f"XPath {reprlib.repr(expression)} isn't safe: {reason}")
    ElementPath(expression)


def _find_reason(expression: str) -> str | None:
    position, depth, searches, previous = 0, 0, 0, ""
    end = len(expression.rstrip())
    while position < end:
        token = _TOKEN.match(expression, position)
        if token is None:
            return f"{expression[position : position + 10]!r} isn't known"
        position = token.end()
        kind, text = str(token.lastgroup), token[str(token.lastgroup)]
        if kind == "function" and text not in FUNCTIONS:
            return f"the function {text}() isn't known"
        if kind == "axis" and text not in AXES:
            return f"the axis {text} isn't known"
        depth += (text == "[") - (text == "]") if kind == "mark" else 0
        is_path_start = previous not in _STEP_ENDS and previous != "name"
        if kind == "mark" and text in ("/", "//") and depth and is_path_start:
            return "a condition searches the whole page"
        if text == "//" or (kind == "axis" and text in _SEARCHING):
            searches += 1
            if depth > 1:
                return "a condition inside a condition searches"
        previous = "name" if kind in ("name", "literal", "number") else text
    if searches > MAX_SEARCHES:
        return f"it searches more than {MAX_SEARCHES} times"
    return None
