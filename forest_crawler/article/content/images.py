"""Images as a reader sees them: lazy loading undone, tracking pixels left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from forest_crawler.article.content.blocks import Image
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import clean_text

MAX_ALT_LENGTH = 1000
"""Characters of an alternative text; beyond are whole articles written for machines."""

# Where scripts find the real address; the first that holds one wins over `src`.
_LAZY = ("data-src", "data-lazy-src", "data-original", "data-lazy", "data-url", "data-image")
_LAZY_SETS = ("data-srcset", "data-lazy-srcset")
_WIDTH = re.compile(r"([0-9]{1,5})(?:\.[0-9]{1,3})?([wx])")
_MAX_SET = 20_000
_MAX_SOURCES = 20  # of a picture


def read_image(element: Element, resolve: Callable[[str], str | None]) -> Image | None:
    """The image that an `img` shows; `None` for pixels and for what has no web address.

    `resolve` makes an address absolute, or gives `None` where it is none of the web.
    """
    if _is_pixel(element):
        return None
    for said in _addresses(element):
        if said.strip() and (address := resolve(said)) is not None:
            alt = " ".join(clean_text(element.get("alt", "")[:MAX_ALT_LENGTH]).split())
            return Image(address, alt)
    return None


def largest_of_set(said: str) -> str | None:
    """The address in a `srcset` with the largest width or density.

    >>> largest_of_set("/small.jpg 320w, /large.jpg 1200w, /medium.jpg 640w")
    '/large.jpg'
    """
    best, address = -1.0, None
    for candidate in said[:_MAX_SET].split(", "):
        parts = candidate.strip(" ,\t\n").split()
        if not parts:
            continue
        match = _WIDTH.fullmatch(parts[1]) if len(parts) > 1 else None
        size = float(match[1]) if match else 1.0
        if size > best:
            best, address = size, parts[0]
    return address


def _addresses(element: Element) -> Iterator[str]:
    """What may be the image's address, the likeliest first."""
    for name in _LAZY:
        if said := element.get(name):
            yield said
    for name in _LAZY_SETS:
        if said := element.get(name):
            yield largest_of_set(said) or ""
    src = element.get("src", "")
    if not src.strip().lower().startswith("data:"):
        yield src
    yield largest_of_set(element.get("srcset", "")) or ""
    # Not its siblings alone: the parser does not know that `source` is empty, and nests them.
    for picture in islice(element.iterancestors("picture"), 1):
        for source in islice(picture.iter("source"), _MAX_SOURCES):
            yield largest_of_set(source.get("srcset") or source.get("data-srcset") or "") or ""


def _is_pixel(element: Element) -> bool:
    return any(element.get(side, "").strip() in ("0", "1") for side in ("width", "height"))
