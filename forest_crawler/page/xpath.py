"""XPath written safely: literals, attribute tests, and expressions that select elements.

Everything that writes or runs an XPath passes here. What a page calls its classes is untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from lxml import etree

from forest_crawler.errors import WrapperError
from forest_crawler.page.libxml2_memory import check_memory

Element: TypeAlias = etree._Element

DIGITS = "0123456789"

MAX_TEST_LENGTH = 200
"""Characters of an attribute's value that are tested: beyond are inline images and the like, and
libxml2 gives up on a literal of thousands of quotes."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


class ElementPath:
    """A compiled XPath that selects elements, in document order."""

    __slots__ = ("_compiled", "expression")

    def __init__(self, expression: str) -> None:
        self.expression = expression
        try:
            # Neither EXSLT nor smart strings: a stored expression gets plain XPath 1.0.
            self._compiled = etree.XPath(
                _write_out_ids(expression), regexp=False, smart_strings=False
            )
        except (etree.XPathSyntaxError, ValueError) as err:
            raise WrapperError(f"not an XPath: {self._shown} ({err})") from err

    def __call__(self, root: Element) -> list[Element]:
        try:
            found = self._compiled(root)
        except etree.XPathEvalError as err:
            check_memory(err)
            raise WrapperError(f"XPath {self._shown} cannot be run: {err}") from err
        if not isinstance(found, list):
            raise WrapperError(f"XPath {self._shown} selects no elements but a value")
        return [element for element in found if isinstance(element, etree._Element)]

    @property
    def _shown(self) -> str:
        expression = self.expression
        return repr(expression if len(expression) <= 200 else expression[:200] + "…")

    def __repr__(self) -> str:
        return f"ElementPath({self.expression!r})"


# A literal, which stays as it is, or a call of id(), perhaps with a single name in quotes.
_ID_CALL = re.compile(
    r"""'[^']*'|"[^"]*"|(?P<call>(?<![\w.:@-])id\s*\((?:\s*(?P<name>'[^'\s]+'|"[^"\s]+")\s*\))?)"""
)


def _write_out_ids(expression: str) -> str:
    """Replace id('x'): pages are parsed without the table that libxml2 would look it up in."""

    def write(found: re.Match[str]) -> str:
        name = found["name"]
        if found["call"] and not name:
            raise ValueError("id() is for a single name in quotes")
        return f"(//*[@id={name} or self::a[@name={name}]])[1]" if name else found[0]

    return _ID_CALL.sub(write, expression)


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
    """Test that an attribute holds (the beginning of) a string, its digits taken out if asked.

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
    """An attribute by name, also by one that XPath could not write (`@click`, `xml:lang`).

    >>> attribute_step("class"), attribute_step("on:click")
    ('@class', "@*[name()='on:click']")
    """
    return f"@{name}" if _NAME.fullmatch(name) else f"@*[name()={literal(name)}]"


def is_name(text: str) -> bool:
    """Whether XPath (and CSS) can write it as the name of a tag or an attribute."""
    return _NAME.fullmatch(text) is not None


def element_step(tag: str) -> str:
    """An element by tag, also by one that XPath could not write (`o:p`).

    >>> element_step("div"), element_step("o:p")
    ('div', "*[name()='o:p']")
    """
    return tag if _NAME.fullmatch(tag) else f"*[name()={literal(tag)}]"


def dfs_form(tag: str, tests: Iterable[str], positions: Iterable[int]) -> str:
    """The paper's generic wrapper: an element type completed with the dfs positions seen.

    >>> dfs_form("div", ["contains(@class,'story')"], [78, 82])
    "//div[contains(@class,'story') and (@dfs='78' or @dfs='82')]"
    >>> dfs_form("p", [], [24])
    "//p[@dfs='24']"
    """
    places = [f"@dfs='{position}'" for position in sorted(set(positions))]
    place = f"({' or '.join(places)})" if len(places) > 1 else places[0]
    # The annotated tree is the body alone, and descendant-or-self reaches body itself too.
    return f"//{element_step(tag)}[{' and '.join([*tests, place])}]"
