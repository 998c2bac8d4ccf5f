"""`Locator`: a path that any tool can run, written as XPath 1.0 or as CSS.

A locator uses only what CSS can express too: tag, id, class token, attribute, the start of an
attribute's value, child and descendant.
It names what a site's pages share, so it never mentions dfs numbers or positions.
`forest_crawler.wrapper.element_names` finds locators for an element.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from forest_crawler.errors import WrapperError
from forest_crawler.page.xpath_syntax import literal

Axis = Literal["/", "//"]
Test: TypeAlias = tuple[str, str]
"""An attribute and its value; for `class`, one token of the value; for `class^` (or another
attribute with `^`), the start of the value."""

PREFIX_MARK = "^"


class Step(NamedTuple):
    """One step of a locator: an axis, a tag, and tests of its attributes."""

    axis: Axis
    tag: str
    tests: tuple[Test, ...] = ()


Locator: TypeAlias = tuple[Step, ...]

_BLANKS = re.compile(r"[ \t\r\n]+")  # what separates class tokens in XPath and in CSS
_CSS_IDENTIFIER = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]*")
_NAME = r"[A-Za-z_][A-Za-z0-9_.-]*"  # as `xpath_syntax.is_name` accepts it
_QUOTED = r"(?:'[^']*'|\"[^\"]*\")"
_QUOTED_RUN = re.compile(_QUOTED)
_STEP = re.compile(rf"(?P<axis>//?)(?P<tag>{_NAME})")
_TEST = re.compile(
    rf"\[(?:@(?P<name>{_NAME})=|starts-with\(@(?P<start>{_NAME}),"
    rf"|contains\(concat\(' ',normalize-space\(@class\),' '\),)"
    rf"(?P<value>{_QUOTED}|concat\({_QUOTED}(?:, {_QUOTED})+\))(?(name)|\))\]"
)


def write_xpath(locator: Locator) -> str:
    """Write a locator as XPath 1.0.

    >>> write_xpath((Step("//", "div", (("class", "story"),)), Step("/", "p")))
    "//div[contains(concat(' ',normalize-space(@class),' '),' story ')]/p"
    >>> write_xpath((Step("//", "div", (("class^", "Story_root__"),)),))
    "//div[starts-with(@class,'Story_root__')]"
    """
    return "".join(step.axis + step.tag + "".join(map(_test_xpath, step.tests)) for step in locator)


def write_css(locator: Locator) -> str:
    """Write a locator as a CSS selector.

    >>> write_css((Step("//", "div", (("id", "main"),)), Step("//", "p", (("class", "lead"),))))
    'div[id="main"] p.lead'
    >>> write_css((Step("//", "div", (("class^", "Story_root__"),)),))
    'div[class^="Story_root__"]'
    """
    parts = []
    for step in locator:
        tests = "".join(map(_test_css, step.tests))
        parts.append(("> " if step.axis == "/" else "") + step.tag + tests)
    return " ".join(parts)


def read_xpath(text: str) -> Locator:
    """Read a locator from an XPath as `write_xpath` writes it.

    Raises `WrapperError` for any other XPath: stored wrappers are not trusted, and positions, other
    axes, functions and unions are not portable.

    >>> read_xpath("//div[@id='main']/p")
    (Step(axis='//', tag='div', tests=(('id', 'main'),)), Step(axis='/', tag='p', tests=()))
    """
    steps: list[Step] = []
    position = 0
    while match := _STEP.match(text, position):
        tests: list[Test] = []
        position = match.end()
        while test := _TEST.match(text, position):
            tests.append(_read_test(test, text))
            position = test.end()
        axis: Axis = "//" if match["axis"] == "//" else "/"
        steps.append(Step(axis, match["tag"], tuple(tests)))
    if position < len(text) or not steps or steps[0].axis != "//":
        raise _not_portable(text)
    return tuple(steps)


def class_tokens(value: str) -> list[str]:
    """Split the value of a class attribute, at what XPath and CSS take for blanks."""
    return [token for token in _BLANKS.split(value) if token]


def has_token(value: str, token: str) -> bool:
    """Whether the value of a class attribute contains a class token.

    >>> has_token("story lead", "lead"), has_token("storylead", "lead")
    (True, False)
    """
    return value == token or (token in value and token in _BLANKS.split(value))


def tested_attribute(name: str) -> str:
    """Return the attribute that a test with this name reads.

    >>> tested_attribute("class^"), tested_attribute("id")
    ('class', 'id')
    """
    return name.removesuffix(PREFIX_MARK)


def loose_match(name: str) -> Callable[[str, str], bool] | None:
    """Return how a value may pass a test with this name without being equal to its value.

    >>> loose_match("class^")("Story_root__x7Kd2", "Story_root__"), loose_match("id")
    (True, None)
    """
    if name == "class":
        return has_token
    return str.startswith if name.endswith(PREFIX_MARK) else None


def _read_test(match: re.Match[str], text: str) -> Test:
    value = "".join(run[1:-1] for run in _QUOTED_RUN.findall(match["value"]))
    name, start = match["name"], match["start"]
    if start is not None:
        if not value:  # every value starts with it in XPath, and none in CSS
            raise _not_portable(text)
        return start + PREFIX_MARK, value
    if name is None:
        token = value[1:-1]
        if value != f" {token} " or not token or _BLANKS.search(token):
            raise _not_portable(text)
        return "class", token
    if name == "class":  # the whole attribute: as soon as the site adds a class, nothing matches
        raise _not_portable(text)
    return name, value


def _not_portable(text: str) -> WrapperError:
    return WrapperError(
        f"not a portable locator: {reprlib.repr(text)}; only tags, ids, class tokens, attributes "
        "and starts-with, joined by / and //, are"
    )


def _test_xpath(test: Test) -> str:
    name, value = test
    if name == "class":
        return f"[contains(concat(' ',normalize-space(@class),' '),{literal(f' {value} ')})]"
    if name.endswith(PREFIX_MARK):
        return f"[starts-with(@{tested_attribute(name)},{literal(value)})]"
    return f"[@{name}={literal(value)}]"


def _test_css(test: Test) -> str:
    name, value = test
    if name == "class" and _CSS_IDENTIFIER.fullmatch(value):
        return f".{value}"
    quoted = re.sub(r'["\\\n\r\f]', lambda match: f"\\{ord(match.group()):x} ", value)
    operator = "~=" if name == "class" else "="  # a name with a mark makes it `^=`
    return f'[{name}{operator}"{quoted}"]'
