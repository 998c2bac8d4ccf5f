"""`Wrapper`: how to extract a site's articles from its pages.

A frozen value with a JSON form. Induction learns it from a sample of pages; extraction applies it
to every page of the site.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from itertools import chain
from math import isfinite
from types import NoneType
from typing import Any, Literal, get_args

from lxml import etree

from forest_crawler.errors import WrapperError
from forest_crawler.page.lines import drop_lines
from forest_crawler.page.selection import Selection, select_elements, select_in_order
from forest_crawler.page.sentences import is_within_sentence
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element, ElementPath
from forest_crawler.urls.hosts import host_of
from forest_crawler.wrapper.matcher import PathSet, merge_in_order
from forest_crawler.wrapper.page_rewrite import Rewrite, check_rewrites, rewrite_tree
from forest_crawler.wrapper.safe_xpath import check_safe
from forest_crawler.wrapper.value_path import (
    check_value_path,
    find_link,
    is_value_path,
    read_values,
)

FORMAT = "forest-wrappers"
VERSION = 1
"""Version of the JSON form. Files of other versions are refused, never guessed at."""

Field = Literal["title", "author", "date", "lead", "image"]
FIELDS: tuple[Field, ...] = get_args(Field)
"""What a wrapper may locate besides the article's body."""

# Running an expression on it reveals unknown functions, and values instead of elements.
_BARE_PAGE = etree.fromstring("<html><body/></html>")

Form = Literal["dfs", "portable", "xpath"]
"""`dfs`: the paper's XPath over dfs-annotated trees; `portable`: an XPath that any tool can run;
`xpath`: one of another tool's rules, as far as `safe_xpath` lets it run."""


