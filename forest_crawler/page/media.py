"""Media of a page: videos, sounds and embedded documents, kept beside its tree.

Part of `forest_crawler.page.tree.parse_page`. Media have no text, so they aren't elements of the
tree: depth-first numbers, levels, XPaths and the page model's features are those of the text. A
`MediaNode` records where its element was instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from forest_crawler.page.visibility import MAX_SINGLE, drop_elements
from forest_crawler.page.xpath import Element

AMP_MEDIA_TAGS = (
    "amp-video", "amp-audio", "amp-iframe", "amp-youtube", "amp-vimeo", "amp-dailymotion"
)  # fmt: skip
"""The same of AMP pages, whose scripts make them; what is inside them is a placeholder."""

MEDIA_TAGS = ("video", "audio", "iframe", "object", "embed", *AMP_MEDIA_TAGS)
"""Elements that show something from another URL; text inside them is for old browsers."""

MAX_SOURCES = 20
"""Max URLs that are read from inside one element."""

_INNER_TAGS = {
    "video": ("source",),
    "audio": ("source",),
    "amp-video": ("source",),
    "amp-audio": ("source",),
    "object": ("param", "embed", "iframe"),
}  # where an element's URL may be instead of in its own attributes
_MOVIE_NAMES = frozenset({"movie", "src", "url", "filename"})  # of an object's `param`


@dataclass(frozen=True, slots=True, eq=False)
class MediaNode:
    """A media element and its position: in the text of `anchor`, or in the tail after it."""

    tag: str
    attributes: Mapping[str, str]
    sources: tuple[str, ...]  # URLs that elements inside it name: `source`, `param`, `embed`
    anchor: Element
    is_tail: bool
    offset: int  # characters of that text before the element

    @property
    def parent(self) -> Element:
        """The element around it."""
        around = self.anchor.getparent() if self.is_tail else self.anchor
        assert around is not None  # noqa: S101  body, which has no tail, is the outermost anchor
        return around


Sources: TypeAlias = Mapping[Element, tuple[str, ...]]


def empty_media(body: Element, found: Sequence[Element]) -> Sources:
    """Remove the content of the media elements in a body; return the URLs that it names.

    Content would count as text when hidden elements are measured.
    """
    sources: dict[Element, tuple[str, ...]] = {}
    inside: set[Element] = set()
    for element in _still_in(body, found):
        if element not in inside:
            inside.update(element.iterdescendants(*MEDIA_TAGS))
            sources[element] = tuple(islice(_inner_urls(element), MAX_SOURCES))
            element.text = None
            del element[:]
    return sources


def take_media(body: Element, sources: Sources) -> tuple[MediaNode, ...]:
    """Take the media elements that are left out of a body; return them in order.

    The text after an element stays.
    """
    nodes: dict[Element, MediaNode] = {}
    for element in _still_in(body, list(sources)):
        position = _position(element, nodes)
        attributes = {str(name): str(value) for name, value in element.attrib.items()}
        nodes[element] = MediaNode(str(element.tag), attributes, sources[element], *position)
    drop_elements(body, nodes)
    return tuple(nodes.values())


def _still_in(body: Element, elements: Sequence[Element]) -> Sequence[Element]:
    """Return the media elements that no step has dropped from the body.

    For a few it is faster to climb than to walk through the whole page.
    """
    if len(elements) > MAX_SINGLE:
        return list(body.iter(*MEDIA_TAGS))
    return [e for e in elements if any(above is body for above in e.iterancestors("body"))]


def _inner_urls(element: Element) -> Iterator[str]:
    tags = _INNER_TAGS.get(str(element.tag))
    for inner in element.iterdescendants(*tags) if tags else ():
        if inner.tag != "param":
            yield inner.get("src") or inner.get("data-src") or ""
        elif inner.get("name", "").lower() in _MOVIE_NAMES:
            yield inner.get("value", "")


def _position(element: Element, before: Mapping[Element, MediaNode]) -> tuple[Element, bool, int]:
    """Find the text that an element is in, as if the media elements before it were gone."""
    previous = element.getprevious()
    if previous is None:
        parent = element.getparent()
        assert parent is not None  # noqa: S101  an element below body
        return parent, False, len(parent.text or "")
    length = len(previous.tail or "")
    if node := before.get(previous):
        return node.anchor, node.is_tail, node.offset + length
    return previous, True, length
