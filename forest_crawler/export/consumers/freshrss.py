"""FreshRSS 1.25: all elements of the selector, the filter inside each of them.

`Entry::getContentByParsing` translates CSS with phpgt/cssxpath, which reads a selector by one
regular expression: tag, id, class, attribute tests, child and descendant. It ignores `:not()`, and
reads no escapes. The filter is relative to each taken element (`.//`).
"""

from __future__ import annotations

import copy
import re

from forest_crawler.export.consumers.documents import find_all, remove, write_outer
from forest_crawler.page.xpath import Element

_TOKEN = re.compile(
    r"(?P<star>\*)"
    r"|(?::(?P<pseudo>[\w-]*))"
    r"|\(*(?P<specifier>[\"']*[\w \t-]*[\"']*)\)"
    r"|(?P<element>[\w-]+)"
    r"|(?P<child>\s*>\s*)"
    r"|(?:\#(?P<id>[\w-]*))"
    r"|(?:\.(?P<class>[\w-]*))"
    r"|(?P<sibling>\s*\+\s*)"
    r"|\[(?P<name>[\w-]*)(?:(?P<operator>[=~$|^*]+)(?P<value>[^\]]+))?\]"
    r"|(?P<descendant>\s+)",
    re.ASCII,
)
_COMMA = re.compile(r"((?:\"[^\"]*\"|'[^']*'|[^,\"'])+)")
_STRIPPED = ("script", "style", "noscript")


def show_freshrss(page: Element, selector: str, content_filter: str = "") -> str:
    """Return the content that FreshRSS shows of a page, parsed by `parse_libxml2`."""
    taken = []
    for element in find_all(page, translate(selector.strip(", "), "//")):
        if content_filter.strip(", "):
            remove(find_all(element, translate(content_filter.strip(", "), ".//")))
        taken.append(copy.deepcopy(element))  # as it is now: a later filter may change it
    for element in taken:
        remove(list(element.iter(*_STRIPPED)))
    return write_outer(taken, "\n")


def translate(css: str, prefix: str) -> str:
    """Translate a selector to XPath as phpgt/cssxpath does.

    >>> translate("main > p.lead", "//")
    "//main/p[contains(concat(' ',normalize-space(@class),' '),' lead ')]"
    """
    return " | ".join(prefix + _translate_one(part.strip()) for part in _COMMA.findall(css))


def _translate_one(css: str) -> str:
    written, has_element = "", False
    for token in _TOKEN.finditer(css):
        kind = token.lastgroup
        if kind in ("star", "element"):
            written, has_element = written + token[0].lower(), True
        elif kind in ("child", "descendant"):
            written, has_element = written + ("/" if kind == "child" else "//"), False
        elif kind == "sibling":
            written, has_element = written + "/following-sibling::*[1]/self::", False
        elif kind not in ("pseudo", "specifier"):
            written += ("" if has_element else "*") + _test(token)
            has_element = True
    return written


def _test(token: re.Match[str]) -> str:
    if token.lastgroup == "id":
        return f"[@id='{token['id']}']"
    if token.lastgroup == "class":
        return f"[contains(concat(' ',normalize-space(@class),' '),' {token['class']} ')]"
    name, operator = token["name"].lower(), token["operator"]
    if not operator:
        return f"[@{name}]"
    value = token["value"].strip(" '\"")
    return {
        "=": f'[@{name}="{value}"]',
        "*=": f'[contains(@{name},"{value}")]',
        "~=": f'[contains(concat(" ",@{name}," "),concat(" ","{value}"," "))]',
        "|=": f'[@{name}="{value}" or starts-with(@{name}, "{value}-")]',
        "^=": f'[starts-with(@{name}, "{value}")]',
        "$=": f'[substring(@{name},string-length(@{name})-{len(value) - 1})="{value}"]',
    }.get(operator, "")