@dataclass(frozen=True, slots=True)
class Wrapper:
    """XPaths that locate the article on the pages of one site template."""

    site: str
    method: str
    form: Form
    body: tuple[str, ...]  # everything that one of them selects is content
    strip: tuple[str, ...] = ()  # except for what one of these selects inside
    support: int = 0  # pages of the sample on which it was found
    pages: int = 0  # pages of the sample
    relevance: float = 0.0  # R of the body: Σ J · U over its pages, times `frequency` and `level`
    confidence: float = 0.0  # 0 to 1: the F1 to expect of it, by its pages; 0 if unknown
    words: int = 0  # the fewest that it selected on a page of the sample
    # XPaths of the fields; the first element that one selects shows the field.
    title: str | None = None
    author: str | None = None
    date: str | None = None
    lead: str | None = None
    image: str | None = None
    # Metadata values that are the same on all pages, so they describe none (`site_constants`).
    common: tuple[str, ...] = ()
    density: float = 0.0  # J of the body, the mean over its pages
    unexpectedness: float = 0.0  # U of the body, likewise
    frequency: int = 0  # pages that have the body (the paper's p)
    level: float = 0.0  # of the body in their trees, the mean
    # The terms that were signifiers of the sample's pages, the heaviest first.
    signifiers: tuple[str, ...] = ()
    language: str | None = None  # of the sample's terms
    # On how many pages of the sample each term is, those on two or more: `menu:10 harbour:2`.
    frequencies: str = ""
    # The host that it is for, or `.` and a domain for all hosts below that; `None` for any.
    host: str | None = None
    repeated: tuple[str, ...] = ()  # lines of text that are template, so they are left out
    # Changes of the source before the XPaths run, as another tool's rules demand (`page_rewrite`).
    rewrite: tuple[Rewrite, ...] = ()
    # XPaths of the link to the article's next page, and to all of it on one page.
    next_page: str | None = None
    single_page: str | None = None

    @property
    def trust(self) -> float:
        """How far it may decide alone, 0 to 1: two pages that agree are not ten.

        >>> Wrapper("s", "m", "portable", ("//p",), confidence=0.9, support=8).trust
        0.8
        """
        return self.confidence * self.support / (self.support + 1)

    def select(self, tree: PageTree) -> Selection:
        """Select the article's nodes of a page; nothing if no expression matches."""
        if self.host and not is_on_host(tree.url, self.host):
            return Selection(tree)
        tree = self.rewritten(tree)
        found = self._find(tree, (*self.body, *self.strip))
        body = [elements for elements in found[: len(self.body)] if elements]
        if not body:
            return Selection(tree)
        stripped = {element for elements in found[len(self.body) :] for element in elements}
        # The rule was learnt where it cut no sentence, but this may be another sort of page.
        stripped -= {element for element in stripped if is_within_sentence(element, stripped)}
        selection = self._select(tree, body, stripped)
        return drop_lines(selection, frozenset(self.repeated)) if self.repeated else selection

    def _select(
        self, tree: PageTree, body: list[list[Element]], stripped: set[Element]
    ) -> Selection:
        if len(body) == 1:
            return select_in_order(tree, body[0], stripped)
        if self.form == "portable" and _path_set(self.body).is_portable:
            return select_in_order(tree, merge_in_order(tree.html, body), stripped)
        return select_elements(tree, chain.from_iterable(body), stripped)

    def find_stripped(self, tree: PageTree) -> dict[str, list[Element]]:
        """Return what each strip rule matches on a page, on all of it."""
        found = self._find(self.rewritten(tree), self.strip)
        return dict(zip(self.strip, found, strict=True))

    def locate(self, tree: PageTree, field: Field) -> list[Element]:
        """Return the elements of a page that show a field; none without an XPath for it."""
        expression: str | None = getattr(self, field)
        if not expression or (self.form == "xpath" and is_value_path(expression)):
            return []
        return self._find(self.rewritten(tree), (expression,))[0]

    def read_values(self, tree: PageTree, field: Field) -> list[str]:
        """Return the texts that another tool's rule gives for a field; none if it has elements."""
        expression: str | None = getattr(self, field)
        if not expression or self.form != "xpath" or not is_value_path(expression):
            return []
        return read_values(self.rewritten(tree), expression)

    def find_link(self, tree: PageTree, name: Literal["next_page", "single_page"]) -> str | None:
        """Return the URL of the article's next page or of all of it on one, if a rule finds it."""
        expression: str | None = getattr(self, name)
        return find_link(self.rewritten(tree), expression) if expression else None

    def rewritten(self, tree: PageTree) -> PageTree:
        """Return the tree on which the XPaths run."""
        return rewrite_tree(tree, self.rewrite) if self.rewrite else tree

    def _find(self, tree: PageTree, expressions: tuple[str, ...]) -> list[list[Element]]:
        if self.form == "dfs":
            return [tree.select_annotated(_compiled(expression)) for expression in expressions]
        return _path_set(expressions)(tree.html)


def is_on_host(url: str | None, host: str) -> bool:
    """Whether a URL is on a host, with or without `www.`; or, of `.domain`, on a host below it.

    >>> is_on_host("http://www.gazette.example/a", "gazette.example")
    True
    >>> is_on_host("http://news.gazette.example/a", ".gazette.example")
    True
    """
    found = (host_of(url) or "").removeprefix("www.") if url else ""
    return found.endswith(host) if host.startswith(".") else found == host


