"""The text that an element of a page shows, up to a length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from forest_crawler.page.xpath import Element

MAX_VALUE_LENGTH = 5000
"""Max characters read from an element: a property may be set on a whole page."""


def read_shown(element: Element, separator: str = "") -> str:
    """Read the texts in an element that have more than blanks."""
    return separator.join(read_pieces(element))


def read_pieces(element: Element) -> Iterator[str]:
    """Yield the texts in an element that have more than blanks."""
    return _cut(str(text) for text in element.itertext() if text and not text.isspace())


def _cut(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts until they have `MAX_VALUE_LENGTH` characters together."""
    length = 0
    for text in texts:
        yield text
        length += len(text)
        if length > MAX_VALUE_LENGTH:
            break
