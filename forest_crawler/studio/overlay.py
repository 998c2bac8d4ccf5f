"""Show a page as it was, with what its wrapper selects in colour.

The document is written anew from the page's tree, never copied from its source: only names,
attributes and styles of `overlay_elements` occur in it. It has no script, link, form or remote
load, and a content security policy that allows none. Show it in a sandboxed frame nevertheless.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath import Element
from forest_crawler.studio.overlay_elements import (
    PageNames,
    read_attributes,
    shown_text,
    write_media,
)
from forest_crawler.studio.overlay_marks import NO_MARKS, Marks, mark_wrapper
from forest_crawler.studio.overlay_terms import TermMarker
from forest_crawler.wrapper.wrapper import Wrapper

VOID_TAGS = frozenset({"br", "hr", "img", "wbr"})

_HEAD = """<!DOCTYPE html>
<html{attributes}><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style></head>
"""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'"


def overlay_page(
    source: bytes | str,
    url: str | None,
    wrapper: Wrapper | None,
    keywords: Sequence[str] = (),
    *,
    script: str | None = None,
) -> str:
    """Write a page as an HTML document in which the wrapper's parts are marked.

    Every element of the page's tree that is shown has its depth-first number as `data-dfs`, so
    `tree.outline.elements[N - 1]` is the element that a reader points at. The classes of the marks
    are `overlay_marks.MARKS`; words that are one of the keywords, by their stems, are in a `mark`
    with class `forest-signifier`. `script` is the caller's own, the only one that may run.

    Raises `EmptyPageError` if the page has no visible element.

    >>> page = overlay_page(b"<h1>Rain</h1><p onclick=run()>It rained.</p>", None, None, ["rain"])
    >>> page[page.index("<body"):].strip().splitlines()[0]
    '<body data-dfs="1"><h1 data-dfs="2"><mark class="forest-signifier">Rain</mark></h1>...'
    """
    tree = parse_page(source, url=url)
    marks = mark_wrapper(tree, wrapper) if wrapper else NO_MARKS
    language = wrapper.language if wrapper else None
    return overlay_tree(tree, marks, keywords, language=language, script=script)


def overlay_tree(
    tree: PageTree,
    marks: Marks = NO_MARKS,
    keywords: Sequence[str] = (),
    *,
    language: str | None = None,
    script: str | None = None,
) -> str:
    """Write a parsed page with marks as an HTML document, like `overlay_page`.

    `language` is that of the keywords; without it, the page's.
    """
    attributes = "".join(_write_attributes(read_attributes(tree.html, ("lang", "dir"))))
    head = _HEAD.format(
        attributes=attributes,
        policy=_policy(script),
        title=escape(tree.url or "A page as it was"),
        style=_style(),
    )
    names = PageNames(tree.outline, is_named=script is not None)
    terms = TermMarker(keywords, language or tree.language)
    end = f"<script>{script}</script>" if script else ""
    return "".join((head, *_write_elements(tree, names, marks, terms), end, "</body></html>\n"))


@cache
def _style() -> str:
    return files(__package__).joinpath("overlay.css").read_text(encoding="utf-8")


def _policy(script: str | None) -> str:
    if not script:
        return _POLICY
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{_POLICY}; script-src 'sha256-{digest}'"


def _write_elements(
    tree: PageTree, names: PageNames, marks: Marks, terms: TermMarker
) -> Iterator[str]:
    """Yield the page's elements and texts in document order; `body` is left open."""
    outline = tree.outline
    writer = _TextWriter(tree, marks, terms)
    is_open: list[tuple[int, str]] = []
    for index, element in enumerate(outline.elements):
        while is_open and outline.ends[is_open[-1][0]] <= index:
            yield from _close(tree, writer, is_open.pop())
        name = names.choose(index, [open_name for _, open_name in is_open])
        if name:
            yield f"<{name}"
            yield from _write_attributes(names.attributes(index, name, marks.classes(element)))
            yield ">"
            if name not in VOID_TAGS:
                yield escape(shown_text(element), quote=False)
        yield from writer.text_of(element)
        is_open.append((index, name))
    while len(is_open) > 1:
        yield from _close(tree, writer, is_open.pop())


def _close(tree: PageTree, writer: _TextWriter, opened: tuple[int, str]) -> Iterator[str]:
    index, name = opened
    if name and name not in VOID_TAGS:
        yield f"</{name}>"
    yield from writer.tail_of(tree.outline.elements[index])


def _write_attributes(attributes: dict[str, str]) -> Iterator[str]:
    return (f' {name}="{escape(value)}"' for name, value in attributes.items())


class _TextWriter:
    """Writes the texts of a page with its media, marked leaves and signifiers."""

    def __init__(self, tree: PageTree, marks: Marks, terms: TermMarker) -> None:
        self._marks, self._terms = marks, terms
        self._media: dict[tuple[Element, bool], list[tuple[int, str]]] = {}
        for node in tree.media:
            places = self._media.setdefault((node.anchor, node.is_tail), [])
            places.append((node.offset, write_media(node)))

    def text_of(self, element: Element) -> Iterator[str]:
        return self._write(element, is_tail=False)

    def tail_of(self, element: Element) -> Iterator[str]:
        return self._write(element, is_tail=True)

    def _write(self, element: Element, *, is_tail: bool) -> Iterator[str]:
        text = (element.tail if is_tail else element.text) or ""
        start = 0
        for offset, medium in self._media.get((element, is_tail), ()):
            yield from self._piece(element, is_tail, text[start:offset])
            yield medium
            start = offset
        yield from self._piece(element, is_tail, text[start:])

    def _piece(self, element: Element, is_tail: bool, text: str) -> Iterator[str]:
        is_marked = (element, is_tail) in self._marks.leaves and not text.isspace()
        if is_marked and text:
            yield '<span class="forest-body">'
        yield from self._terms.write(text)
        if is_marked and text:
            yield "</span>"
