"""Write a wrapper into a row and read it back, by an allow-list of XPaths.

A store may come from another machine, and an XPath can take quadratic time and more. So portable
wrappers may hold only what `locators.read_xpath` reads, dfs ones only what `dfs_form` writes, and
imported ones only what `safe_xpath` lets run.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable

from forest_crawler.errors import WrapperError
from forest_crawler.page.xpath_syntax import DIGITS
from forest_crawler.wrapper.locators import read_xpath
from forest_crawler.wrapper.safe_xpath import check_safe
from forest_crawler.wrapper.wrapper import FIELDS, Wrapper, dump_wrappers, load_wrappers

_NAME = r"[A-Za-z_][A-Za-z0-9_.-]*"
_QUOTED = r"(?:'[^']*'|\"[^\"]*\")"
_LITERAL = rf"(?:{_QUOTED}|concat\({_QUOTED}(?:, {_QUOTED})+\))"
_ATTRIBUTE = rf"@(?:{_NAME}|\*\[name\(\)={_LITERAL}\])"
_SUBJECT = rf"(?:{_ATTRIBUTE}|translate\({_ATTRIBUTE},'{DIGITS}',''\))"
_TEST = rf"(?:contains\({_SUBJECT},{_LITERAL}\)|{_ATTRIBUTE})"
_POSITION = r"@dfs='[0-9]+'"
_DFS_FORM = re.compile(
    rf"//(?:{_NAME}|\*\[name\(\)={_LITERAL}\])"
    rf"\[(?:{_TEST} and )*(?:{_POSITION}|\({_POSITION}(?: or {_POSITION})+\))\]"
)


def write_document(wrapper: Wrapper) -> str:
    """Write a wrapper for a row; raises `WrapperError` if it could not be read back."""
    document = dump_wrappers([wrapper])
    read_document(document, wrapper.site)
    return document


def read_document(document: str, site: str) -> Wrapper:
    """Read the wrapper of a row; raises `WrapperError` with the site otherwise."""
    try:
        found = load_wrappers(document)
        if len(found) != 1:
            raise WrapperError(f"{len(found)} wrappers instead of one")
        for expression in _expressions(found[0]):
            _check(expression, found[0].form)
    except WrapperError as err:
        raise WrapperError(f"stored wrapper of {site}: {err}") from err
    return found[0]


def _check(expression: str, form: str) -> None:
    if form == "portable":
        read_xpath(expression)
    elif form == "xpath":
        check_safe(expression)  # changes of the source and links are checked by `load_wrappers`
    elif not _DFS_FORM.fullmatch(expression):
        raise WrapperError(f"not an XPath with dfs positions: {reprlib.repr(expression)}")


def _expressions(wrapper: Wrapper) -> Iterable[str]:
    yield from wrapper.body
    yield from wrapper.strip
    for field in FIELDS:
        if expression := getattr(wrapper, field):
            yield expression
