"""Translate CSS selectors to XPath, as far as exported rules use CSS.

Tag, `*`, `#id`, `.class`, attribute tests, the four combinators, and `:not()` of a list, whose
selectors may be complex, as in cascadia and in browsers.
"""

from __future__ import annotations

import re

from forest_crawler.errors import WrapperError
from forest_crawler.page.xpath_syntax import literal

_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})[ \t\n]?|(.))", re.DOTALL)
_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\[0-9A-Fa-f]{1,6}[ ]?|\\.)+"
_STRING = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_PART = re.compile(
    rf"(?P<tag>\*|{_NAME})|\#(?P<id>{_NAME})|\.(?P<class>{_NAME})"
    rf"|\[\s*(?P<name>{_NAME})\s*(?:(?P<operator>[~|^$*]?=)\s*(?P<value>{_STRING}|{_NAME})\s*)?\]"
    r"|:(?P<pseudo>not)\(",
    re.ASCII,
)
_COMBINATOR = re.compile(r"\s*([>+~])\s*|\s+")
_AXES = {">": "parent::", " ": "ancestor::", "+": "preceding-sibling::*[1]/self::"}
_AXES["~"] = "preceding-sibling::"


def css_to_xpath(selector: str, prefix: str = "//") -> str:
    """Translate a list of selectors; raises `WrapperError` for what isn't one.

    >>> css_to_xpath("main > p.lead")
    "//p[contains(concat(' ',normalize-space(@class),' '),' lead ')][parent::main]"
    """
    steps, end = _read_list(selector, 0)
    if end < len(selector):
        raise WrapperError(f"not a CSS selector: {selector!r} at {selector[end:]!r}")
    return " | ".join(prefix + step for step in steps)


def _read_list(text: str, position: int) -> tuple[list[str], int]:
    """Read selectors up to the end or a closing bracket, each as a node test with predicates."""
    found = []
    while True:
        step, position = _read_complex(text, position)
        found.append(step)
        if position >= len(text) or text[position] != ",":
            return found, position
        position += 1


def _read_complex(text: str, position: int) -> tuple[str, int]:
    position += len(text[position:]) - len(text[position:].lstrip())
    step, position = _read_compound(text, position)
    while True:
        combinator = _COMBINATOR.match(text, position)
        if not combinator:
            return step, position
        after = combinator.end()
        if after >= len(text) or text[after] in ",)":
            return step, after
        right, position = _read_compound(text, after)
        step = f"{right}[{_AXES[combinator[1] or ' ']}{step}]"


def _read_compound(text: str, position: int) -> tuple[str, int]:
    tag, tests, start = "*", "", position
    while part := _PART.match(text, position):
        if part["tag"] and position > start:
            break
        position = part.end()
        if part["tag"]:
            tag = part["tag"] if part["tag"] == "*" else _plain(part["tag"]).lower()
        elif part["pseudo"]:
            inner, position = _read_list(text, position)
            if text[position : position + 1] != ")":
                raise WrapperError(f"not a CSS selector: {text!r}: a bracket isn't closed")
            position += 1
            tests += "".join(f"[not(self::{step})]" for step in inner)
        else:
            tests += _test(part)
    if position == start:
        raise WrapperError(f"not a CSS selector: {text!r} at {text[position:]!r}")
    return tag + tests, position


def _test(part: re.Match[str]) -> str:
    if part["class"]:
        return _has_word("class", _plain(part["class"]))
    if part["id"]:
        return f"[@id={literal(_plain(part['id']))}]"
    name, operator = _plain(part["name"]).lower(), part["operator"]
    if not operator:
        return f"[@{name}]"
    value = _plain(part["value"][1:-1] if part["value"][0] in "\"'" else part["value"])
    return _compare(name, operator, value)


def _compare(name: str, operator: str, value: str) -> str:
    quoted = literal(value)
    if operator == "=":
        return f"[@{name}={quoted}]"
    if not value:
        return "[false()]"
    if operator == "~=":
        return _has_word(name, value)
    if operator == "|=":
        return f"[@{name}={quoted} or starts-with(@{name},{literal(value + '-')})]"
    if operator == "^=":
        return f"[starts-with(@{name},{quoted})]"
    if operator == "*=":
        return f"[contains(@{name},{quoted})]"
    start = f"string-length(@{name})-{len(value) - 1}"
    return f"[substring(@{name},{start})={quoted}]"


def _has_word(name: str, word: str) -> str:
    return f"[contains(concat(' ',normalize-space(@{name}),' '),{literal(f' {word} ')})]"


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda it: chr(int(it[1], 16)) if it[1] else it[2], text)
