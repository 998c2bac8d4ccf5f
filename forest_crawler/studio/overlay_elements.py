"""The names and attributes that elements have in a marked page.

A browser parses the document that `overlay` writes, and it must build the same tree: it would end
a paragraph at a block inside it, and move text out of a broken table. Such elements become `div`
and `span`; `data-tag` keeps their name for the style sheet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from forest_crawler.page.media import MediaNode
from forest_crawler.page.outline import Outline
from forest_crawler.page.tree import INLINE_TAGS
from forest_crawler.page.xpath import Element
from forest_crawler.studio.overlay_styles import filter_style
from forest_crawler.studio.overlay_tables import PARTS_WITHOUT_BOX, find_table_parts

_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_LISTS = {"li": frozenset({"li", "ul", "ol"}), "dt": frozenset({"dt", "dd", "dl"})}
_LISTS["dd"] = _LISTS["dt"]
_SAFE_TAGS = frozenset(
    "div section article main header footer nav aside figure figcaption blockquote ul ol dl "
    "address hgroup pre span b i em strong u s small code sub sup abbr cite q time kbd samp var "
    "del ins dfn bdi br hr wbr".split()
)
"""Elements that a browser's parser leaves where they are, whatever is around them."""

_IMAGES = frozenset({"img", "amp-img"})
_IMAGE_DATA = re.compile(
    r"data:image/(?:png|jpe?g|gif|webp|avif|bmp)(?:;base64)?,[\w+/=%-]+", re.IGNORECASE
)
MAX_IMAGE_DATA = 200_000
"""Max characters of a picture inside the page; larger ones become placeholders."""

MAX_BOX = 640
"""Max pixels of a placeholder's sides."""

MAX_ALT = 300
_WORD = re.compile(r"[\w-]{1,60}")
_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
_VALUES = {
    "lang": re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,4}"),
    "dir": re.compile(r"ltr|rtl|auto", re.IGNORECASE),
    "colspan": re.compile(r"[1-9][0-9]?"),
    "rowspan": re.compile(r"[1-9][0-9]?"),
    "start": re.compile(r"[0-9]{1,6}"),
    "datetime": re.compile(r"[0-9T:.+Z -]{4,40}"),
}
_OWN = {"td": ("colspan", "rowspan"), "th": ("colspan", "rowspan"), "ol": ("start",)}
_PIXELS = re.compile(r"\s*([0-9]{1,5})(?:px)?\s*")


class PageNames:
    """Chooses the names of a page's elements in the document."""

    def __init__(self, outline: Outline, *, is_named: bool = False) -> None:
        """Prepare a page; `is_named` keeps the names of elements, for people who point at them."""
        self._elements = outline.elements
        self._is_named = is_named
        self._table_parts = find_table_parts(outline.elements)
        self._has_block = _find_block_holders(outline)

    def choose(self, index: int, above: Sequence[str]) -> str:
        """Return an element's name, given those of the open elements; empty if it has no box."""
        element = self._elements[index]
        tag = str(element.tag)
        if index == 0:
            return "body"
        if element in self._table_parts:
            return "" if tag in PARTS_WITHOUT_BOX else tag
        if tag in _IMAGES:
            return "img" if tag == "img" and _image_data(element) else "span"
        if tag in _SAFE_TAGS or self._fits(index, tag, above):
            return tag
        return "span" if tag in INLINE_TAGS or tag in _CONTROLS else "div"

    def _fits(self, index: int, tag: str, above: Sequence[str]) -> bool:
        """Whether a browser's parser leaves the element where it is."""
        if tag == "p":
            return not self._has_block[index]
        if tag == "a":
            return "a" not in above
        if tag in _HEADINGS:
            return _HEADINGS.isdisjoint(above)
        if tag in _LISTS:
            around = next((name for name in reversed(above) if name in _LISTS[tag]), None)
            return around in ("ul", "ol", "dl")
        return False

    def attributes(self, index: int, name: str, classes: Sequence[str]) -> dict[str, str]:
        """Return an element's attributes in the document."""
        element = self._elements[index]
        tag = str(element.tag)
        found = {"data-dfs": str(index + 1)}
        if tag != name and _NAME.fullmatch(tag):
            found["data-tag"] = tag
        if self._is_named and (known := describe_name(element)):
            found["data-name"] = known
        names = [*classes, "forest-image"] if tag in _IMAGES and name != "img" else [*classes]
        if names:
            found["class"] = " ".join(names)
        found |= read_attributes(element, ("lang", "dir", *_OWN.get(name, ())))
        style = _box(element) if tag in _IMAGES else filter_style(element.get("style", ""))
        if style:
            found["style"] = style
        if name == "img":
            found |= {"src": _image_data(element) or "", "alt": element.get("alt", "")[:MAX_ALT]}
        return found


def describe_name(element: Element) -> str:
    """Write the id or the first class of an element as CSS does; empty if it has none.

    >>> from lxml.html import fragment_fromstring
    >>> describe_name(fragment_fromstring('<p class="lead big" lang="en"></p>'))
    '.lead'
    """
    for attribute, sign in (("class", "."), ("id", "#")):
        words = element.get(attribute, "").split()
        if words and _WORD.fullmatch(words[0]):
            return sign + words[0]
    return ""


_CONTROLS = frozenset({"input", "button", "select", "option", "picture", "source", "label"})


def read_attributes(element: Element, names: Sequence[str]) -> dict[str, str]:
    """Return those of the attributes whose value is harmless."""
    values = ((name, element.get(name, "").strip()) for name in names)
    return {name: value for name, value in values if _VALUES[name].fullmatch(value)}


def shown_text(element: Element) -> str:
    """Return the text that a placeholder shows; empty for elements with a text of their own."""
    if element.tag in _IMAGES:
        return (element.get("alt") or "image")[:MAX_ALT]
    if element.tag == "input" and element.get("type", "").lower() != "hidden":
        return (element.get("value") or element.get("placeholder") or "")[:MAX_ALT]
    return ""


def write_media(node: MediaNode) -> str:
    """Write the placeholder of a video, a sound or an embedded document.

    It has no number, as it isn't an element of the tree.
    """
    title = node.attributes.get("title", "")[:MAX_ALT]
    label = f"{node.tag}: {title}" if title else node.tag
    return f'<span class="forest-media">▶ {escape(label)}</span>'


def _find_block_holders(outline: Outline) -> list[bool]:
    """Return for each element whether anything inside it starts a new line."""
    holds = [False] * len(outline.elements)
    for index in range(len(holds) - 1, 0, -1):
        tag = outline.elements[index].tag
        is_inline = tag in INLINE_TAGS or tag in _CONTROLS or tag in ("br", "wbr", *_IMAGES)
        if holds[index] or not is_inline:
            holds[outline.parents[index]] = True
    return holds


def _image_data(element: Element) -> str | None:
    source = element.get("src", "").strip()
    is_shown = len(source) <= MAX_IMAGE_DATA and _IMAGE_DATA.fullmatch(source)
    return source if is_shown else None


def _box(element: Element) -> str:
    """Return the size of a picture, so that its placeholder looks like it."""
    sides = ((side, _PIXELS.fullmatch(element.get(side, ""))) for side in ("width", "height"))
    sizes = {side: min(int(match[1]), MAX_BOX) for side, match in sides if match}
    return ";".join(f"{side}:{size}px" for side, size in sizes.items() if size)
