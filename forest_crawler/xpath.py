"""XPath written safely: literals, attribute tests, and expressions that select elements.

Everything that writes or runs an XPath passes here. What a page calls its classes is untrusted.
"""

from __future__ import annotations

from typing import TypeAlias

from lxml import etree

from forest_crawler.errors import WrapperError

Element: TypeAlias = etree._Element

DIGITS = "0123456789"


class ElementPath:
    """A compiled XPath that selects elements, in document order."""

    __slots__ = ("_compiled", "expression")

    def __init__(self, expression: str) -> None:
        self.expression = expression
        try:
            # Neither EXSLT nor smart strings: a stored expression gets plain XPath 1.0.
            self._compiled = etree.XPath(expression, regexp=False, smart_strings=False)
        except (etree.XPathSyntaxError, ValueError) as err:
            raise WrapperError(f"not an XPath: {expression!r} ({err})") from err

    def __call__(self, root: Element) -> list[Element]:
        try:
            found = self._compiled(root)
        except etree.XPathEvalError as err:
            raise WrapperError(f"XPath {self.expression!r} cannot be run: {err}") from err
        if not isinstance(found, list):
            raise WrapperError(f"XPath {self.expression!r} selects no elements but a value")
        return [element for element in found if isinstance(element, etree._Element)]

    def __repr__(self) -> str:
        return f"ElementPath({self.expression!r})"


def literal(value: str) -> str:
    """Quote any string for XPath 1.0, which knows no escapes.

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
    """Test that an attribute holds a string, its digits taken out first if asked.

    >>> contains("class", "story")
    "contains(@class,'story')"
    """
    subject = f"@{attribute}"
    if without_digits:
        subject = f"translate({subject},'{DIGITS}','')"
    return f"contains({subject},{literal(value)})"
