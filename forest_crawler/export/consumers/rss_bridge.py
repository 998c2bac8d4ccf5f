"""RSS-Bridge's CssSelectorFeedExpander: the first element, without what cleanup finds inside.

simple_html_dom reads a selector by one regular expression: tag, one id, classes and attribute
tests, in this order, joined by descendant, child and sibling combinators; no escapes, no
pseudo-classes. Cleanup searches below the taken element, so a selector must not begin above it.
"""

from __future__ import annotations

import copy
import re

from forest_crawler.export.consumers.documents import find_all, remove, write_outer
from forest_crawler.page.xpath import Element
from forest_crawler.page.xpath_syntax import literal

_COMPOUND = re.compile(
    r"([\w:*-]*)(?:\#([\w-]+))?(?:|\.([\w.-]+))?"
    r"((?:\[@?(?:!?[\w:-]+)(?:[!*^$|~]?=[\"']?.*?[\"']?)?(?:\s*?[iIsS]?)?\])+)?([/, >+~]+)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"\[@?(!?[\w:-]+)(?:([!*^$|~]?=)[\"']?(.*?)[\"']?)?(?:\s+?([iIsS])?)?\]", re.DOTALL
)
_AXES = {" ": "//", ">": "/", "+": "/following-sibling::*[1]/self::", "~": "/following-sibling::"}


def show_rss_bridge(page: Element, selector: str, cleanup: str = "") -> str:
    """Return the content that RSS-Bridge shows of a page, parsed by `parse_libxml2`."""
    found = find_all(page, translate(selector, "//"))
    if not found:
        return ""
    element = copy.deepcopy(found[0])
    if cleanup:
        remove(find_all(element, translate(cleanup, ".//")))
    remove(list(element.iter("script", "style", "noscript")))
    return write_outer([element])


def translate(selector: str, prefix: str) -> str:
    """Translate a selector to an XPath with the meaning that simple_html_dom gives it.

    >>> translate("main > p.lead", "//")
    "//main/p[contains(concat(' ',translate(@class,'\\t\\n\\r','xxx'),' '),' lead ')]"
    """
    lists: list[list[str]] = [[]]
    separator = ""
    for match in _COMPOUND.finditer(selector.strip() + " "):
        if match[0].strip() in ("", "/", "//"):
            continue
        axis = _AXES.get(separator, "//") if lists[-1] else prefix
        lists[-1].append(axis + _compound(match))
        separator = match[5].strip() or " "
        if separator == ",":
            lists.append([])
    return " | ".join("".join(steps) for steps in lists if steps)


def _compound(match: re.Match[str]) -> str:
    tests = f"[@id={literal(match[2])}]" if match[2] else ""
    for name in (match[3] or "").split("."):
        tests += _has_word("class", name) if name else ""
    for name, operator, value, _ in _ATTRIBUTE.findall(match[4] or ""):
        tests += _attribute(name, operator, value)
    return (match[1].lower() or "*") + tests


def _attribute(name: str, operator: str, value: str) -> str:
    if name.startswith("!"):
        return f"[not(@{name[1:]})]"
    quoted = literal(value)
    return {
        "=": f"[@{name}={quoted}]",
        "!=": f"[@{name}!={quoted}]",
        "^=": f"[starts-with(@{name},{quoted})]",
        "|=": f"[starts-with(@{name},{quoted})]",
        "*=": f"[contains(@{name},{quoted})]",
        "$=": f"[substring(@{name},string-length(@{name})-{len(value) - 1})={quoted}]",
        "~=": _has_word(name, value),
    }.get(operator, f"[@{name}]")


def _has_word(name: str, word: str) -> str:
    """Test for a word between blanks; other white space doesn't separate words here."""
    words = f"concat(' ',translate(@{name},'\t\n\r','xxx'),' ')"
    return f"[contains({words},{literal(f' {word} ')})]"