def dump_wrappers(wrappers: Iterable[Wrapper]) -> str:
    """Write wrappers as JSON; `load_wrappers` reads it back."""
    document = {"format": FORMAT, "version": VERSION, "wrappers": [asdict(w) for w in wrappers]}
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def load_wrappers(text: str) -> list[Wrapper]:
    """Read wrappers from JSON; raise `WrapperError` with what is wrong."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as err:
        raise _error(f"not JSON: {err}") from err
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _error(f"not a wrappers file: its 'format' is not {FORMAT!r}")
    version = document.get("version")
    if not _has_type(version, int) or version != VERSION:
        raise WrapperError(
            f"written in version {reprlib.repr(version)} of the format, this program reads version "
            f"{VERSION}; induce the wrappers again, or use the program that wrote them"
        )
    rows = document.get("wrappers")
    if not isinstance(rows, list):
        raise _error("not a wrappers file: its 'wrappers' is not a list")
    return [_load_wrapper(row, number) for number, row in enumerate(rows, 1)]


_TYPES: dict[str, type | tuple[type, ...]] = {
    "site": str,
    "method": str,
    "form": str,
    "body": list,
    "strip": list,
    "support": int,
    "pages": int,
    "relevance": (int, float),
    "density": (int, float),
    "unexpectedness": (int, float),
    "frequency": int,
    "level": (int, float),
    "confidence": (int, float),
    "words": int,
    **dict.fromkeys(FIELDS, (str, NoneType)),
    "common": list,
    "signifiers": list,
    "language": (str, NoneType),
    "frequencies": str,
    "host": (str, NoneType),
    "rewrite": list,
    "next_page": (str, NoneType),
    "single_page": (str, NoneType),
    "repeated": list,
}


def _load_wrapper(row: Any, number: int) -> Wrapper:
    if not isinstance(row, dict):
        raise _error(f"wrapper {number} is not an object")
    wanted = {field.name for field in fields(Wrapper)}
    if unknown := sorted(set(row) - wanted):
        raise _error(f"wrapper {number} has unknown fields: {reprlib.repr(unknown)}")
    for name in ("site", "method", "form", "body"):
        if name not in row:
            raise _error(f"wrapper {number} has no {name!r}")
    for name, value in row.items():
        if not _has_type(value, _TYPES[name]):
            shown = reprlib.repr(value)
            raise _error(f"wrapper {number}: {name!r} is {shown}, which has the wrong type")
    for name in FIELDS:
        if row.get(name) is not None:
            _try_field(row[name], row["form"], number)
    for name in ("next_page", "single_page"):
        if row.get(name) is not None:
            _try_link(row[name], number)
    lists = {name: _expressions(row, name, number) for name in ("body", "strip")}
    lists |= {name: _strings(row, name, number) for name in ("common", "signifiers", "repeated")}
    return Wrapper(**row | lists | {"rewrite": _rewrites(row.get("rewrite", []), number)})


def _strings(row: dict[str, Any], name: str, number: int) -> tuple[str, ...]:
    strings = row.get(name, [])
    if not all(isinstance(string, str) for string in strings):
        raise _error(f"wrapper {number}: {name!r} contains something other than strings")
    return tuple(strings)


def _expressions(row: dict[str, Any], name: str, number: int) -> tuple[str, ...]:
    expressions = _strings(row, name, number)
    if row["form"] not in get_args(Form):
        shown = reprlib.repr(row["form"])
        raise _error(f"wrapper {number}: form {shown} is not one of {get_args(Form)}")
    for expression in expressions:
        _try_expression(expression, number)
    return expressions


def _rewrites(rows: list[Any], number: int) -> tuple[Rewrite, ...]:
    for row in rows:
        if not isinstance(row, list) or len(row) != 3 or not all(isinstance(it, str) for it in row):
            raise _error(f"wrapper {number}: 'rewrite' has {reprlib.repr(row)}, not three texts")
    made = tuple((row[0], row[1], row[2]) for row in rows)
    try:
        check_rewrites(made)
    except WrapperError as err:
        raise _error(f"wrapper {number}: {err}") from err
    return made


def _try_field(expression: str, form: str, number: int) -> None:
    if form == "xpath" and is_value_path(expression):
        _try_link(expression, number)
    else:
        _try_expression(expression, number)


def _try_link(expression: str, number: int) -> None:
    try:
        check_safe(expression)
        check_value_path(expression)
    except WrapperError as err:
        raise _error(f"wrapper {number}: {err}") from err


def _try_expression(expression: str, number: int) -> None:
    try:
        _compiled(expression)(_BARE_PAGE)
    except WrapperError as err:
        raise _error(f"wrapper {number}: {err}") from err


def _has_type(value: object, kind: type | tuple[type, ...]) -> bool:
    """Whether a value has a type; `true`, `NaN` and infinity are not numbers."""
    if isinstance(value, bool) or not isinstance(value, kind):
        return False
    return not isinstance(value, float) or isfinite(value)


def _error(what: str) -> WrapperError:
    return WrapperError(f"{what}; induce the wrappers again")


@lru_cache(maxsize=10_000)
def _compiled(expression: str) -> ElementPath:
    return ElementPath(expression)


@lru_cache(maxsize=2_000)
def _path_set(expressions: tuple[str, ...]) -> PathSet:
    return PathSet([_compiled(expression) for expression in expressions])
