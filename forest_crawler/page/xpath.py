"""Run XPath expressions that select elements.

Every XPath of the project is compiled here, also those of stored, untrusted wrappers.
`forest_crawler.page.xpath_syntax` writes them.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from lxml import etree

from forest_crawler.errors import WrapperError
from forest_crawler.page.libxml2_memory import check_memory

Element: TypeAlias = etree._Element

# A literal, which stays as it is, or a call of id(), perhaps with a single name in quotes.
_ID_CALL = re.compile(
    r"""'[^']*'|"[^"]*"|(?P<call>(?<![\w.:@-])id\s*\((?:\s*(?P<name>'[^'\s]+'|"[^"\s]+")\s*\))?)"""
)


class ElementPath:
    """A compiled XPath that selects elements, in document order."""

    __slots__ = ("_compiled", "expression")

    def __init__(self, expression: str) -> None:
        self.expression = expression
        try:
            # Neither EXSLT nor smart strings: a stored expression gets plain XPath 1.0.
            self._compiled = etree.XPath(
                _replace_id_calls(expression), regexp=False, smart_strings=False
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
            raise WrapperError(f"XPath {self._shown} gives a value instead of elements")
        return [element for element in found if isinstance(element, etree._Element)]

    @property
    def _shown(self) -> str:
        expression = self.expression
        return repr(expression if len(expression) <= 200 else expression[:200] + "…")

    def __repr__(self) -> str:
        return f"ElementPath({self.expression!r})"


class AttributePath:
    """A compiled XPath that selects attributes of one name; it gives their elements, in order.

    Faster than a predicate on every element, and linear: libxml2 compares each parent that `/..`
    finds with all before it.

    >>> body = etree.fromstring("<body><p>It <b hidden=''>rained</b>.</p></body>")
    >>> [element.tag for element in AttributePath("descendant::*/@hidden")(body)]
    ['b']
    """

    __slots__ = ("_compiled",)

    def __init__(self, expression: str) -> None:
        self._compiled = etree.XPath(expression, regexp=False)

    def __call__(self, root: Element) -> list[Element]:
        try:
            found: Any = self._compiled(root)  # strings that know their elements
        except etree.XPathEvalError as err:
            check_memory(err)
            raise
        return [attribute.getparent() for attribute in found]


def _replace_id_calls(expression: str) -> str:
    """Replace id('x'): pages are parsed without the id table that it needs."""

    def replace(found: re.Match[str]) -> str:
        name = found["name"]
        if found["call"] and not name:
            raise ValueError("id() takes a single name in quotes")
        return f"(//*[@id={name} or self::a[@name={name}]])[1]" if name else found[0]

    return _ID_CALL.sub(replace, expression)
