"""`Wrapper`: how to cut a site's articles out of its pages; a frozen value with a JSON form.

Last station of induction, first of extraction: what was learnt from a sample of pages, kept, and
applied to every further page of the site.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import Any, Literal, get_args

from forest_crawler.errors import WrapperError
from forest_crawler.selection import Selection, select_elements
from forest_crawler.tree import PageTree
from forest_crawler.xpath import Element, ElementPath

FORMAT = "forest-wrappers"
VERSION = 1
"""Of the JSON form. A file of another version is refused, never guessed at."""

Form = Literal["dfs", "portable"]
"""`dfs`: the paper's XPath over dfs-annotated trees; `portable`: an XPath any tool can run."""


@dataclass(frozen=True, slots=True)
class Wrapper:
    """XPaths that locate the article on the pages of one site template."""

    site: str
    method: str
    form: Form
    body: tuple[str, ...]  # what any of them selects is content
    strip: tuple[str, ...] = ()  # what any of them selects inside it is not
    support: int = 0  # sample pages on which it was found
    pages: int = 0  # pages of the sample
    relevance: float = 0.0

    def select(self, tree: PageTree) -> Selection:
        """Select the article's nodes of a page; an empty selection where nothing matches."""
        body = self._matches(tree, self.body)
        stripped = self._matches(tree, self.strip) if body else []
        return select_elements(tree, body, stripped)

    def _matches(self, tree: PageTree, expressions: tuple[str, ...]) -> list[Element]:
        if not expressions:
            return []
        # A union, so that the nodes of several expressions come in document order.
        path = _compiled(" | ".join(expressions))
        return tree.select_annotated(path) if self.form == "dfs" else path(tree.html)


def dump_wrappers(wrappers: Iterable[Wrapper]) -> str:
    """The JSON form of wrappers; `load_wrappers` reads it back."""
    document = {"format": FORMAT, "version": VERSION, "wrappers": [asdict(w) for w in wrappers]}
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def load_wrappers(text: str) -> list[Wrapper]:
    """Read wrappers from their JSON form; raises `WrapperError` that says what is wrong with it."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as err:
        raise WrapperError(f"not JSON: {err}; induce the wrappers again") from err
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise WrapperError(f"not a wrappers file: its 'format' is not {FORMAT!r}")
    if document.get("version") != VERSION:
        raise WrapperError(
            f"written in version {document.get('version')!r} of the format, this program reads "
            f"version {VERSION}; induce the wrappers again, or use the program that wrote them"
        )
    rows = document.get("wrappers")
    if not isinstance(rows, list):
        raise WrapperError("'wrappers' is not a list")
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
}


def _load_wrapper(row: Any, number: int) -> Wrapper:
    if not isinstance(row, dict):
        raise WrapperError(f"wrapper {number} is not an object")
    wanted = {field.name for field in fields(Wrapper)}
    if unknown := sorted(set(row) - wanted):
        raise WrapperError(f"wrapper {number} has unknown fields: {', '.join(unknown)}")
    for name in ("site", "method", "form", "body"):
        if name not in row:
            raise WrapperError(f"wrapper {number} has no {name!r}")
    for name, value in row.items():
        if not isinstance(value, _TYPES[name]):
            raise WrapperError(f"wrapper {number}: {name!r} is {value!r}, which does not fit")
    return Wrapper(**row | {name: _expressions(row, name, number) for name in ("body", "strip")})


def _expressions(row: dict[str, Any], name: str, number: int) -> tuple[str, ...]:
    expressions = row.get(name, [])
    if not all(isinstance(expression, str) for expression in expressions):
        raise WrapperError(f"wrapper {number}: {name!r} holds something other than strings")
    if row["form"] not in get_args(Form):
        raise WrapperError(f"wrapper {number}: form {row['form']!r} is none of {get_args(Form)}")
    for expression in expressions:
        _compiled(expression)
    return tuple(expressions)


@lru_cache(maxsize=10_000)
def _compiled(expression: str) -> ElementPath:
    return ElementPath(expression)
