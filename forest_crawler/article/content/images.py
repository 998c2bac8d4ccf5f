"""Images as a reader sees them: lazy loading resolved, tracking pixels left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Protocol

from forest_crawler.article.content.blocks import Image
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import clean_text

MAX_ALT_LENGTH = 1000
"""Max characters of an alternative text; some pages put whole articles into it."""

# Attributes in which scripts find the real URL; the first that has one wins over `src`.
_LAZY = ("data-src", "data-lazy-src", "data-original", "data-lazy", "data-url", "data-image")
_LAZY_SETS = ("data-srcset", "data-lazy-srcset")
_OTHER_LAZY = re.compile(r"(?:data|lazy|nitro|v)-[a-z-]{0,30}src(set)?")
_WIDTH = re.compile(r"([0-9]{1,5})(?:\.[0-9]{1,3})?([wx])")
_MAX_SET = 20_000
_MAX_SOURCES = 20  # per picture


class Attributes(Protocol):
    """An element's attributes, as lxml's or as a mapping."""

    def get(self, key: str, default: str, /) -> str: ...


def read_image(element: Element, resolve: Callable[[str], str | None]) -> Image | None:
    """Read the image of an `img`, `amp-img` or `picture`; `None` without a web URL.

    Tracking pixels aren't images. `resolve` makes a URL absolute, or returns `None` for one that
    doesn't lead to the web.
    """
    if is_pixel(element):
        return None
    for candidate in _candidates(element):
        if candidate.strip() and (url := resolve(candidate)) is not None:
            alt = " ".join(clean_text(element.get("alt", "")[:MAX_ALT_LENGTH]).split())
            return Image(url, alt)
    return None


def largest_of_set(srcset: str) -> str | None:
    """Find the URL in a `srcset` with the largest width or density.

    >>> largest_of_set("/small.jpg 320w, /large.jpg 1200w, /medium.jpg 640w")
    '/large.jpg'
    """
    best, url = -1.0, None
    for candidate in srcset[:_MAX_SET].split(", "):
        parts = candidate.strip(" ,\t\n").split()
        if not parts:
            continue
        match = _WIDTH.fullmatch(parts[1]) if len(parts) > 1 else None
        size = float(match[1]) if match else 1.0
        if size > best:
            best, url = size, parts[0]
    return url


def is_pixel(attributes: Attributes) -> bool:
    """Whether an element is too small to be seen, as those are that count readers."""
    return any(attributes.get(side, "").strip() in ("0", "1") for side in ("width", "height"))


def _candidates(element: Element) -> Iterator[str]:
    """Yield what may be the image's URL, the most likely first."""
    if "-" in " ".join(map(str, element.keys())):
        yield from _lazy_candidates(element)
    src = element.get("src", "")
    if not src.strip().lower().startswith("data:"):
        yield src
    yield largest_of_set(element.get("srcset", "")) or ""
    # Not the siblings only: libxml2 doesn't know that `source` is a void element, and nests them.
    around = [element] if element.tag == "picture" else element.iterancestors("picture")
    for picture in islice(around, 1):
        for source in islice(picture.iter("source"), _MAX_SOURCES):
            yield largest_of_set(source.get("srcset") or source.get("data-srcset") or "") or ""


def _lazy_candidates(element: Element) -> Iterator[str]:
    """Yield the URLs in attributes for scripts; all their names have a hyphen."""
    for name in _LAZY:
        if url := element.get(name):
            yield url
    for name in _LAZY_SETS:
        if srcset := element.get(name):
            yield largest_of_set(srcset) or ""
    for key, value in element.items():
        if match := _OTHER_LAZY.fullmatch(str(key)):
            yield (largest_of_set(str(value)) or "") if match[1] else str(value)
