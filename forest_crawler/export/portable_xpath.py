"""Translate XPaths that people write into portable ones.

Imported rules and pinned wrappers pass here; what no locator can express is refused.
`[@class='a b']` and `[contains(@class,'a')]` become tests for class tokens: this is what their
authors mean, and it survives an additional class.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from forest_crawler.errors import WrapperError
from forest_crawler.wrapper.locators import Locator, Step, read_xpath, write_xpath

MAX_XPATH_LENGTH = 2000

_CLASS_NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
_QUOTED = r"(?:'([^'\"]*)'|\"([^'\"]*)\")"
_CLASS_IS = re.compile(rf"\[\s*@class\s*=\s*{_QUOTED}\s*\]")
_CLASS_HAS = re.compile(rf"\[\s*contains\(\s*@class\s*,\s*{_QUOTED}\s*\)\s*\]")
_CLASS_IN = re.compile(r"(?:contains\(\s*@class\b|@class\s*=)")
_PADDED = re.compile(
    rf"\[\s*contains\(\s*concat\(\s*['\"] ['\"]\s*,\s*(?:normalize-space\(\s*@class\s*\)|@class)"
    rf"\s*,\s*['\"] ['\"]\s*\)\s*,\s*{_QUOTED}\s*\)\s*\]"
)
_STARTS = re.compile(rf"\[\s*starts-with\(\s*(@[\w.-]+)\s*,\s*{_QUOTED}\s*\)\s*\]", re.ASCII)
_OWN_UNION = re.compile(r"\((.*)\)\[not\(ancestor::.*\)\]")
_AND = re.compile(r"\s+and\s+")
_PREDICATE = re.compile(r"\[([^\[\]]*)\]")
_BLANKS = re.compile(r"\s*(=|//?|\[|\]|@)\s*")


def to_portable(text: str) -> list[str]:
    """Translate an XPath, which may be a union, into portable paths.

    Raises `WrapperError` for what no locator can express: positions, functions, other axes.

    >>> to_portable("//div[@class='story'] | //p[contains(@class, 'lead')]")[1]
    "//p[contains(concat(' ',normalize-space(@class),' '),' lead ')]"
    """
    if len(text) > MAX_XPATH_LENGTH:
        raise WrapperError(f"XPath of more than {MAX_XPATH_LENGTH} characters")
    if own := _OWN_UNION.fullmatch(text):
        parts = [part.strip() for part in _split_union(own[1])]
        if write_union(parts) == text:
            return parts
    paths = [write_xpath(_read(part.strip())) for part in _split_union(text)]
    if not paths:
        raise WrapperError("an XPath is empty; write one, such as //div[@class='story']")
    return paths


def to_exact(text: str) -> list[str]:
    """Translate an XPath, which may be a union, into portable paths of exactly its meaning.

    Raises `WrapperError` for what no locator can express, and for `[@class='a']`, which a locator
    would express with another meaning.

    >>> to_exact("//div[ @id='story' ]/p")
    ["//div[@id='story']/p"]
    """
    if _CLASS_IS.search(text) or _CLASS_HAS.search(text) or _CLASS_IN.search(text):
        raise WrapperError("a test of the whole class attribute isn't portable")
    return to_portable(text)


def write_union(expressions: Sequence[str]) -> str:
    """Write one XPath for several paths, without nodes inside other selected nodes.

    Tools that join all nodes would otherwise show those twice.

    >>> write_union(["//div[@id='a']", "//p"])
    "(//div[@id='a'] | //p)[not(ancestor::div[@id='a']) and not(ancestor::p)]"
    """
    if len(expressions) == 1:
        return expressions[0]
    outside = " and ".join(f"not({_ancestor_test(read_xpath(it))})" for it in expressions)
    return f"({' | '.join(expressions)})[{outside}]"


def outermost_test(expressions: Sequence[str], stripped: Sequence[str] = ()) -> str:
    """Write a predicate for what is inside no match, and neither is nor is inside a stripped one.

    >>> outermost_test(["//main"], ["//p[@id='a']"])
    "[not(ancestor::main) and not(ancestor-or-self::p[@id='a'])]"
    """
    tests = [_ancestor_test(read_xpath(it)) for it in expressions]
    tests += [
        _ancestor_test(read_xpath(it)).replace("ancestor::", "ancestor-or-self::", 1)
        for it in stripped
    ]
    return f"[{' and '.join(f'not({test})' for test in tests)}]"


def _ancestor_test(locator: Locator) -> str:
    """Write a test for an ancestor that a locator selects, from the last step up."""
    test = ""
    for axis, step in zip([it.axis for it in locator[1:]] + ["//"], locator, strict=True):
        written = write_xpath((Step("//", step.tag, step.tests),)).removeprefix("//")
        above = f"[{test}]" if test else ""
        test = f"{'parent' if axis == '/' else 'ancestor'}::{written}{above}"
    return test


def _read(text: str) -> Locator:
    try:
        return read_xpath(text)
    except WrapperError:
        plain = _normalise(text)
        return read_xpath(plain if plain.startswith("//") else f"//{plain.lstrip('/')}")


def _normalise(text: str) -> str:
    split = _PREDICATE.sub(lambda it: "".join(f"[{x}]" for x in _AND.split(it[1])), text)
    padded = _PADDED.sub(lambda it: _tests((it[1] or it[2] or "").split()), split)
    exact = _CLASS_IS.sub(lambda it: _tests((it[1] or it[2] or "").split()), padded)
    held = _CLASS_HAS.sub(lambda it: _tests((it[1] or it[2] or "").split()), exact)
    started = _STARTS.sub(lambda it: f"[starts-with({it[1]},'{it[2] or it[3] or ''}')]", held)
    return _tidy(started)


def _tests(tokens: list[str]) -> str:
    if not tokens or not all(re.fullmatch(_CLASS_NAME, token) for token in tokens):
        raise WrapperError(f"not a portable locator: classes {tokens!r}")
    written = write_xpath((Step("//", "x", tuple(("class", token) for token in tokens)),))
    return written.removeprefix("//x")


def _tidy(text: str) -> str:
    """Remove blanks around operators, outside quotes."""
    pieces = re.split(r"('[^']*'|\"[^\"]*\")", text)
    return "".join(it if i % 2 else _BLANKS.sub(r"\1", it) for i, it in enumerate(pieces))


def _split_union(text: str) -> list[str]:
    """Split a union at bars outside quotes."""
    pieces = re.split(r"('[^']*'|\"[^\"]*\")", text)
    marked = "".join(it if i % 2 else it.replace("|", "\0") for i, it in enumerate(pieces))
    return [part for part in marked.split("\0") if part.strip()]
