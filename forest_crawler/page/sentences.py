"""Whether an element is inside a line of text that goes on before and after it.

A strip rule must not cut such an element out: the sentence would have a hole.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from forest_crawler.page.tree import INLINE_TAGS
from forest_crawler.page.xpath import Element

_WORD = re.compile(r"\w")
MAX_STEPS = 60
"""Pieces of a line that are read on either side: a line of more is a list of links."""


def is_within_sentence(element: Element, dropped: Container[Element] = ()) -> bool:
    """Whether the line that an inline element is in has words before and after it.

    The words of `dropped` elements don't count.

    >>> from lxml import html
    >>> p = html.fromstring("<p>See <a>the harbour</a> by <b>night</b></p>")
    >>> is_within_sentence(p[0]), is_within_sentence(p[1])
    (True, False)
    """
    if element.tag not in INLINE_TAGS:
        return False
    before, after = _pieces_before(element, dropped), _pieces_after(element, dropped)
    return _has_word(before) and _has_word(after)


def _has_word(pieces: Iterator[str | None]) -> bool:
    for _, piece in zip(range(MAX_STEPS), pieces, strict=False):
        if piece and _WORD.search(piece):
            return True
    return False


def _pieces_before(element: Element, dropped: Container[Element]) -> Iterator[str | None]:
    """Yield the text before an element on its line, the nearest first."""
    while True:
        previous = element.getprevious()
        while previous is not None:
            yield previous.tail
            if previous.tag not in INLINE_TAGS:
                return
            if previous not in dropped:
                yield from _inline_pieces(previous, dropped)
            previous = previous.getprevious()
        parent = element.getparent()
        if parent is None:
            return
        yield parent.text
        if parent.tag not in INLINE_TAGS:
            return
        element = parent


def _pieces_after(element: Element, dropped: Container[Element]) -> Iterator[str | None]:
    """Yield the text after an element on its line."""
    while True:
        yield element.tail
        following = element.getnext()
        while following is not None:
            if following.tag not in INLINE_TAGS:
                return
            if following not in dropped:
                yield from _inline_pieces(following, dropped)
            yield following.tail
            following = following.getnext()
        parent = element.getparent()
        if parent is None or parent.tag not in INLINE_TAGS:
            return
        element = parent


def _inline_pieces(element: Element, dropped: Container[Element]) -> Iterator[str | None]:
    yield element.text
    for child in element:
        if child not in dropped:
            yield from _inline_pieces(child, dropped)
        yield child.tail
