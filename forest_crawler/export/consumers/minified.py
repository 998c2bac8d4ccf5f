"""Remove the white space that Miniflux's minifier removes: beside the tags of blocks.

What it leaves decides whether words grow together once the sanitiser drops tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lxml import etree

from forest_crawler.page.xpath import Element

_BLOCKS = frozenset(
    "address article aside blockquote br caption col colgroup dd details div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main "
    "menu nav noscript ol option p pre section style summary table tbody td tfoot th thead title "
    "tr ul".split()
)
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_MAX_AHEAD = 100  # tokens that the minifier looks ahead


class _Token(NamedTuple):
    """A tag, or the text after one: `slot` is where lxml keeps it."""

    element: Element
    slot: str  # text, tail, start or end

    @property
    def is_text(self) -> bool:
        return self.slot in ("text", "tail")

    @property
    def text(self) -> str:
        return getattr(self.element, self.slot) or ""


def minify(body: Element) -> None:
    """Collapse white space inside an element, and drop it beside blocks; `pre` stays as it is."""
    tokens = [token for token in _tokens(body) if not token.is_text or token.text]
    drops_blanks = True
    for position, token in enumerate(tokens):
        if not token.is_text:
            drops_blanks |= token.element.tag in _BLOCKS
            continue
        if any(it.tag == "pre" for it in _around(token)):
            drops_blanks = False
            continue
        text = _BLANKS.sub(" ", token.text)
        text = text.removeprefix(" ") if drops_blanks else text
        drops_blanks = not text or text.endswith(" ")
        if text.endswith(" ") and _block_follows(tokens[position + 1 : position + 1 + _MAX_AHEAD]):
            text = text[:-1]
            drops_blanks = False
        setattr(token.element, token.slot, text)


def _tokens(body: Element) -> Iterator[_Token]:
    for event, element in etree.iterwalk(body, events=("start", "end", "comment")):
        if event == "start":
            yield _Token(element, "start")
            yield _Token(element, "text")
            continue
        if event == "end":
            yield _Token(element, "end")
        if element is not body:
            yield _Token(element, "tail")


def _around(token: _Token) -> Iterator[Element]:
    if token.slot == "text":
        yield token.element
    yield from token.element.iterancestors()


def _block_follows(tokens: Sequence[_Token]) -> bool:
    for token in tokens:
        if token.is_text:
            if token.text.strip(" \t\n\r\f"):
                return False
        elif token.element.tag in _BLOCKS:
            return True
        elif token.slot == "start":
            return False
    return True
